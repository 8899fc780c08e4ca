import type { Family, Prefix } from "../address/address.ts";
import { comparePrefixes, formatPrefix, parsePrefix } from "../address/prefix.ts";
import { subtractor } from "../address/subtract.ts";
import { compareTexts } from "./_node-id.ts";
import { type Catalogue, sourceKey } from "./catalogue.ts";
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
  const lines = new Map<string, string[]>();
  for (const { prefix, id, source } of lostClaims(base, result)) {
    const key = `${source ?? ""} ${id}`;
    const line = lines.get(key);
    if (line === undefined) lines.set(key, [formatPrefix(prefix)]);
    else line.push(formatPrefix(prefix));
  }
  return new TextEncoder().encode([...lines].map(([key, prefixes]) => `${key}\t${prefixes.join(" ")}`).join("\n"));
}

/** The claims of the base layer that only `base` has. Both are walked once, side by side. */
function* lostClaims(base: Catalogue, result: Catalogue): Generator<BaseClaim> {
  for (const family of [4, 6] as const) {
    const others = places(result, family);
    let other = others.next();
    for (const { prefix, claims } of places(base, family)) {
      while (other.done !== true && comparePrefixes(other.value.prefix, prefix) < 0) other = others.next();
      const isThere = other.done !== true && comparePrefixes(other.value.prefix, prefix) === 0;
      const kept = isThere ? other.value!.claims : [];
      for (const { id, source, isListed } of claims) {
        if (isListed || kept.some((each) => each.id === id && each.source === source && !each.isListed)) continue;
        yield { prefix, id, source };
      }
    }
  }
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
  for (const family of [4, 6] as const)
    for (const { prefix, claims } of places(catalogue, family))
      for (const { id, source, isListed } of claims) if (!isListed) yield { prefix, id, source };
}

/** The claims of publishers' lists, by the id of the source. */
export function listedClaims(catalogue: Catalogue): Map<string, BaseClaim[]> {
  const lists = new Map<string, BaseClaim[]>();
  for (const family of [4, 6] as const)
    for (const { prefix, claims } of places(catalogue, family))
      for (const { id, source, isListed } of claims) {
        if (!isListed) continue;
        const list = lists.get(source!);
        if (list === undefined) lists.set(source!, [{ prefix, id, source }]);
        else list.push({ prefix, id, source });
      }
  return lists;
}

interface KnownClaim extends Omit<BaseClaim, "prefix"> {
  /** Whether the source is a publisher's list. */
  readonly isListed: boolean;
}

/** The prefixes of a catalogue in order, each with its claims by the id of the node: of each value one object. */
function* places(
  catalogue: Catalogue,
  family: Family,
): Generator<{ readonly prefix: Prefix; readonly claims: readonly KnownClaim[] }, undefined> {
  const known: KnownClaim[] = [];
  const ofValue = (value: number): KnownClaim => {
    const { node, source } = catalogue.claim(value);
    const isListed = source !== null && layerOf(source) === "official";
    return { id: node.id, source: source === null ? null : sourceKey(source), isListed };
  };
  for (const { prefix, match } of catalogue.table.entries(family)) {
    const claims = catalogue.valuesOf(match).map((value) => (known[value] ??= ofValue(value)));
    yield { prefix, claims: claims.length < 2 ? claims : claims.sort((a, b) => compareTexts(a.id, b.id)) };
  }
}
