import { type Address, type Family, notAnAddress, type Prefix } from "../address/address.ts";
import type { ValueId } from "../trie/value-id.ts";
import { checkBatch } from "../address/check-batch.ts";
import { addressErrorOf, parseAddressBytes, parseAddressInto } from "../address/parse-address.ts";
import { ActiveMatches, checkTime } from "./active-matches.ts";
import { lookupBatch4 } from "./_batch-ipv4.ts";
import { lookupBatch6 } from "./_batch-ipv6.ts";
import { entriesOf } from "./_entries.ts";
import { hostsIn } from "./_header.ts";
import { Hosts, type HostsForm, wordsOfHosts } from "./_hosts.ts";
import type { FamilyIndex } from "./_segment-walk.ts";
import type { TableEntry } from "./table-entry.ts";
import { ROOT_BITS_4, ROOT_BITS_6 } from "./_root-sizes.ts";
import { walk4, walk6 } from "./_walk.ts";
import {
  HEADER_LAYOUT_VERSION,
  HEADER_MATCH_COUNT,
  HEADER_PREFIX_COUNT_4,
  HEADER_PREFIX_COUNT_6,
  HEADER_ROOT_BITS_4,
  HEADER_ROOT_BITS_6,
  HEADER_WORDS,
  LAYOUT_VERSION,
  LAYOUT_VERSION_HOSTS,
  LEAST_BUCKETS,
  MOST_TAGS,
  VALUE_LIST_FLAG,
} from "./layout.ts";
import { type MatchId, NO_MATCH } from "./match-id.ts";
import type { SectionName, TableSections } from "./sections.ts";
import { TableError } from "./table-error.ts";
import { layoutOf, type TableLayout } from "./table-layout.ts";

/**
 * The layout versions that can be read. Those of version 6 have hosts before their nodes. Tables of version 3 have no hashed nodes and those of version 2 no points either;
 * otherwise they are the same. Those of version 4 have hashed nodes of another shape.
 */
const READABLE_VERSIONS: readonly number[] = [2, 3, LAYOUT_VERSION, LAYOUT_VERSION_HOSTS];

/**
 * The frozen form: answers longest-prefix match over IPv4 and IPv6 prefixes from one flat, immutable buffer that
 * threads can share. Made by `freeze`; every lookup allocates nothing and returns a **match id**.
 *
 * A match id (1 .. matchCount, 0 = no match) stands for what an address's most specific covering prefix says: its value
 * ids, its prefix length, and its parent, which is the match of the next less specific covering prefix. So one id
 * answers everything: all covering prefixes (`chain`; each is the address masked to `prefixLength`), all values, and,
 * with expiring values, which prefix decides at a given time. Equal matches share one id.
 *
 * | operation | time |
 * |---|---|
 * | `lookup...` | O(1) steps: at most a root word and 4 nodes for IPv4, a node per 16 undecided bits or run of equal ones for IPv6 |
 * | `get`, `lookupPrefix`, `chain`, `activeMatch` | a lookup and O(nesting) |
 * | `prefixLength`, `parent`, `value` | O(1) |
 * | `values`, `activeValues` | O(values of the match's prefix) |
 * | `entries`, `layout`, `checkStructure` | O(n) |
 *
 * Bytes from anywhere can be given: lookups end in any table, and answer what its words say. What a word refers to is
 * checked where it is used, so a corrupt table is a `TableError` or a wrong answer, never a crash or an endless loop;
 * `checkStructure` distinguishes a corrupt table from a sound one.
 *
 * Where a `!` follows a read: the header's 16 words and the match sections' `matchCount + 1` are there
 * (`#checkLayout`), match ids are checked against that (`#checkMatch`), and shifts keep root indices below the root's
 * length.
 */
export class PrefixTable {
  readonly buffer: ArrayBufferLike;
  readonly sections: TableSections;
  readonly #root4: Int32Array;
  readonly #nodes4: Int32Array;
  readonly #root6: Int32Array;
  readonly #nodes6: Int32Array;
  readonly #shift4: number;
  readonly #shift6: number;
  readonly #header: Int32Array;
  readonly #hosts: Hosts | null;
  readonly #matchValue: Int32Array;
  readonly #matchParent: Int32Array;
  readonly #matchLength: Uint8Array;
  readonly #valueLists: Int32Array;
  readonly #expiresAt: Float64Array;
  /** The words of an address given as text or bytes. */
  readonly #words = new Uint32Array(4);
  /** For batches at a moment; made at the first one. */
  #activeMatches: ActiveMatches | undefined;

  /**
   * Makes views on a buffer. Throws `TableError` when the sections cannot be a table's; `checkStructure` looks deeper.
   */
  constructor(buffer: ArrayBufferLike, sections: TableSections) {
    this.buffer = buffer;
    this.sections = sections;
    this.#header = this.#wordsOf("header");
    this.#root4 = this.#wordsOf("root4");
    this.#nodes4 = this.#wordsOf("nodes4");
    this.#root6 = this.#wordsOf("root6");
    this.#nodes6 = this.#wordsOf("nodes6");
    this.#matchValue = this.#wordsOf("matchValue");
    this.#matchParent = this.#wordsOf("matchParent");
    this.#matchLength = new Uint8Array(buffer, sections.matchLength.byteOffset, sections.matchLength.byteLength);
    this.#valueLists = this.#wordsOf("valueLists");
    this.#expiresAt = this.#timesOf("expiresAt");
    this.#checkLayout();
    this.#shift4 = 32 - this.#headerWord(HEADER_ROOT_BITS_4);
    this.#shift6 = 16 - this.#headerWord(HEADER_ROOT_BITS_6);
    const hosts = hostsIn(this.#header);
    this.#hosts = hosts === null ? null : new Hosts(this.#nodes4, hosts);
  }

  /** The number of distinct matches; ids are 1 .. matchCount. */
  get matchCount(): number {
    return this.#headerWord(HEADER_MATCH_COUNT);
  }

  /** The number of prefixes of a family. */
  prefixCount(family: Family): number {
    return this.#headerWord(family === 4 ? HEADER_PREFIX_COUNT_4 : HEADER_PREFIX_COUNT_6);
  }

  /** Whether any value was given an expiry. Without one, all matches are active at any time. */
  get hasExpiries(): boolean {
    return this.#expiresAt.length > 0;
  }

  /** The number of bytes of all sections, padding included. */
  get byteLength(): number {
    const spans = Object.values(this.sections);
    return (
      Math.max(...spans.map((span) => span.byteOffset + span.byteLength)) -
      Math.min(...spans.map((span) => span.byteOffset))
    );
  }

  /** Looks an address up from text. Throws `AddressError` on malformed text, never answers "no match" for it. */
  lookup(text: string): MatchId {
    const words = this.#words;
    return parseAddressInto(text, words) === 4 ? this.lookup4(words[0]!) : this.#lookupWords6();
  }

  /** Looks up the address in bytes[start, end). Throws `AddressError` when it is malformed. */
  lookupBytes(bytes: Uint8Array, start: number, end: number): MatchId {
    if (!(start >= 0 && start <= end && end <= bytes.length))
      throw new RangeError(`[${start}, ${end}) is not inside the ${bytes.length} bytes`);
    const family = parseAddressBytes(bytes, start, end, this.#words);
    if (family === 4) return this.lookup4(this.#words[0]!);
    if (family === 6) return this.#lookupWords6();
    throw addressErrorOf(family, String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 64))));
  }

  /** Looks up an address from `parseAddress`. Throws `TypeError` for anything else. */
  lookupAddress(address: Address): MatchId {
    if (address.family === 4) return this.lookup4(address.w0);
    if (address.family === 6) return this.lookup6(address.w0, address.w1, address.w2, address.w3);
    throw notAnAddress(address);
  }

  /** Looks up an IPv4 address given as an unsigned 32-bit word. */
  lookup4(word: number): MatchId {
    const host = this.#hosts === null ? -1 : this.#hosts.matchOf(word);
    if (host >= 0) return host as MatchId;
    // 8 to 18 root bits: the shift is by 24 to 14 and leaves an index below the root's length, which `#checkLayout` has
    // compared with the header. `| 0` makes the word signed: larger numbers would be kept on the heap.
    return walk4(this.#nodes4, this.#root4[word >>> this.#shift4]!, word | 0, 32 - this.#shift4) as MatchId;
  }

  /** Looks up an IPv6 address given as four unsigned 32-bit words in network order. */
  lookup6(w0: number, w1: number, w2: number, w3: number): MatchId {
    return walk6(
      this.#nodes6,
      this.#root6[(w0 >>> 16) >>> this.#shift6]!,
      w0 | 0,
      w1 | 0,
      w2 | 0,
      w3 | 0,
      16 - this.#shift6,
    ) as MatchId;
  }

  /**
   * Looks up `count` addresses of one family: `words` holds one word (IPv4) or four (IPv6) per address, `out` receives
   * a match id each (a `MatchId`, stored as a plain number) and may be `words` itself. Throws `RangeError` when either
   * array is too short.
   *
   * With `now` (milliseconds since the Unix epoch) the ids are those of `activeMatch`: what has expired is skipped. The
   * first batch after an expiry has passed takes O(matches) more; without expiries nothing does.
   */
  lookupBatchInto(
    family: Family,
    words: Uint32Array,
    out: Uint32Array,
    count: number = words.length / (family === 4 ? 1 : 4),
    now?: number,
  ): void {
    checkBatch(family, words, out, count);
    const active = now === undefined ? null : this.#activeAt(now);
    if (family === 4) lookupBatch4(this.#root4, this.#nodes4, this.#hosts, words, out, count);
    else lookupBatch6(this.#root6, this.#nodes6, words, out, count);
    if (active !== null) for (let index = 0; index < count; index++) out[index] = active[out[index]!]!;
  }

  /** The most specific match among the prefixes that cover all of `prefix`. */
  lookupPrefix(prefix: Prefix): MatchId {
    // Whatever covers all of the prefix covers its first address, and is in that one's chain.
    let match = this.lookupAddress(prefix);
    while (match !== NO_MATCH && this.prefixLength(match) > prefix.length) match = this.parent(match);
    return match;
  }

  /** The match of exactly this prefix, 0 when the table does not hold it. */
  get(prefix: Prefix): MatchId {
    const match = this.lookupPrefix(prefix);
    return match !== NO_MATCH && this.prefixLength(match) === prefix.length ? match : NO_MATCH;
  }

  /**
   * The length of a match's prefix in bits: `prefixOf(address, length)` of the address looked up is that prefix. O(1).
   * @throws as `parent`
   */
  prefixLength(match: MatchId): number {
    this.#checkMatch(match);
    return this.#matchLength[match]!;
  }

  /**
   * The match of the next less specific covering prefix, 0 for none; O(1).
   * @throws RangeError for 0 and for anything that is not a match id, TableError "bad-match" for an id above
   * `matchCount` or where
   *   the bytes are corrupted
   */
  parent(match: MatchId): MatchId {
    this.#checkMatch(match);
    if (this.#matchParent.length === 0) return NO_MATCH;
    const parent = this.#matchParent[match]!;
    // Parents are the older matches: so every chain ends, whatever the bytes say.
    if (parent < 0 || parent >= match)
      throw new TableError(
        "bad-match",
        "matchParent",
        `match ${match} has the parent ${parent}, which is not an older one`,
      );
    return parent as MatchId;
  }

  /** The first (smallest) value id of a match; O(1). @throws as `parent` */
  value(match: MatchId): ValueId {
    this.#checkMatch(match);
    const word = this.#matchValue[match]!;
    return word >= 0 ? word : this.#list(word)[0]!; // not empty
  }

  /**
   * All value ids that the match's own prefix maps to, ascending; those of its parents are not among them. O(values).
   * @throws as `parent`
   */
  values(match: MatchId): ValueId[] {
    this.#checkMatch(match);
    const word = this.#matchValue[match]!;
    return word >= 0 ? [word] : [...this.#list(word)];
  }

  /**
   * The match and its ancestors, most specific first: one for each prefix that covers the address; empty for "no
   * match". O(nesting). @throws as `parent`
   *
   *     for (const id of table.chain(table.lookup("192.0.2.1"))) console.log(table.prefixLength(id), table.values(id));
   */
  chain(match: MatchId): MatchId[] {
    const chain: MatchId[] = [];
    for (let id = match; id !== 0; id = this.parent(id)) chain.push(id);
    return chain;
  }

  /**
   * The first match of the chain with a value that is active at `now` (milliseconds since the Unix epoch), 0 for none.
   * A value is active until the millisecond of its expiry; one without an expiry always is. O(nesting), however many
   * values there are.
   */
  activeMatch(match: MatchId, now: number): MatchId {
    if (this.#expiresAt.length === 0) return match;
    for (let id = match; id !== NO_MATCH; id = this.parent(id)) if (now < this.#expiresAt[id]!) return id;
    return NO_MATCH;
  }

  /** The values of the match's own prefix that are active at `now`. */
  activeValues(match: MatchId, now: number): ValueId[] {
    const values = this.values(match);
    if (this.#expiresAt.length === 0) return values;
    const word = this.#matchValue[match]!;
    if (word >= 0) return now < this.#expiresAt[match]! ? values : [];
    const first = this.matchCount + 1 + (word & ~VALUE_LIST_FLAG) + 1;
    return values.filter((_, i) => now < (this.#expiresAt[first + i] ?? -Infinity));
  }

  /** The value of the match's own prefix if just one of them is active at `now`; 0 otherwise. O(values). @throws as `parent` */
  onlyActiveValue(match: MatchId, now: number): ValueId {
    this.#checkMatch(match);
    const word = this.#matchValue[match]!;
    if (word >= 0) return this.#expiresAt.length === 0 || now < this.#expiresAt[match]! ? word : 0;
    const values = this.activeValues(match, now);
    return values.length === 1 ? values[0]! : 0;
  }

  /**
   * By match: its only value, if no other prefix covers its own, it is no list, and the value is active at `now`; 0
   * otherwise, and where the bytes are corrupted. O(matches), at a few nanoseconds each.
   */
  onlyActiveValues(now: number): Uint32Array {
    const [values, parents, expiries] = [this.#matchValue, this.#matchParent, this.#expiresAt];
    const hasParents = parents.length > 0;
    const hasExpiries = expiries.length > 0;
    const only = new Uint32Array(this.matchCount + 1);
    for (let match = 1; match < only.length; match++) {
      const word = values[match]!;
      if (word < 0 || (hasParents && parents[match] !== 0) || (hasExpiries && !(now < expiries[match]!))) continue;
      only[match] = word;
    }
    return only;
  }

  /** When each of `values` expires, in their order; Infinity: never. O(values). @throws as `parent` */
  expiriesOf(match: MatchId): number[] {
    const values = this.values(match);
    if (this.#expiresAt.length === 0) return values.map(() => Infinity);
    const word = this.#matchValue[match]!;
    if (word >= 0) return [this.#expiresAt[match]!];
    const first = this.matchCount + 1 + (word & ~VALUE_LIST_FLAG) + 1;
    return values.map((_, i) => this.#expiresAt[first + i] ?? -Infinity);
  }

  /** When values expire, each time at least once, in no order: Infinity for never, with zeros between. Empty without expiries. */
  expiries(): Float64Array {
    return this.#expiresAt.subarray(1);
  }

  /** Every prefix of a family in order (by address, less specific first) with its match. */
  entries(family: Family): Generator<TableEntry> {
    return entriesOf(this.#indexOf(family), this);
  }

  /**
   * How the addresses of a family are indexed: the nodes by kind, their bytes, and the estimated time of a lookup.
   * O(n). @throws TableError for nodes that `freeze` does not write
   */
  layout(family: Family): TableLayout {
    return layoutOf(this.#indexOf(family), this.matchCount);
  }

  /**
   * Walks the whole table, looks every prefix up, and throws `TableError` on anything that `freeze` does not write.
   * O(n).
   */
  checkStructure(): void {
    this.#checkLists();
    this.#checkMatches();
    for (const family of [4, 6] as const) this.#checkEntries(family);
  }

  #activeAt(now: number): Uint32Array | null {
    checkTime(now);
    if (!this.hasExpiries) return null;
    return (this.#activeMatches ??= new ActiveMatches(this)).at(now);
  }

  #headerWord(at: number): number {
    return this.#header[at]!;
  }

  #lookupWords6(): MatchId {
    const words = this.#words;
    return this.lookup6(words[0]!, words[1]!, words[2]!, words[3]!);
  }

  #indexOf(family: Family): FamilyIndex {
    return family === 4
      ? { family, root: this.#root4, nodes: this.#nodes4, hosts: hostsIn(this.#header) }
      : { family, root: this.#root6, nodes: this.#nodes6, hosts: null };
  }

  #list(word: number): Int32Array {
    //     valueLists   ... | count | value | value | ... | count | ...       ascending values
    //                      ^ offset
    // An offset or a count past the end cuts the view short, to nothing at worst: an error below, no read outside.
    const offset = word & ~VALUE_LIST_FLAG;
    const list = this.#valueLists.subarray(offset + 1, offset + 1 + (this.#valueLists[offset] ?? 0));
    if (list.length === 0) throw new TableError("bad-values", "valueLists", `offset ${offset} holds no list`);
    return list;
  }

  #checkMatch(match: number): void {
    if (match >>> 0 === match && match >= 1 && match <= this.matchCount) return;
    if (match === 0) throw new RangeError('match 0 is "no match" and has no prefix; test for it first');
    if (match >>> 0 !== match)
      throw new RangeError(`${match} is not a match id; pass what a lookup of this table returned`);
    throw new TableError(
      "bad-match",
      "matchValue",
      `there is no match ${match} (ids are 1 to ${this.matchCount}, 0 is "no match")`,
    );
  }

  #wordsOf(name: SectionName): Int32Array {
    const { byteOffset, byteLength } = this.sections[name];
    if (byteOffset % 4 !== 0 || byteLength % 4 !== 0)
      throw new TableError("bad-layout", name, "it is not made of whole 32-bit words");
    return new Int32Array(this.buffer, byteOffset, byteLength / 4);
  }

  #timesOf(name: SectionName): Float64Array {
    const { byteOffset, byteLength } = this.sections[name];
    if (byteOffset % 8 !== 0 || byteLength % 8 !== 0)
      throw new TableError("bad-layout", name, "it is not made of whole 64-bit numbers");
    return new Float64Array(this.buffer, byteOffset, byteLength / 8);
  }

  /** The checks that cost nothing: versions and the lengths that follow from the header. */
  #checkLayout(): void {
    const expect = (holds: boolean, section: SectionName, what: string): void => {
      if (!holds) throw new TableError("bad-layout", section, what);
    };
    const header = this.#header;
    expect(header.length === HEADER_WORDS, "header", `${header.length} words instead of ${HEADER_WORDS}`);
    const version = header[HEADER_LAYOUT_VERSION]!;
    if (!READABLE_VERSIONS.includes(version))
      throw new TableError(
        "unsupported-layout",
        "header",
        `version ${version}, this program reads versions ${READABLE_VERSIONS.join(", ")}`,
      );
    expect(
      ROOT_BITS_4.some((bits) => bits === header[HEADER_ROOT_BITS_4]),
      "header",
      `${header[HEADER_ROOT_BITS_4]} root bits for IPv4`,
    );
    expect(
      ROOT_BITS_6.some((bits) => bits === header[HEADER_ROOT_BITS_6]),
      "header",
      `${header[HEADER_ROOT_BITS_6]} root bits for IPv6`,
    );
    expect(this.#root4.length === 2 ** this.#headerWord(HEADER_ROOT_BITS_4), "root4", `${this.#root4.length} slots`);
    expect(this.#root6.length === 2 ** this.#headerWord(HEADER_ROOT_BITS_6), "root6", `${this.#root6.length} slots`);
    const hosts = hostsIn(header);
    if (hosts !== null) this.#checkHosts(hosts);
    const matches = this.matchCount + 1;
    expect(
      matches >= 1 && this.#matchValue.length === matches,
      "matchValue",
      `${this.#matchValue.length} words for ${matches - 1} matches`,
    );
    expect(
      this.#matchLength.length === matches,
      "matchLength",
      `${this.#matchLength.length} bytes for ${matches - 1} matches`,
    );
    const times = this.#expiresAt.length;
    expect(
      times === 0 || times === matches + this.#valueLists.length,
      "expiresAt",
      `${times} times for ${matches - 1} matches and ${this.#valueLists.length} words of lists`,
    );
    expect(
      this.#matchParent.length === matches || this.#matchParent.length === 0,
      "matchParent",
      `${this.#matchParent.length} words for ${matches - 1} matches`,
    );
  }

  #checkHosts(form: HostsForm): void {
    const { buckets, hosts, overflow, match, tags } = form;
    const isPossible =
      buckets >= LEAST_BUCKETS &&
      hosts >= overflow &&
      overflow >= 0 &&
      (tags === 0 ? match >= 1 && match <= this.matchCount : match === 0 && tags >= 2 && tags <= MOST_TAGS);
    if (!isPossible || wordsOfHosts(form) > this.#nodes4.length)
      throw new TableError(
        "bad-layout",
        "header",
        `${buckets} buckets of ${hosts} hosts, ${overflow} of them in the overflow, with match ${match} and ${tags} tags, in ${this.#nodes4.length} words of nodes`,
      );
  }

  /** Lists follow each other without gaps, hold at least two values and ascend. */
  #checkLists(): void {
    const lists = this.#valueLists;
    let at = 0;
    while (at < lists.length) {
      const count = lists[at]!;
      const list = lists.subarray(at + 1, at + 1 + count);
      if (count < 2 || list.length !== count)
        throw new TableError("bad-values", "valueLists", `offset ${at} holds a list of ${count} values`);
      if (list.some((value, i) => value <= (i === 0 ? 0 : list[i - 1]!)))
        throw new TableError("bad-values", "valueLists", `the list at offset ${at} does not hold ascending ids`);
      at += 1 + count;
    }
  }

  /** A match is more specific than its parent, and has a value id or a list that is there. */
  #checkMatches(): void {
    const listStarts = new Set<number>(); // `#checkLists` has made sure that these are all of them
    for (let at = 0; at < this.#valueLists.length; at += 1 + this.#valueLists[at]!) listStarts.add(at);
    for (const match of this.#matches()) {
      const length = this.prefixLength(match);
      const parent = this.parent(match);
      if (length > 128)
        throw new TableError("bad-match", "matchLength", `match ${match} has the prefix length ${length}`);
      if (parent !== 0 && this.prefixLength(parent) >= length)
        throw new TableError(
          "bad-match",
          "matchParent",
          `match ${match} is not more specific than its parent ${parent}`,
        );
      const word = this.#matchValue[match]!;
      if (word === 0) throw new TableError("bad-values", "matchValue", `match ${match} has no value`);
      if (word < 0 && !listStarts.has(word & ~VALUE_LIST_FLAG))
        throw new TableError("bad-values", "valueLists", `no list begins where match ${match} has its values`);
    }
    this.#checkExpiries();
  }

  *#matches(): Generator<MatchId> {
    for (let match = 1; match <= this.matchCount; match++) yield match as MatchId;
  }

  /** Every time is a number, and that of a match with several values is their latest. */
  #checkExpiries(): void {
    const times = this.#expiresAt;
    if (times.some((time) => Number.isNaN(time)))
      throw new TableError("bad-values", "expiresAt", "an expiry is not a number");
    if (times.length === 0) return;
    for (const match of this.#matches()) {
      const word = this.#matchValue[match]!;
      if (word >= 0) continue;
      const first = this.matchCount + 1 + (word & ~VALUE_LIST_FLAG) + 1;
      const latest = times.subarray(first, first + this.values(match).length).reduce((a, b) => Math.max(a, b));
      if (latest !== times[match])
        throw new TableError(
          "bad-values",
          "expiresAt",
          `match ${match} expires at another time than the last of its values`,
        );
    }
  }

  /**
   * The walk and the lookups read the same nodes in different ways, and must agree; and there are as many prefixes as
   * the header says.
   */
  #checkEntries(family: Family): void {
    const stated = this.prefixCount(family);
    let found = 0;
    for (const { prefix, match } of this.entries(family)) {
      // Stop at one too many: one crafted word can stand for as many prefixes as there are addresses.
      if (++found > stated) break;
      if (this.get(prefix) !== match)
        throw new TableError(
          "bad-match",
          "matchParent",
          `a lookup does not find the IPv${family} prefix of match ${match}`,
        );
    }
    if (found !== stated)
      throw new TableError(
        "bad-count",
        "header",
        `the header says ${stated} IPv${family} prefixes, ${found > stated ? "more are" : `${found} are`} found`,
      );
  }
}
