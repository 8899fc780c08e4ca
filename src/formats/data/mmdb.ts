import type { Prefix } from "../../address/address.ts";
import { MEMBERS, setsOf } from "./_label-sets.ts";
import type { EntryList, Label, LabelledEntry } from "../entry.ts";
import type { Format } from "../format.ts";
import { MmdbData } from "./mmdb/mmdb-data.ts";
import { mmdbFile } from "./mmdb/mmdb-file.ts";
import { isInIpv4, MmdbTree } from "./mmdb/mmdb-tree.ts";

const DATABASE_TYPE = "ipsieve-CBS";

/**
 * A MaxMind DB. The record of an address is `{cbs_ids, labels, providers, types, services, regions, prefix_length}`,
 * which joins all prefixes that cover it; `prefix_length` is that of the most specific one. The same list gives the same
 * bytes: `build_epoch` is the second in which the list was made.
 */
export const mmdb = {
  about: "for anything that reads MaxMind DB files",
  kinds: ["catalogue"],
  mediaType: "application/octet-stream",
  isBinary: true,
  takesMostSpecific: true,
  leavesOut: { reason: "MMDB keeps IPv4 at ::/96", from: prefixesInIpv4 },
  *write(list) {
    const records = new Records();
    const tree = new MmdbTree();
    for (const family of [6, 4] as const)
      for (const entry of list.entries(family)) tree.add(entry.prefix, records.numberOf(entry));
    const data = new MmdbData();
    const offsets = new Map(tree.values().map((number) => [number, data.addRecord(records.membersOf(number))]));
    yield* mmdbFile(tree, data, (number) => offsets.get(number)!, {
      type: list.databaseType ?? DATABASE_TYPE,
      title: list.title,
      buildSeconds: Math.floor(list.createdAt / 1000),
    });
  },
} as const satisfies Format<"catalogue">;

/** The IPv6 prefixes where the format keeps IPv4. They come first. */
function prefixesInIpv4(list: EntryList<"catalogue">): Prefix[] {
  const found: Prefix[] = [];
  for (const { prefix } of list.entries(6)) {
    if (prefix.w0 !== 0) break;
    if (isInIpv4(prefix)) found.push(prefix);
  }
  return found;
}

/** The different records, numbered from 1: of prefixes with the same labels and length there is one. */
class Records {
  readonly #entries: LabelledEntry[] = [];
  readonly #numbers = new Map<readonly Label[], (number | undefined)[]>();

  numberOf(entry: LabelledEntry): number {
    const { labels, prefix } = entry;
    let byLength = this.#numbers.get(labels);
    if (byLength === undefined) this.#numbers.set(labels, (byLength = []));
    return (byLength[prefix.length] ??= this.#entries.push(entry));
  }

  membersOf(number: number): [name: string, value: readonly string[] | number][] {
    const { labels, prefix } = this.#entries[number - 1]!;
    const sets = setsOf(labels);
    return [
      ...MEMBERS.map((member): [string, readonly string[]] => [member, sets[member]]),
      ["prefix_length", prefix.length],
    ];
  }
}
