import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CopiedCheckout } from "./copied-checkout.ts";

/** Ranges of a file that a test ran, in characters, from the first to before the second. */
type Ranges = readonly (readonly [from: number, to: number])[];

/** What a test file runs of the sources, without a mutant. */
export interface Reach {
  readonly passed: boolean;
  readonly seconds: number;
  /** By source file: its hash, and what was run of it. Absent: it takes too long to find out, so perhaps everything. */
  readonly sources?: Readonly<Record<string, { readonly hash: string; readonly ranges: Ranges }>>;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** How long a test file may take without a mutant, in seconds: longer ones are left out. */
const LONGEST = 120;

/**
 * What that test file runs of that source, and of others; kept in `folder` until the test file or that source changes.
 * V8 counts in all processes and threads that the test starts.
 */
export async function reachOf(copy: CopiedCheckout, test: string, source: string, folder: string): Promise<Reach> {
  const kept = join(folder, `${test.replaceAll("/", "+")}-${hashOf(copy, test)}.json`);
  if (existsSync(kept)) {
    const reach = JSON.parse(readFileSync(kept, "utf8")) as Reach;
    if (isCurrent(copy, reach, source)) return reach;
  }
  const coverage = mkdtempSync(join(tmpdir(), "ipsieve-reach-"));
  const environment = { NODE_V8_COVERAGE: coverage, NODE_DISABLE_COMPILE_CACHE: "1" }; // cached code counts less exactly
  const counted = await copy.run(test, LONGEST, environment);
  const isCounted = counted.outcome !== "timed out"; // counting makes some loops many times as slow
  const { outcome, seconds } = isCounted ? counted : await copy.run(test, LONGEST);
  const reach = { passed: outcome === "passed", seconds, ...(isCounted && { sources: readCoverage(copy, coverage) }) };
  rmSync(coverage, { recursive: true, force: true });
  if (outcome === "failed") return reach; // not kept: a busy machine may be the reason
  mkdirSync(folder, { recursive: true });
  writeFileSync(kept, JSON.stringify(reach));
  return reach;
}

export function isReached({ sources }: Reach, file: string, position: number): boolean {
  if (sources === undefined) return true;
  return sources[file]?.ranges.some(([from, to]) => from <= position && position < to) ?? false;
}

/** Whether a source is as it was then, or was not loaded. */
function isCurrent(copy: CopiedCheckout, { sources }: Reach, file: string): boolean {
  const source = sources?.[file];
  return source === undefined || source.hash === hashOf(copy, file);
}

function hashOf(copy: CopiedCheckout, file: string): string {
  return createHash("sha256")
    .update(readFileSync(join(copy.path, file)))
    .digest("hex")
    .slice(0, 16);
}

function readCoverage(copy: CopiedCheckout, folder: string): NonNullable<Reach["sources"]> {
  const prefix = pathToFileURL(copy.path).href + "/";
  const ran = new Map<string, Uint8Array>();
  for (const name of readdirSync(folder)) {
    for (const { url, functions } of (JSON.parse(readFileSync(join(folder, name), "utf8")) as Coverage).result) {
      if (!url.startsWith(`${prefix}src/`)) continue;
      const file = url.slice(prefix.length).replace(/[?#].*$/, "");
      add(
        ran,
        file,
        functions.flatMap(({ ranges }) => ranges),
      );
    }
  }
  return Object.fromEntries(
    [...ran].map(([file, flags]) => [file, { hash: hashOf(copy, file), ranges: rangesOf(flags) }]),
  );
}

function add(
  ran: Map<string, Uint8Array>,
  file: string,
  ranges: Coverage["result"][0]["functions"][0]["ranges"],
): void {
  const length = Math.max(...ranges.map(({ endOffset }) => endOffset));
  const flags = new Uint8Array(length);
  // The innermost range says how often.
  for (const { startOffset, endOffset, count } of ranges.toSorted(
    (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
  ))
    flags.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  const before = ran.get(file);
  before?.forEach((flag, index) => (flags[index]! |= flag));
  ran.set(file, flags);
}

function rangesOf(flags: Uint8Array): Ranges {
  const ranges: [number, number][] = [];
  for (let from = flags.indexOf(1); from !== -1; from = flags.indexOf(1, ranges.at(-1)![1])) {
    const to = flags.indexOf(0, from);
    ranges.push([from, to === -1 ? flags.length : to]);
  }
  return ranges;
}
