const encoder = new TextEncoder();

const POINTER = 1;
const TEXT = 2;
const MAP = 7;
const ARRAY = 11;
const BOOLEAN = 14;
const NUMBERS = { uint16: 5, uint32: 6, uint64: 9 } as const;

/** The value of a member: text, a number below 2^32, a boolean, a list, or a map. */
export type MmdbValue = string | number | boolean | readonly MmdbValue[] | MmdbMap;
export interface MmdbMap {
  readonly [member: string]: MmdbValue;
}

/** The members whose number has 16 bits; readers with types, such as Java's, take others as 32. */
const SHORT_NUMBERS: ReadonlySet<string> = new Set(["prefix_length"]);

/** Texts and lists that are remembered: a million names that differ would take a gigabyte. */
const MAX_SHARED = 100_000;

/**
 * Writes the data section of a MaxMind DB. A value begins with a byte of its type (3 bits; 0: the next byte has it,
 * less 7) and its size (5 bits; 29, 30, 31: one, two, three more bytes have it). A text or list of texts that was
 * written before becomes a pointer.
 */
export class MmdbData {
  readonly #sharesTexts: boolean;
  readonly #offsets = new Map<string, number>();
  #bytes = new Uint8Array(4096);
  #end = 0;

  constructor({ sharesTexts = true }: { sharesTexts?: boolean } = {}) {
    this.#sharesTexts = sharesTexts;
  }

  get byteLength(): number {
    return this.#end;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Writes a map; returns where it begins. */
  addRecord(map: MmdbMap): number {
    // A pointer may not lead to a pointer, and neither may the tree: so a record is always a map.
    const start = this.#end;
    this.#map(map);
    return start;
  }

  mapOf(size: number): this {
    return this.#head(MAP, size);
  }

  arrayOf(size: number): this {
    return this.#head(ARRAY, size);
  }

  text(text: string): this {
    if (this.#pointTo(`t${text}`)) return this;
    const bytes = encoder.encode(text);
    this.#head(TEXT, bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
    return this;
  }

  /** In as few bytes as it takes: 0 has none. */
  number(value: number, type: keyof typeof NUMBERS): this {
    const bytes: number[] = [];
    for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
    return this.#head(NUMBERS[type], bytes.length).#put(...bytes);
  }

  #map(map: MmdbMap): void {
    const members = Object.entries(map);
    this.mapOf(members.length);
    for (const [name, value] of members) {
      this.text(name);
      this.#value(value, SHORT_NUMBERS.has(name) ? "uint16" : "uint32");
    }
  }

  #value(value: MmdbValue, numbers: keyof typeof NUMBERS): void {
    if (typeof value === "string") this.text(value);
    else if (typeof value === "number") this.number(value, numbers);
    else if (typeof value === "boolean") this.#head(BOOLEAN, value ? 1 : 0);
    else if (isList(value)) this.#list(value);
    else this.#map(value);
  }

  #list(values: readonly MmdbValue[]): void {
    if (this.#pointTo(`l${JSON.stringify(values)}`)) return;
    this.arrayOf(values.length);
    for (const value of values) this.#value(value, "uint32");
  }

  /** Writes a pointer to what was written under this key; if nothing was, keeps the offset of what comes now. */
  #pointTo(key: string): boolean {
    if (!this.#sharesTexts) return false;
    const offset = this.#offsets.get(key);
    if (offset === undefined) {
      if (this.#offsets.size < MAX_SHARED) this.#offsets.set(key, this.#end);
      return false;
    }
    this.#pointer(offset);
    return true;
  }

  /** 3 bits of type, 2 of size, and 11, 19, 27 or 32 of the offset, which counts from where the shorter form ends. */
  #pointer(offset: number): void {
    const head = POINTER << 5;
    if (offset < 2048) this.#put(head | (offset >> 8), offset);
    else if (offset < 526_336)
      this.#put(head | (1 << 3) | ((offset - 2048) >> 16), (offset - 2048) >> 8, offset - 2048);
    else if (offset < 134_744_064)
      this.#put(
        head | (2 << 3) | ((offset - 526_336) >> 24),
        (offset - 526_336) >> 16,
        (offset - 526_336) >> 8,
        offset - 526_336,
      );
    else this.#put(head | (3 << 3), offset >>> 24, offset >>> 16, offset >>> 8, offset);
  }

  #head(type: number, size: number): this {
    const [short, more] =
      size < 29
        ? [size, []]
        : size < 285
          ? [29, [size - 29]]
          : size < 65_821
            ? [30, [(size - 285) >> 8, size - 285]]
            : [31, [(size - 65_821) >> 16, (size - 65_821) >> 8, size - 65_821]];
    if (type < 8) return this.#put((type << 5) | (short as number), ...(more as number[]));
    return this.#put(short as number, type - 7, ...(more as number[]));
  }

  #put(...bytes: number[]): this {
    this.#reserve(bytes.length);
    for (const byte of bytes) this.#bytes[this.#end++] = byte;
    return this;
  }

  #reserve(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#end + more));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
  }
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: readonly MmdbValue[] | MmdbMap): value is readonly MmdbValue[] {
  return Array.isArray(value);
}
