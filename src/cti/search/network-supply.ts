import type { Prefix } from "../../address/address.ts";
import { type Grouped, grouping } from "../../table/grouping.ts";
import type { CtiRecord } from "../fields.ts";
import { RowBits } from "./_row-bits.ts";
import { folded, type SearchField } from "./search-fields.ts";
import type { SearchIndex } from "./search-index.ts";

/** Networks, as far as searching asks: `Networks` of the room of that name, for one. */
export interface SearchedNetworks {
  /** Stands for the owner of a prefix; 0 if there is none. */
  valueOf(prefix: Prefix): number;
  owner(value: number): { readonly asn: number; readonly name: string; readonly country: string | null };
  /** Values are 1 to this. */
  readonly valueCount: number;
}

/** Fields that networks know where a document does not, and what of a document must be empty for that. */
const SUPPLIED: Readonly<Partial<Record<keyof CtiRecord, readonly (keyof CtiRecord)[]>>> = {
  asnNumber: ["asnNumber", "asnName"],
  asnName: ["asnNumber", "asnName"],
  countryCode: ["countryCode"],
};

/** Rows or values between two interruptions. */
const STEP = 256;

/** Whether networks say something about this field. */
export function isSupplied(member: keyof CtiRecord): boolean {
  return SUPPLIED[member] !== undefined;
}

/** The networks of the rows whose documents say nothing about them. */
export class NetworkSupply {
  readonly #networks: SearchedNetworks;
  /** By the value of a network, its rows. */
  readonly #rows: Grouped;
  /** Of each field the rows that networks supply. */
  readonly #supplied: ReadonlyMap<keyof CtiRecord, RowBits>;
  /** What owners say in a field, as the field compares it, with the values of those owners. */
  readonly #owners = new Map<keyof CtiRecord, Map<string | number, SuppliedValue>>();

  private constructor(networks: SearchedNetworks, rows: Grouped, supplied: ReadonlyMap<keyof CtiRecord, RowBits>) {
    this.#networks = networks;
    this.#rows = rows;
    this.#supplied = supplied;
  }

  /** Looks up every row that needs it; about half a microsecond each. */
  static *collecting(index: SearchIndex, networks: SearchedNetworks): Generator<undefined, NetworkSupply, undefined> {
    const supplied = new Map<keyof CtiRecord, RowBits>();
    const any = new RowBits(index.rowCount);
    for (const [member, empty] of Object.entries(SUPPLIED) as [keyof CtiRecord, readonly (keyof CtiRecord)[]][]) {
      const bits = new RowBits(index.rowCount);
      for (const each of empty) bits.or(yield* index.rowsWith(each));
      bits.invert();
      supplied.set(member, bits);
      any.or(bits);
    }
    const values = new Uint32Array(index.rowCount);
    let count = 0;
    for (const row of any.rows()) {
      values[row] = networks.valueOf(index.prefixAt(row));
      if (++count % STEP === 0) yield;
    }
    const rows = yield* grouping(networks.valueCount + 1, function* (put) {
      for (let row = 0; row < values.length; row++) {
        // Those without a network are left out.
        if (values[row] !== 0) put(values[row]!, row);
        if (row % (STEP * STEP) === 0) yield;
      }
    });
    return new NetworkSupply(networks, rows, supplied);
  }

  /** Adds the rows for which networks say what fits: one of `exact` as the field compares it, or else what passes `fits`. */
  *adding(
    field: SearchField,
    exact: ReadonlySet<string | number> | null,
    fits: (value: string | number) => boolean,
    to: RowBits,
  ): Generator<undefined, void, undefined> {
    const owners = yield* this.#ownersOf(field);
    const found = exact === null ? owners.values() : [...exact].flatMap((value) => owners.get(value) ?? []);
    let count = 0;
    for (const { value, networks } of found) {
      if (++count % STEP === 0) yield;
      if (exact !== null || fits(value)) yield* this.#eachRow(field, networks, (row) => to.add(row));
    }
  }

  /** How many of these rows have each value that networks supply. */
  *counting(field: SearchField, among: RowBits): Generator<undefined, readonly ValueOfNetworks[], undefined> {
    const counts: ValueOfNetworks[] = [];
    for (const { value, networks } of (yield* this.#ownersOf(field)).values()) {
      let count = 0;
      yield* this.#eachRow(field, networks, (row) => (count += among.has(row) ? 1 : 0));
      if (count > 0) counts.push({ value, count });
      yield;
    }
    return counts;
  }

  *#eachRow(
    { member }: SearchField,
    networks: readonly number[],
    each: (row: number) => void,
  ): Generator<undefined, void, undefined> {
    const supplied = this.#supplied.get(member!)!;
    const { starts, items } = this.#rows;
    for (const value of networks)
      for (let at = starts[value]!; at < starts[value + 1]!; at++) {
        const row = items[at]!;
        if (supplied.has(row)) each(row);
        if (at % 4096 === 0) yield;
      }
  }

  *#ownersOf(field: SearchField): Generator<undefined, ReadonlyMap<string | number, SuppliedValue>, undefined> {
    const member = field.member!;
    const known = this.#owners.get(member);
    if (known !== undefined) return known;
    const owners = new Map<string | number, SuppliedValue>();
    const { starts } = this.#rows;
    for (let network = 1; network <= this.#networks.valueCount; network++) {
      if (network % STEP === 0) yield;
      if (starts[network] === starts[network + 1]) continue;
      const { asn, name, country } = this.#networks.owner(network);
      const value = member === "countryCode" ? country : member === "asnNumber" ? asn : name;
      if (value === null) continue;
      const key = typeof value === "string" ? folded(value, field) : value;
      const owner = owners.get(key);
      if (owner === undefined) owners.set(key, { value, networks: [network] });
      else owner.networks.push(network);
    }
    this.#owners.set(member, owners);
    return owners;
  }
}

interface SuppliedValue {
  /** As the first of its networks writes it. */
  readonly value: string | number;
  readonly networks: number[];
}

/** What networks say, and of how many rows. */
export interface ValueOfNetworks {
  readonly value: string | number;
  readonly count: number;
}
