/**
 * The simplest answer to "which rule decides": all addresses of a small world are in a row, and the active rules are
 * painted over them, shorter prefixes first. What an address shows at the end is the length of the prefix that decides.
 * Shares no code with what it checks.
 */
export class PaintedRules {
  readonly #bits: number;
  /** Ascending. */
  readonly #addresses: readonly bigint[];
  /** By prefix, as text: its start and end in the row, its length, and when its rule expires. */
  readonly #rules = new Map<string, { from: number; to: number; length: number; expiresAt: number }>();

  constructor(bits: number, addresses: readonly bigint[]) {
    this.#bits = bits;
    this.#addresses = addresses;
  }

  set(first: bigint, length: number, expiresAt: number | null): void {
    const end = first + (1n << BigInt(this.#bits - length));
    const expiry = expiresAt ?? Number.POSITIVE_INFINITY;
    this.#rules.set(`${first}/${length}`, { from: this.#at(first), to: this.#at(end), length, expiresAt: expiry });
  }

  delete(first: bigint, length: number): void {
    this.#rules.delete(`${first}/${length}`);
  }

  /** For each address the length of the prefix that decides at `now`, 255 if none does. O(rules + addresses). */
  lengthsAt(now: number): Uint8Array {
    const row = new Uint8Array(this.#addresses.length).fill(255);
    const active = [...this.#rules.values()].filter(({ expiresAt }) => now < expiresAt);
    for (const { from, to, length } of active.sort((a, b) => a.length - b.length)) row.fill(length, from, to);
    return row;
  }

  /** The position of the first address that is not below this one. */
  #at(address: bigint): number {
    let [low, high] = [0, this.#addresses.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#addresses[middle]! < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
