import { arrayAt } from "./_json.ts";
import type { ListBuilder, Place } from "./imported-list.ts";

/** Adds the prefixes of an array, each with its position. @throws ImportError "bad-shape", "bad-prefix" */
export function addPrefixArray(
  list: ListBuilder,
  value: unknown,
  position: string,
  places: readonly Place[],
  family?: 4 | 6,
): void {
  for (const [at, prefix] of arrayAt(value, position).entries()) list.add(prefix, `${position}[${at}]`, places, family);
}
