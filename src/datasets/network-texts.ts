import type { TailWriter } from "../batch/engine/create-row-templates.ts";
import { csvField } from "../csv/write-row.ts";
import type { Networks } from "../networks/networks.ts";

const [TAB, LF, SPACE, QUOTE, COMMA, ZERO, DEL] = [0x09, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x7f];
const encoder = new TextEncoder();
/** Names that begin with a letter or a digit are no formulas to a spreadsheet; others are left to the general way. */
const isPlain = (byte: number): boolean =>
  (byte >= ZERO && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);

/** The columns that networks have. */
export type NetworkColumn = "asn" | "network" | "country";

/**
 * Writes the ends of rows: what these columns have, each with its delimiter before it, and a newline; the same as the
 * column renderer writes, with names copied as bytes. The key of a text is the value of a match.
 */
export class NetworkTexts implements TailWriter {
  readonly #networks: Networks;
  readonly #columns: readonly NetworkColumn[];
  readonly #isCsv: boolean;
  readonly #delimiter: number;
  #out: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(networks: Networks, columns: readonly NetworkColumn[], format: "tsv" | "csv") {
    this.#networks = networks;
    this.#columns = columns;
    this.#isCsv = format === "csv";
    this.#delimiter = this.#isCsv ? COMMA : TAB;
  }

  get keyCount(): number {
    return this.#networks.valueCount + 1;
  }

  keyOf(match: number): number {
    return match === 0 ? 0 : this.#networks.table.value(match as never);
  }

  write(key: number, out: Uint8Array, at: number): number {
    const { asn, nameBytes } = key === 0 ? NO_ONE : this.#networks.storedOwner(key);
    // A name of CSV has at most twice its bytes, two quotes, and one before a formula.
    if (at + 2 * nameBytes.length + 64 > out.length) return -1;
    this.#out = out;
    this.#at = at;
    for (const column of this.#columns) {
      out[this.#at++] = this.#delimiter;
      if (key === 0) continue;
      if (column === "asn") this.#number(asn);
      else if (column === "network") this.#name(nameBytes);
      else this.#country(key);
    }
    out[this.#at++] = LF;
    return this.#at;
  }

  #number(number: number): void {
    let digits = 1;
    for (let most = 10; number >= most; most *= 10) digits++;
    this.#at += digits;
    for (let at = this.#at, rest = number; digits > 0; digits--) {
      const next = Math.floor(rest / 10);
      this.#out[--at] = ZERO + rest - 10 * next;
      rest = next;
    }
  }

  #country(value: number): void {
    const { countries } = this.#networks.metadata;
    const first = countries[2 * value - 2]!;
    if (first === 0) return;
    this.#out[this.#at++] = first;
    this.#out[this.#at++] = countries[2 * value - 1]!;
  }

  #name(name: Uint8Array): void {
    const start = this.#at;
    let isSafe = !this.#isCsv || isPlain(name[0] ?? 0);
    for (let at = 0; at < name.length; at++) {
      const byte = name[at]!;
      if (this.#isCsv && (byte === COMMA || byte === QUOTE)) isSafe = false;
      this.#out[this.#at++] = byte < SPACE || byte === DEL ? SPACE : byte;
    }
    if (isSafe) return;
    const field = csvField(new TextDecoder().decode(this.#out.slice(start, this.#at)));
    this.#at = start + encoder.encodeInto(field, this.#out.subarray(start)).written;
  }
}

const NO_ONE = { asn: 0, nameBytes: new Uint8Array(0) };
