import type { Prefix } from "../address/address.ts";
import { formatPrefix, parsePrefix } from "../address/prefix.ts";
import { subtractor } from "../address/subtract.ts";
import { type Catalogue, type CatalogueSource, sourceKey } from "./catalogue.ts";
import { layerOf } from "./catalogue-ages.ts";

/** A prefix that a source of the base layer names for a node. */
export interface BaseClaim {
  readonly prefix: Prefix;
  readonly id: string;
  readonly source: string | null;
}

/**
 * The claims of `base` that `result`, a catalogue of lists laid over it, no longer has as they are: a line for each
 * node, `ID PREFIX PREFIX...`, after its source.
 */
export function writeAnnounced(base: Catalogue, result: Catalogue): Uint8Array {
  const kept = new Set([...claims(result)].map(keyOf));
  const lines = new Map<string, string[]>();
  for (const claim of claims(base)) {
    if (kept.has(keyOf(claim))) continue;
    const key = `${claim.source ?? ""} ${claim.id}`;
    const line = lines.get(key);
    if (line === undefined) lines.set(key, [formatPrefix(claim.prefix)]);
    else line.push(formatPrefix(claim.prefix));
  }
  return new TextEncoder().encode([...lines].map(([key, prefixes]) => `${key}\t${prefixes.join(" ")}`).join("\n"));
}

function keyOf({ prefix, id, source }: BaseClaim): string {
  return `${formatPrefix(prefix)} ${id} ${source}`;
}

/**
 * What is under the publishers' lists of a catalogue: all that AS numbers and a user's own lists name, also where a list
 * covers it.
 */
export function* baseClaims(catalogue: Catalogue): Generator<BaseClaim> {
  const { announced } = catalogue.metadata;
  const covered = announced === undefined ? [] : readAnnounced(announced);
  yield* covered;
  const known = new Map(
    [...Map.groupBy(covered, ({ id, source }) => `${id} ${source}`)].map(([key, of]) => [
      key,
      subtractor(of.map(({ prefix }) => prefix)),
    ]),
  );
  for (const claim of claims(catalogue)) {
    // What is left of a prefix is part of the whole one.
    const restOf = known.get(`${claim.id} ${claim.source}`);
    if (restOf === undefined || restOf(claim.prefix).length > 0) yield claim;
  }
}

function readAnnounced(bytes: Uint8Array): BaseClaim[] {
  const text = new TextDecoder().decode(bytes);
  return text.split("\n").flatMap((line) => {
    const [key = "", prefixes = ""] = line.split("\t");
    const blank = key.indexOf(" ");
    const [source, id] = [key.slice(0, blank), key.slice(blank + 1)];
    return prefixes === ""
      ? []
      : prefixes
          .split(" ")
          .map((prefix) => ({ prefix: parsePrefix(prefix), id, source: source === "" ? null : source }));
  });
}

/** The claims of all sources but publishers' lists. */
function* claims(catalogue: Catalogue): Generator<BaseClaim> {
  for (const { prefix, id, source } of allClaims(catalogue))
    if (source === null || layerOf(source) !== "official")
      yield { prefix, id, source: source === null ? null : sourceKey(source) };
}

/** The claims of publishers' lists, by the id of the source. */
export function listedClaims(catalogue: Catalogue): Map<string, BaseClaim[]> {
  const lists = new Map<string, BaseClaim[]>();
  for (const { prefix, id, source } of allClaims(catalogue)) {
    if (source === null || layerOf(source) !== "official") continue;
    const key = sourceKey(source);
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [{ prefix, id, source: key }]);
    else list.push({ prefix, id, source: key });
  }
  return lists;
}

function* allClaims(
  catalogue: Catalogue,
): Generator<{ readonly prefix: Prefix; readonly id: string; readonly source: CatalogueSource | null }> {
  for (const family of [4, 6] as const)
    for (const { prefix, match } of catalogue.table.entries(family))
      for (const { node, source } of catalogue.claimsOf(match)) yield { prefix, id: node.id, source };
}
