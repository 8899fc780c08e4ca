import type { TemplateFormat } from "../../rows/row-format.ts";
import type { RowTexts } from "../../rows/row-texts.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { MatchId } from "../../table/match-id.ts";

/**
 * The module at `IdentifyOptions.renderer` exports this function under the name `createRowTemplates`. Every thread
 * imports the module and calls the result once per match id it meets (0: an address without a match).
 *
 * A template is the bytes of a row in which byte 0x00 and one byte L are a hole: L = 255 is the canonical address, L <=
 * 128 the address masked to L bits as a prefix (bare at the family's full length). `tsv`, `csv` and `jsonl` templates
 * end with the newline; a `jsonl` template is an object, to which the line number is added (and, with `rowText`, the
 * line). `append` templates hold what follows the original line, without a newline; `append-csv` ones a comma and the
 * last column of a record of CSV, `append-jsonl` ones the value of a member: they are asked for where the input is CSV
 * or JSON. Matches that have expired at `now` (milliseconds since the Unix epoch) are not asked for; of those that are,
 * and of their parents, single values may have. The result of a call is used before the next call, so all calls may
 * return the same array.
 */
export type CreateRowTemplates = (
  snapshot: Snapshot,
  format: TemplateFormat,
  now: number,
) => (match: MatchId) => Uint8Array;

/**
 * Templates that matches share: those with the same key have the same one, in which the hole `OWN_PREFIX_HOLE` is the
 * prefix of the match that a row is for. A catalogue has more prefixes than labels.
 */
export interface SharedTemplates {
  /**
   * What all templates but that of match 0 begin with, before a text without holes and LFs but for that of the row: holes
   * for the address and the own prefix with the same delimiter, a byte, after each; with `append`, the delimiter alone.
   * Null for templates of another form.
   */
  readonly front: Uint8Array | null;
  /** The texts after the front that can be made all at once, much faster than one by one; null if there are none. */
  texts(): RowTexts | null;
  /** All keys are below this. */
  readonly keyCount: number;
  /** 0 for match 0. */
  keyOf(match: MatchId): number;
  /** As `CreateRowTemplates` says. */
  templateOf(match: MatchId): Uint8Array;
}

/** Writes the ends of rows: texts that end with an LF. Matches with the same key have the same one. */
export interface TailWriter {
  /** All keys are below this. */
  readonly keyCount: number;
  /** Of match 0, too. */
  keyOf(match: MatchId): number;
  /** Writes the text of a key at `out[at]` and returns where it ends; -1 if there is not enough room. */
  write(key: number, out: Uint8Array, at: number): number;
}

/** What a renderer exports. */
export interface RendererModule {
  readonly createRowTemplates: CreateRowTemplates;
  /** The same rows, for runs with one snapshot. Without it, each match has a template of its own. */
  readonly createSharedTemplates?: (snapshot: Snapshot, format: TemplateFormat, now: number) => SharedTemplates;
  /**
   * Rows of the columns with these names, of a run with `chosenColumns`: the result is called with the matches of an
   * address in the run's snapshot and in the one beside it (0 where there is none), or with null for a line without an
   * address. Rows of JSON have all that is known. Holes as `CreateRowTemplates` says.
   */
  readonly createColumnTemplates?: (
    snapshots: readonly [Snapshot, ...Snapshot[]],
    format: TemplateFormat,
    now: number,
    columns: readonly string[],
  ) => (matches: readonly number[] | null) => Uint8Array;
  /**
   * A faster way to the same rows of tsv, csv and append: those of the renderer at `front` (without columns), with a text
   * of the match in the snapshot beside over their newline. Null for other columns.
   */
  readonly createTails?: (
    beside: Snapshot,
    format: "tsv" | "csv" | "append",
    columns: readonly string[],
  ) => { readonly front: string; readonly writer: TailWriter } | null;
  /** The row of a line without an address, without holes. Default: the catalogue's. */
  readonly noAddressRow?: (format: TemplateFormat) => string;
}
