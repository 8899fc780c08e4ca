import type { Prefix } from "../../address/address.ts";
import { formatPrefix, prefixContains } from "../../address/prefix.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { Entry, Label, LabelledEntry, RuleEntry } from "../entry.ts";
import { ENTRIES_AT_ONCE, type Format, UnexportableError } from "../format.ts";
import { setsOf } from "./_label-sets.ts";
import { trieBytes } from "./trie.ts";
import { MmdbData, type MmdbMap } from "./mmdb/mmdb-data.ts";
import { type MmdbAbout, mmdbFile } from "./mmdb/mmdb-file.ts";
import { isInIpv4, MmdbTree } from "./mmdb/mmdb-tree.ts";

const DATABASE_TYPES = { catalogue: "ipsieve-CBS", rules: "ipsieve-rules" } as const;
const REASON = "MMDB keeps IPv4 at ::/96";

/**
 * A MaxMind DB. The record of an address joins all prefixes that cover it; `prefix_length` is that of the most specific
 * one. Of the catalogue it is `{cbs_ids, labels, providers, types, services, regions, prefix_length}`; of rules
 * `{names, prefix_length}`, with `expires_at` if each of them expires: when the last one does. The same list gives the
 * same bytes: `build_epoch` is the second in which the list was made.
 */
export const mmdb = {
  about: "for anything that reads MaxMind DB files",
  kinds: ["catalogue", "rules"],
  mediaType: "application/octet-stream",
  extension: "mmdb",
  isBinary: true,
  hasSerial: true,
  takesMostSpecific: true,
  rejectsLists: true,
  comments: "entries",
  leavesOut: { reason: REASON, from: (list) => prefixesInIpv4(list.entries(6)) },
  // Its nodes have fewer bytes than those of a trie.
  maxBytes: (prefixes) => trieBytes(Iterator.from(prefixes).map(expressible)),
  *write(list) {
    const about = {
      type: (list.kind === "catalogue" ? list.databaseType : undefined) ?? DATABASE_TYPES[list.kind],
      title: list.title,
      buildSeconds: Math.floor(list.createdAt / 1000),
    };
    if (list.kind === "catalogue") yield* databaseOf(list.entries(), new LabelRecords(), about);
    else yield* databaseOf(list.entries(), new RuleRecords(), about);
  },
} as const satisfies Format;

/** The file of entries, the less specific first, whose records these are; "" where other work can run. */
export function* databaseOf<Item extends Entry>(
  entries: Iterable<Item>,
  records: Records<Item>,
  about: MmdbAbout,
): Generator<"" | Uint8Array> {
  const tree = new MmdbTree();
  let count = 0;
  for (const entry of entries) {
    tree.add(entry.prefix, records.numberOf(entry));
    if (++count % ENTRIES_AT_ONCE === 0) yield "";
  }
  const data = new MmdbData();
  const offsets = new Map<number, number>();
  for (const number of tree.values()) {
    if (number !== "") offsets.set(number, data.addRecord(records.recordOf(number)));
    if (number === "" || number % ENTRIES_AT_ONCE === 0) yield "";
  }
  yield* mmdbFile(tree, data, (number) => offsets.get(number)!, about);
}

/** Of IPv6 prefixes in their order those where the format keeps IPv4. They come first. */
export function prefixesInIpv4(entries: Iterable<Pick<Entry, "prefix">>): Prefix[] {
  const found: Prefix[] = [];
  for (const { prefix } of entries) {
    if (prefix.w0 !== 0) break;
    if (isInIpv4(prefix)) found.push(prefix);
  }
  return found;
}

/** The different records, numbered from 1. */
export interface Records<Item extends Entry> {
  numberOf(entry: Item): number;
  recordOf(number: number): MmdbMap;
}

/** What a record says of labels: `cbs_ids`, `labels` and the others. */
export function labelsRecord(labels: readonly Label[]): MmdbMap {
  return { ...setsOf(labels) };
}

/** Of prefixes with the same labels and length there is one. */
class LabelRecords implements Records<LabelledEntry> {
  readonly #entries: LabelledEntry[] = [];
  readonly #numbers = new Map<readonly Label[], (number | undefined)[]>();

  numberOf(entry: LabelledEntry): number {
    const { labels, prefix } = entry;
    let byLength = this.#numbers.get(labels);
    if (byLength === undefined) this.#numbers.set(labels, (byLength = []));
    return (byLength[prefix.length] ??= this.#entries.push(entry));
  }

  recordOf(number: number): MmdbMap {
    const { labels, prefix } = this.#entries[number - 1]!;
    return { ...labelsRecord(labels), prefix_length: prefix.length };
  }
}

/** What the rules that cover a prefix say together. */
interface Cover {
  readonly prefix: Prefix;
  readonly names: readonly string[];
  readonly expiresAt: number | null;
}

/** Records that are remembered, so that further prefixes share them. */
const MAX_KNOWN = 100_000;

/** Of prefixes with the same names, expiry and length there is one. Each rule comes after those around it. */
export class RuleRecords implements Records<RuleEntry> {
  readonly #covers: Cover[] = [];
  readonly #numbers = new Map<string, number>();
  /** The rules around the last one, and itself, the least specific first. */
  readonly #around: Cover[] = [];

  numberOf({ prefix, name, expiresAt }: RuleEntry): number {
    expressible(prefix);
    while (this.#around.length > 0 && !prefixContains(this.#around.at(-1)!.prefix, prefix)) this.#around.pop();
    const around = this.#around.at(-1);
    const cover = {
      prefix,
      names: withName(around?.names ?? [], name),
      expiresAt: around === undefined ? expiresAt : laterExpiry(around.expiresAt, expiresAt),
    };
    this.#around.push(cover);
    const key = JSON.stringify([prefix.length, cover.expiresAt, cover.names]);
    let number = this.#numbers.get(key);
    if (number !== undefined) return number;
    number = this.#covers.push(cover);
    if (number <= MAX_KNOWN) this.#numbers.set(key, number);
    return number;
  }

  recordOf(number: number): MmdbMap {
    const { prefix, names, expiresAt } = this.#covers[number - 1]!;
    return {
      names,
      ...(expiresAt !== null && { expires_at: formatTimestamp(expiresAt) }),
      prefix_length: prefix.length,
    };
  }
}

/** @throws UnexportableError for an IPv6 prefix where the format keeps IPv4: such a rule must not be left out */
function expressible(prefix: Prefix): Prefix {
  if (prefix.family === 4 || !isInIpv4(prefix)) return prefix;
  const text = formatPrefix(prefix);
  throw new UnexportableError(text, `mmdb cannot express ${text}: ${REASON}; leave it out, or choose another format`);
}

/** Sorted, each once; the same array if the name adds nothing. */
function withName(names: readonly string[], name: string | null): readonly string[] {
  return name === null || name === "" || names.includes(name) ? names : [...names, name].sort();
}

/** Null: never. */
function laterExpiry(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}
