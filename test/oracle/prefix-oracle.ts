import type { Address, Prefix } from "../../src/address/address.ts";

export interface OracleEntry {
  prefix: Prefix;
  values: number[];
}

/**
 * The slow answer to every question about a set of prefixes: a list of bit strings, read from start to end. A prefix is
 * its family and its bits ("4" + "00001010" is 10.0.0.0/8), so that "covers" is `startsWith`, and the order of the
 * strings is the order of prefixes: IPv4 first, by address, the less specific first. Shares no code with src.
 */
export class PrefixOracle {
  #list: { bits: string; prefix: Prefix; values: Set<number> }[] = [];

  get size(): number {
    return this.#list.length;
  }

  insert(prefix: Prefix, value: number): number {
    const before = this.get(prefix);
    this.delete(prefix);
    this.add(prefix, value);
    return before;
  }

  add(prefix: Prefix, value: number): boolean {
    const bits = prefixBits(prefix);
    let item = this.#list.find((candidate) => candidate.bits === bits);
    if (item === undefined) this.#list.push((item = { bits, prefix: { ...prefix }, values: new Set() }));
    if (item.values.has(value)) return false;
    item.values.add(value);
    return true;
  }

  get(prefix: Prefix): number {
    return this.values(prefix)[0] ?? 0;
  }

  has(prefix: Prefix): boolean {
    return this.values(prefix).length > 0;
  }

  values(prefix: Prefix): number[] {
    const bits = prefixBits(prefix);
    return this.#entries((other) => other === bits)[0]?.values ?? [];
  }

  delete(prefix: Prefix): boolean {
    const bits = prefixBits(prefix);
    const before = this.#list.length;
    this.#list = this.#list.filter((item) => item.bits !== bits);
    return this.#list.length < before;
  }

  remove(prefix: Prefix, value: number): boolean {
    const bits = prefixBits(prefix);
    const removed = this.#list.find((item) => item.bits === bits)?.values.delete(value) ?? false;
    this.#list = this.#list.filter((item) => item.values.size > 0);
    return removed;
  }

  lookup(address: Address): number {
    return this.matches(address).at(-1)?.values[0] ?? 0;
  }

  lookupPrefix(address: Address): Prefix | undefined {
    return this.matches(address).at(-1)?.prefix;
  }

  /** Every prefix that covers an address, least specific first. */
  matches(address: Address): OracleEntry[] {
    const bits = addressBits(address);
    return this.#entries((other) => bits.startsWith(other));
  }

  covering(prefix: Prefix): OracleEntry[] {
    const bits = prefixBits(prefix);
    return this.#entries((other) => bits.startsWith(other));
  }

  covered(prefix: Prefix): OracleEntry[] {
    const bits = prefixBits(prefix);
    return this.#entries((other) => other.startsWith(bits));
  }

  [Symbol.iterator](): Iterator<OracleEntry> {
    return this.#entries(() => true).values();
  }

  /** What a walk over `covered(within)` must return next if its last prefix was `last`. */
  nextCovered(within: Prefix, last: Prefix | undefined): OracleEntry | undefined {
    return this.covered(within).find(({ prefix }) => last === undefined || prefixBits(prefix) > prefixBits(last));
  }

  /** What a walk over `covering(within)` must return next if its last prefix was `last`. */
  nextCovering(within: Prefix, last: Prefix | undefined): OracleEntry | undefined {
    return this.covering(within).find(({ prefix }) => last === undefined || prefix.length > last.length);
  }

  #entries(wanted: (bits: string) => boolean): OracleEntry[] {
    return this.#list
      .filter((item) => wanted(item.bits))
      .sort((a, b) => (a.bits < b.bits ? -1 : 1))
      .map(({ prefix, values }) => ({ prefix, values: [...values].sort((a, b) => a - b) }));
  }
}

/** The family and all bits of an address, as text. */
export function addressBits({ family, w0, w1, w2, w3 }: Address): string {
  const words = family === 4 ? [w0] : [w0, w1, w2, w3];
  return family + words.map((word) => word.toString(2).padStart(32, "0")).join("");
}

/** The family and the bits of a prefix, as text. */
export function prefixBits(prefix: Prefix): string {
  return addressBits(prefix).slice(0, 1 + prefix.length);
}
