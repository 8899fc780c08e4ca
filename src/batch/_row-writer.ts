import { formatAddressInto } from "../address/format-address.ts";
import type { Family } from "../address/address.ts";
import type { RowFormat } from "./identify.ts";

const LF = 0x0a;
const SLASH = 0x2f;
const HOLE = 0x00;
const ADDRESS_HOLE = 255;
/** The longest address and a slash with three digits. */
const HOLE_BYTES = 45 + 4;
/** Below this, a copy by hand is faster than the call of a native one. */
const NATIVE_COPY_FROM = 32;
/** Templates are forgotten and made anew when they take more than this: memory must not grow with the catalogue. */
const TEMPLATE_CACHE_BYTES = 16 * 1024 * 1024;
/** What a cached template takes beside its bytes, about. */
const TEMPLATE_OVERHEAD = 600;

/** The row of a line without an address: empty columns. */
const NO_ADDRESS: Record<RowFormat, string> = {
  tsv: "\t\t\n",
  csv: ",,\n",
  jsonl:
    '{"ip":null,"found":false,"cidr":null,"labels":[],"cbs_ids":[],"providers":[],"types":[],"services":[],"regions":[],"matches":[]}\n',
  append: "\t",
};

/** A template cut at its holes: part, hole, part, ..., hole, part. */
interface Template {
  readonly parts: readonly Uint8Array[];
  readonly holes: readonly number[];
  /** No row of this template is longer (what `append` puts in front not counted). */
  readonly mostBytes: number;
}

/**
 * Writes rows into a buffer by copying the bytes that the match decides and filling in what the address decides.
 * `fits` before `write`; nothing is allocated per row.
 */
export class RowWriter {
  /** Bytes written. */
  at = 0;
  /** What they are written to. */
  buffer: SharedArrayBuffer = new SharedArrayBuffer(0);
  #out: Buffer = Buffer.from(this.buffer);
  readonly #bytesOf: (match: number) => Uint8Array;
  readonly #noAddress: Template;
  readonly #appends: boolean;
  readonly #masked = new Uint32Array(4);
  /** By match id: 1 + the index of its template, 0 while it has none. */
  readonly #slots: Uint32Array;
  #templates: Template[] = [];
  #templateBytes = 0;

  constructor(format: RowFormat, matchCount: number, templates: (match: number) => Uint8Array) {
    this.#bytesOf = templates;
    this.#noAddress = cutTemplate(Buffer.from(NO_ADDRESS[format]));
    this.#appends = format === "append";
    this.#slots = new Uint32Array(matchCount + 1);
  }

  /** Begins to fill a buffer. */
  begin(buffer: SharedArrayBuffer): void {
    this.buffer = buffer;
    this.#out = Buffer.from(buffer);
    this.at = 0;
  }

  /** The template of a match id; -1 is a line without an address. */
  template(match: number): Template {
    if (match < 0) return this.#noAddress;
    const slot = this.#slots[match]!;
    return slot === 0 ? this.#makeTemplate(match) : this.#templates[slot - 1]!;
  }

  #makeTemplate(match: number): Template {
    const template = cutTemplate(this.#bytesOf(match));
    this.#templateBytes += template.mostBytes + TEMPLATE_OVERHEAD;
    if (this.#templateBytes > TEMPLATE_CACHE_BYTES) {
      this.#slots.fill(0);
      this.#templates = [];
      this.#templateBytes = 0;
    }
    this.#slots[match] = this.#templates.push(template);
    return template;
  }

  /** How many bytes a row may take. */
  mostBytes(template: Template, lineBytes: number): number {
    return this.#appends ? template.mostBytes + lineBytes + 1 : template.mostBytes;
  }

  /** Whether that many bytes are left. */
  fits(bytes: number): boolean {
    return this.at + bytes <= this.#out.length;
  }

  /** Writes the row of the line `bytes[start, end)`. */
  write(template: Template, family: Family | 0, words: Uint32Array, bytes: Buffer, start: number, end: number): void {
    let at = this.at;
    const out = this.#out;
    if (this.#appends) {
      at = copyLine(bytes, start, end, out, at);
    }
    const { parts, holes } = template;
    at = copyPart(parts[0]!, out, at);
    for (let index = 0; index < holes.length; index++) {
      const hole = holes[index]!;
      at = hole === ADDRESS_HOLE ? formatAddressInto(family as Family, words, out, at) : this.#writePrefix(family as Family, words, hole, at);
      at = copyPart(parts[index + 1]!, out, at);
    }
    if (this.#appends) out[at++] = LF;
    this.at = at;
  }

  #writePrefix(family: Family, words: Uint32Array, length: number, at: number): number {
    const out = this.#out;
    const masked = this.#masked;
    if (family === 4) {
      masked[0] = length === 0 ? 0 : words[0]! & (-1 << (32 - length));
      at = formatAddressInto(4, masked, out, at);
      if (length === 32) return at;
    } else {
      for (let word = 0; word < 4; word++) {
        const bits = length - 32 * word;
        masked[word] = bits >= 32 ? words[word]! : bits <= 0 ? 0 : words[word]! & (-1 << (32 - bits));
      }
      at = formatAddressInto(6, masked, out, at);
      if (length === 128) return at;
    }
    out[at++] = SLASH;
    if (length > 99) out[at++] = 0x31;
    if (length > 9) out[at++] = 0x30 + (Math.trunc(length / 10) % 10);
    out[at++] = 0x30 + (length % 10);
    return at;
  }
}

function cutTemplate(bytes: Uint8Array): Template {
  const parts: Uint8Array[] = [];
  const holes: number[] = [];
  let from = 0;
  for (let at = bytes.indexOf(HOLE); at >= 0; at = bytes.indexOf(HOLE, from)) {
    parts.push(bytes.subarray(from, at));
    holes.push(bytes[at + 1]!);
    from = at + 2;
  }
  parts.push(bytes.subarray(from));
  return { parts, holes, mostBytes: bytes.length + holes.length * HOLE_BYTES };
}

function copyLine(bytes: Buffer, start: number, end: number, out: Buffer, at: number): number {
  if (end - start >= NATIVE_COPY_FROM) return at + bytes.copy(out, at, start, end);
  while (start < end) out[at++] = bytes[start++]!;
  return at;
}

function copyPart(part: Uint8Array, out: Buffer, at: number): number {
  const length = part.length;
  if (length >= NATIVE_COPY_FROM) {
    out.set(part, at);
  } else {
    for (let index = 0; index < length; index++) out[at + index] = part[index]!;
  }
  return at + length;
}
