import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** What the published tables say about the addresses from `first` to `last`. */
export interface SourceRange {
  readonly first: bigint;
  readonly last: bigint;
  readonly text: string;
}

/**
 * The lines of a table of an installed package, from the form in which it publishes addresses as numbers, which the
 * build does not read. In order; where two overlap, the later one counts. Shares no code with src.
 */
export function sourceRanges(name: string, file: string, family: 4 | 6): SourceRange[] {
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  const lines = readFileSync(join(folder, `${file}-ipv${family}-num.csv`), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => {
    const [first, last] = line.split(",", 2) as [string, string];
    return { first: BigInt(first), last: BigInt(last), text: line.slice(first.length + last.length + 2).trim() };
  });
}

/** The last of the ranges that has this address; its predecessors may overlap it. */
export function rangeAt(ranges: readonly SourceRange[], address: bigint): SourceRange | undefined {
  let [from, to] = [0, ranges.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (ranges[middle]!.first <= address) from = middle + 1;
    else to = middle;
  }
  for (let at = from - 1; at >= Math.max(0, from - 8); at--) if (ranges[at]!.last >= address) return ranges[at];
  return undefined;
}

/** AS number, name and country of an address, as text; null where no AS number is published. */
export function sourceAnswer(
  routed: readonly SourceRange[],
  countries: readonly SourceRange[],
  address: bigint,
): string | null {
  const owner = rangeAt(routed, address);
  if (owner === undefined) return null;
  const comma = owner.text.indexOf(",");
  const name = owner.text.slice(comma + 1).trim();
  const plain = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"').trim() : name;
  return `${owner.text.slice(0, comma)} ${rangeAt(countries, address)?.text ?? "-"} ${plain}`;
}
