import type { Family, Prefix } from "../../address/address.ts";
import { reasonAgainst } from "../../deployments/unprocessable.ts";
import type { Expression } from "../../rulesets/export-rules.ts";
import { AddressSet } from "../../sets/address-set.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { type ListText, prefixesOfList } from "../sources/list-text.ts";

/** Which addresses devices get, and no longer get, when one list takes the place of another. */
export interface ListDifference {
  readonly listed: AddressSet;
  readonly unlisted: AddressSet;
}

/** A list, and what the format of its files can express: they leave out the rest. */
export interface WrittenList {
  readonly text: Pick<ListText, Family>;
  readonly expression: Expression;
}

/** O(entries), in slices; lists with the same entries are only compared byte by byte. */
export async function listDifference(before: WrittenList, after: WrittenList): Promise<ListDifference> {
  if (isSame(before, after)) return { listed: AddressSet.EMPTY, unlisted: AddressSet.EMPTY };
  const [one, other] = [await inSlices(collectingAddresses(before)), await inSlices(collectingAddresses(after))];
  return {
    listed: await inSlices(other.combining("difference", one)),
    unlisted: await inSlices(one.combining("difference", other)),
  };
}

function isSame({ text, expression }: WrittenList, other: WrittenList): boolean {
  return expression === other.expression && text[4].equals(other.text[4]) && text[6].equals(other.text[6]);
}

/** The addresses that the files of a list have. O(entries) */
export function* collectingAddresses({ text, expression }: WrittenList): Generator<undefined, AddressSet, undefined> {
  const written = function* (family: Family): Generator<Prefix | undefined> {
    for (const prefix of prefixesOfList(text[family]))
      yield reasonAgainst(expression, prefix) === undefined ? prefix : undefined;
  };
  return yield* AddressSet.collecting(([4, 6] as const).values().flatMap(written));
}
