import type { Address, Prefix } from "../address/address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../address/prefix.ts";
import { MetadataGuards } from "../json/metadata-guards.ts";
import type { MatchId } from "../table/match-id.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { NetworksError } from "./networks-error.ts";
import { StoredNumbers } from "./_stored-numbers.ts";

/** Who announces the addresses of a prefix, and where they are registered. */
export interface NetworkOwner {
  /** The number of the autonomous system. */
  readonly asn: number;
  /** The organisation that the number is registered for. */
  readonly name: string;
  /** ISO 3166-1 alpha-2, as the regional registry says for these addresses; null where it says nothing. */
  readonly country: string | null;
}

/** The network of an address: its owner, and the prefix of the dataset that says so. */
export interface Network extends NetworkOwner {
  readonly cidr: string;
}

/** Where a dataset of networks comes from, and on what terms. */
export interface NetworksSource {
  readonly name: string;
  readonly version: string | null;
  readonly url: string | null;
  readonly license: string;
  readonly attribution: string | null;
  /** ISO 8601, UTC. */
  readonly publishedAt: string | null;
}

/** What a snapshot of the kind "networks" stores besides its table; numbers are little-endian 32-bit words. */
export interface NetworksMetadata {
  readonly format: 1;
  readonly title: string;
  /** ISO 8601, UTC: when the data was published. */
  readonly createdAt: string;
  readonly sources: readonly NetworksSource[];
  /** The AS numbers, ascending. */
  readonly asns: Uint8Array;
  /** Of each AS number the first of its values in the table; they follow one another from 1 on. */
  readonly firstValues: Uint8Array;
  /** Of each value the country: two letters, or two zeros where it is not known. */
  readonly countries: Uint8Array;
  /** The names of all AS numbers, in UTF-8, one after the other, and where each ends. */
  readonly names: Uint8Array;
  readonly nameEnds: Uint8Array;
}

const MAX_ASN = 0xffff_ffff;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The networks of the internet: AS number, organisation and country of every routed prefix. Read in place: opening
 * costs nothing per prefix or AS number. A value of the table stands for an AS number in a country.
 */
export class Networks {
  readonly metadata: NetworksMetadata;
  readonly table: PrefixTable;
  readonly #asns: StoredNumbers;
  readonly #firstValues: StoredNumbers;
  readonly #nameEnds: StoredNumbers;
  /** By value. */
  readonly #owners: (NetworkOwner | undefined)[] = [];

  /** Checks the sizes of the metadata, which may come from an untrusted file. @throws NetworksError "bad-metadata" */
  constructor(metadata: unknown, table: PrefixTable) {
    this.metadata = checkedMetadata(metadata);
    this.table = table;
    const { asns, firstValues, nameEnds } = this.metadata;
    this.#asns = new StoredNumbers(asns);
    this.#firstValues = new StoredNumbers(firstValues);
    this.#nameEnds = new StoredNumbers(nameEnds);
  }

  /** How many AS numbers there are. */
  get asnCount(): number {
    return this.#asns.length;
  }

  /** Values of the table are 1 to this: one for each country of each AS number. */
  get valueCount(): number {
    return this.metadata.countries.length / 2;
  }

  /**
   * The network of an address, or the one that covers all of a prefix; null where none does.
   * @throws AddressError for malformed text, NetworksError for a corrupt file
   */
  lookup(text: string): Network | null {
    return this.networkOf(parsePrefix(text));
  }

  /** As `lookup`, of a parsed address or prefix. @throws NetworksError for a corrupt file */
  networkOf(input: Address | Prefix): Network | null {
    const { table } = this;
    const match = "length" in input ? table.lookupPrefix(input) : table.lookupAddress(input);
    if (match === 0) return null;
    const { asn, name, country } = this.ownerOf(match);
    return { asn, name, country, cidr: formatPrefix(prefixOf(input, table.prefixLength(match))) };
  }

  /** The owner of a match's prefix; the same object at every call. @throws NetworksError, RangeError for match 0 */
  ownerOf(match: MatchId): NetworkOwner {
    return this.owner(this.table.value(match));
  }

  /** What a value of the table stands for. O(log AS numbers) at the first call. @throws NetworksError "unknown-value" */
  owner(value: number): NetworkOwner {
    return (this.#owners[value] ??= this.#makeOwner(value));
  }

  /** The same as it is stored: the name in UTF-8, where it is. @throws NetworksError */
  storedOwner(value: number): { readonly asn: number; readonly nameBytes: Uint8Array } {
    this.#checkValue(value);
    const index = this.#indexOfValue(value);
    return { asn: this.asnAt(index), nameBytes: this.nameBytesAt(index) };
  }

  /** The AS number at an index, from 0, in ascending order. */
  asnAt(index: number): number {
    return this.#asns.at(index);
  }

  /** The index of an AS number, -1 if the dataset does not have it. O(log AS numbers) */
  indexOf(asn: number): number {
    const index = this.#asns.lastNotAbove(asn);
    return index >= 0 && this.#asns.at(index) === asn ? index : -1;
  }

  /** The index of the first AS number that is greater; `asnCount` if none is. O(log AS numbers) */
  indexAfter(asn: number): number {
    return this.#asns.lastNotAbove(asn) + 1;
  }

  /** The name of the AS number at an index. @throws NetworksError "bad-metadata" */
  nameAt(index: number): string {
    try {
      return decoder.decode(new Uint8Array(this.nameBytesAt(index)));
    } catch (error) {
      throw error instanceof NetworksError ? error : badMetadata("names", `name ${index} is not UTF-8`);
    }
  }

  /** The same in UTF-8, where it is stored. @throws NetworksError "bad-metadata" */
  nameBytesAt(index: number): Uint8Array {
    const start = index === 0 ? 0 : this.#nameEnds.at(index - 1);
    const end = this.#nameEnds.at(index);
    const { names } = this.metadata;
    if (start <= end && end <= names.length) return names.subarray(start, end);
    throw badMetadata("nameEnds", `name ${index} ends before it begins`);
  }

  /** The values of the AS number at an index: from the first to before the second. */
  valuesAt(index: number): readonly [from: number, to: number] {
    const last = index + 1 === this.asnCount ? this.valueCount + 1 : this.#firstValues.at(index + 1);
    return [this.#firstValues.at(index), last];
  }

  /** The country of a value, null if it is not known. @throws NetworksError "unknown-value" */
  countryOf(value: number): string | null {
    this.#checkValue(value);
    const { countries } = this.metadata;
    const [first, second] = [countries[2 * value - 2]!, countries[2 * value - 1]!];
    return first === 0 ? null : String.fromCharCode(first, second);
  }

  /** The countries that occur, in order. O(values) */
  countries(): string[] {
    const { countries } = this.metadata;
    const codes = new Set<number>();
    for (let at = 0; at < countries.length; at += 2) codes.add((countries[at]! << 8) | countries[at + 1]!);
    codes.delete(0);
    return [...codes].sort((a, b) => a - b).map((code) => String.fromCharCode(code >> 8, code & 0xff));
  }

  /** Deep check: each number, name and country can be read, and each value of the table. O(matches + values) @throws NetworksError */
  checkContents(): void {
    for (let index = 0; index < this.asnCount; index++) {
      if (index > 0 && this.asnAt(index) <= this.asnAt(index - 1)) throw badMetadata("asns", "they do not ascend");
      const [from, to] = this.valuesAt(index);
      if (from >= to || (index === 0 && from !== 1)) throw badMetadata("firstValues", "they do not ascend from 1 on");
      this.nameAt(index);
    }
    for (let value = 1; value <= this.valueCount; value++) {
      const country = this.countryOf(value);
      if (country !== null && !/^[A-Z]{2}$/.test(country))
        throw badMetadata("countries", `${JSON.stringify(country)} is not a code of two letters`);
    }
    for (let match = 1 as MatchId; match <= this.table.matchCount; match++) {
      const values = this.table.values(match);
      for (const value of values) this.#checkValue(value);
      if (values.length > 1) throw badMetadata("table", "a prefix has two networks");
    }
  }

  #makeOwner(value: number): NetworkOwner {
    const country = this.countryOf(value);
    const index = this.#indexOfValue(value);
    return Object.freeze({ asn: this.asnAt(index), name: this.nameAt(index), country });
  }

  #indexOfValue(value: number): number {
    const index = this.#firstValues.lastNotAbove(value);
    if (index < 0) throw badMetadata("firstValues", "they do not begin with 1");
    return index;
  }

  #checkValue(value: number): void {
    if (Number.isInteger(value) && value >= 1 && value <= this.valueCount) return;
    throw new NetworksError(
      "unknown-value",
      value,
      `the table names network ${value}, but the dataset has ${this.valueCount}; fetch it again with "ipsieve cbs update"`,
    );
  }
}

const guards = new MetadataGuards(badMetadata);

function checkedMetadata(metadata: unknown): NetworksMetadata {
  const record = guards.record(metadata, "metadata");
  const { format, title, createdAt, sources } = record;
  if (format !== 1) throw badMetadata("format", "it is not 1; use the newer version of ipsieve that wrote this file");
  guards.text(title, "title");
  guards.date(guards.text(createdAt, "createdAt"), "createdAt");
  for (const source of guards.list(sources, "sources")) {
    const { name, license } = guards.record(source, "sources");
    guards.text(name, "sources");
    guards.text(license, "sources");
  }
  const checked = metadata as NetworksMetadata;
  const { asns, firstValues, countries, names, nameEnds } = checked;
  for (const [member, bytes] of Object.entries({ asns, firstValues, countries, names, nameEnds }))
    if (!(bytes instanceof Uint8Array)) throw badMetadata(member, "it is not bytes");
  if (asns.length % 4 !== 0 || firstValues.length !== asns.length || nameEnds.length !== asns.length)
    throw badMetadata("asns", "numbers, values and names are not equally many");
  if (countries.length % 2 !== 0) throw badMetadata("countries", "they are not of two letters each");
  return checked;
}

function badMetadata(member: string, what: string): NetworksError {
  return new NetworksError(
    "bad-metadata",
    member,
    `the dataset's ${member} cannot be used: ${what}; fetch it again with "ipsieve cbs update", or install the package again`,
  );
}

/** Whether a number can be an AS number. */
export function isAsn(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= MAX_ASN;
}
