import type { Engine } from "../figures/part.ts";
import type { TableData } from "../data/table-data.ts";

/** A file of addresses, one a line, and the prefixes to look them up in. */
export interface LineInput {
  readonly path: string;
  readonly lines: number;
  readonly table: TableData;
}

/** The result of a run over all lines, at least one of the two. */
export interface Tally {
  readonly matched?: number;
  /** The sum of the value ids of all lines, 0 where nothing matches. */
  readonly valueSum?: number;
}

/** One way in which a contender goes through all lines. */
export interface LineWay {
  readonly subject: string;
  readonly engine?: Engine;
  readonly threads: number;
  /** This is timed. */
  run(): Promise<Tally>;
  /** The value id of every line, for the proof; not timed. Missing where the way can only count. */
  answers?(): Promise<Uint32Array>;
}

/** One that takes the text of millions of lines at once, in a process of its own. */
export interface LineContender {
  readonly name: string;
  /** Reads the prefixes, and the lines that must be in memory when the time starts. */
  open(input: LineInput): Promise<readonly LineWay[]>;
}
