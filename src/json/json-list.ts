import { jsonErrorAt, repeatedKey } from "./json-positions.ts";

/**
 * Items are parsed in groups of so many bytes: long enough for the engine's parser to be at its best, short enough to
 * be done in a fraction of a millisecond.
 */
const GROUP_BYTES = 16 << 10;
/** The longest item. */
const MAX_ITEM_BYTES = 64 << 10;
/** Everything in a document except its list. */
const MAX_ENVELOPE_BYTES = 16 << 10;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

export interface JsonListOptions {
  /** The member of the document that is the list. */
  readonly member: string;
  /** Whether the document may be the list itself. */
  readonly isBareAllowed: boolean;
  readonly maxItems: number;
  /** What sets `maxItems`, for the error. */
  readonly setting?: string | undefined;
  readonly maxDepth: number;
}

/** What is wrong with a document. `subject` is the member that it is about: the list, or nothing in particular. */
export class JsonListError extends Error {
  override readonly name = "JsonListError";
  readonly subject: string | null;

  constructor(problem: string, subject: string | null = null) {
    super(problem);
    this.subject = subject;
  }
}

/**
 * Reads a JSON document that is one list, `{"ips": [...], ...}` or `[...]`, while it arrives: `write` each chunk, then
 * `end`. Items come in batches and are not kept. It finds the list's commas by following strings and brackets, and
 * leaves all else to the engine's parser, group by group; so it accepts exactly what that parser accepts, except for
 * objects with a repeated member, and for items and other members that are too long. Memory: one group. Time:
 * O(bytes); a step of a generator takes a fraction of a millisecond.
 */
export class JsonListReader {
  readonly #options: JsonListOptions;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** What stands before the list, then also what stands after it. */
  #envelope: Uint8Array[] = [];
  #envelopeBytes = 0;
  /** The items that have not been parsed yet, the last of which may not have ended. */
  #group: Uint8Array[] = [];
  #groupBytes = 0;
  /** Bytes of the group up to its last comma. */
  #itemStart = 0;
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  /** Of what is inside the list's brackets; 0 outside the list. */
  #listDepth = 0;
  readonly #endsWithMember: (bytes: Uint8Array) => boolean | undefined;
  /** In characters, of the envelope: where the list's items are left out. */
  #listOffset = -1;
  /** Characters of the list that have been parsed, with their commas. */
  #listCharacters = 0;
  #commas = 0;

  constructor(options: JsonListOptions) {
    this.#options = options;
    const name = new TextEncoder().encode(JSON.stringify(options.member));
    this.#endsWithMember = (bytes) => endsWithMember(bytes, name);
  }

  /** Takes the next bytes, cut anywhere; gives batches of items. @throws JsonListError */
  *write(bytes: Uint8Array): Generator<unknown[], void, undefined> {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isString = false;
      } else if (byte === QUOTE) {
        this.#isString = true;
      } else if ((byte | 0x20) === 0x7b) {
        // [ and { differ from ] and } in one bit each: 5b, 7b and 5d, 7d.
        if (++this.#depth > this.#options.maxDepth)
          throw new JsonListError(`is nested deeper than ${this.#options.maxDepth} levels`);
        if (byte === OPENING_BRACKET && this.#listOffset < 0 && this.#opensList(bytes.subarray(start, at))) {
          this.#addToEnvelope(bytes.subarray(start, at + 1));
          this.#listOffset = this.#decode(this.#envelope).length;
          this.#listDepth = this.#depth;
          start = at + 1;
        }
      } else if ((byte | 0x20) === 0x7d) {
        this.#depth--;
        if (this.#listDepth > 0 && this.#depth < this.#listDepth) {
          this.#checkItem(this.#groupBytes + at - start);
          this.#listDepth = 0;
          yield* this.#parseLast(bytes.subarray(start, at), byte);
          start = at;
        }
      } else if (byte === COMMA && this.#depth === this.#listDepth && this.#listDepth > 0) {
        const end = this.#groupBytes + at - start;
        this.#checkItem(end);
        this.#itemStart = end + 1;
        if (++this.#commas >= this.#options.maxItems) throw this.#tooMany();
        if (this.#itemStart > GROUP_BYTES) {
          yield this.#parse(bytes.subarray(start, at), ",");
          start = at + 1;
        }
      }
    }
    this.#keep(bytes.subarray(start));
  }

  /**
   * Ends the document. Gives what it is without the items: an object whose list is empty, an empty list, or whatever
   * else was there.
   * @throws JsonListError
   */
  end(): unknown {
    if (this.#listDepth > 0)
      throw this.#syntaxError(`[${this.#decode(this.#group)}`, this.#listOffset + this.#listCharacters - 1);
    const text = this.#decode(this.#envelope);
    if (text.trim() === "") throw new JsonListError("is empty; a JSON document is required");
    const offsetOf = (at: number): number =>
      this.#listOffset >= 0 && at >= this.#listOffset ? at + this.#listCharacters : at;
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      const at = jsonErrorAt(text);
      throw new JsonListError(unexpected(text[at], offsetOf(at)));
    }
    const repeated = repeatedKey(text, document);
    if (repeated >= 0) throw new JsonListError(standsTwice(offsetOf(repeated)));
    return document;
  }

  /**
   * Looks at the bytes before the bracket that can decide, which are those since the bracket before: all of them, at
   * each bracket, would take the square of the document's length.
   */
  #opensList(before: Uint8Array): boolean {
    if (this.#depth > 2) return false;
    const opens = this.#depth === 1 ? isBlank : this.#endsWithMember;
    if (this.#depth === 1 && !this.#options.isBareAllowed) return false;
    return opens(before) ?? opens(joined([...this.#envelope, before])) ?? this.#depth === 1;
  }

  #keep(bytes: Uint8Array): void {
    if (this.#listDepth === 0) return this.#addToEnvelope(bytes);
    // A copy: what comes from a socket is a part of something larger.
    this.#group.push(bytes.slice());
    this.#groupBytes += bytes.length;
    this.#checkItem(this.#groupBytes);
  }

  /** `end` is where the item ends, or has come to, in bytes of the group. */
  #checkItem(end: number): void {
    if (end - this.#itemStart > MAX_ITEM_BYTES)
      throw new JsonListError(`item ${this.#commas} is longer than ${MAX_ITEM_BYTES} bytes`, this.#options.member);
  }

  #addToEnvelope(bytes: Uint8Array): void {
    this.#envelope.push(bytes.slice());
    this.#envelopeBytes += bytes.length;
    if (this.#envelopeBytes > MAX_ENVELOPE_BYTES)
      throw new JsonListError(`has more than ${MAX_ENVELOPE_BYTES} bytes besides the items of ${this.#options.member}`);
  }

  #parse(last: Uint8Array, following: string): unknown[] {
    const text = this.#decode([...this.#group, last]);
    const offset = this.#listOffset + this.#listCharacters;
    this.#group = [];
    this.#groupBytes = 0;
    this.#itemStart = 0;
    this.#listCharacters += text.length + 1;
    const list = `[${text}]`;
    let items: unknown[];
    try {
      items = JSON.parse(list) as unknown[];
    } catch {
      throw this.#syntaxError(list, offset - 1, following);
    }
    // An item is missing before the comma.
    if (items.length === 0) throw new JsonListError(unexpected(following, offset + text.length));
    const repeated = repeatedKey(list, items);
    if (repeated >= 0) throw new JsonListError(standsTwice(offset - 1 + repeated));
    return items;
  }

  *#parseLast(last: Uint8Array, closing: number): Generator<unknown[], void, undefined> {
    const isEmpty = this.#commas === 0 && this.#decode([...this.#group, last]).trim() === "";
    if (isEmpty) {
      this.#listCharacters = this.#decode([...this.#group, last]).length;
      this.#group = [];
      return;
    }
    if (this.#options.maxItems === 0) throw this.#tooMany();
    const items = this.#parse(last, String.fromCharCode(closing));
    // No comma follows.
    this.#listCharacters--;
    yield items;
  }

  /**
   * The first error of a text that is none of JSON, which stands at `offset` in the document; `following` is what
   * follows the text.
   */
  #syntaxError(text: string, offset: number, following?: string): JsonListError {
    const at = jsonErrorAt(text);
    const isAtEnd = following !== undefined && at >= text.length - 1;
    return new JsonListError(unexpected(isAtEnd ? following : text[at], offset + at));
  }

  #tooMany(): JsonListError {
    return new JsonListError(tooManyItems(this.#options), this.#options.member);
  }

  #decode(parts: readonly Uint8Array[]): string {
    try {
      const last = parts.length - 1;
      return parts.map((part, index) => this.#decoder.decode(part, { stream: index < last })).join("");
    } catch {
      throw new JsonListError("is not valid UTF-8");
    }
  }
}

export function unexpected(character: string | undefined, position: number): string {
  return `invalid JSON: unexpected ${character === undefined ? "end" : JSON.stringify(character)} at position ${position}`;
}

export function standsTwice(position: number): string {
  return `duplicate property at position ${position}; send it once`;
}

/** False for bytes with anything but white space at their end; undefined where what stands before them decides. */
function isBlank(bytes: Uint8Array): false | undefined {
  return endOfText(bytes, bytes.length) > 0 ? false : undefined;
}

/** Whether the bytes end with a member's name and its colon; undefined where what stands before them decides. */
function endsWithMember(bytes: Uint8Array, name: Uint8Array): boolean | undefined {
  let end = endOfText(bytes, bytes.length);
  if (end === 0) return undefined;
  if (bytes[end - 1] !== COLON) return false;
  end = endOfText(bytes, end - 1);
  for (let left = name.length; left > 0; left--, end--) {
    if (end === 0) return undefined;
    if (bytes[end - 1] !== name[left - 1]) return false;
  }
  end = endOfText(bytes, end);
  if (end === 0) return undefined;
  return bytes[end - 1] === COMMA || bytes[end - 1] === OPENING_BRACE;
}

/** Where white space that the bytes before `end` end with begins. */
function endOfText(bytes: Uint8Array, end: number): number {
  while (end > 0 && isWhite(bytes[end - 1]!)) end--;
  return end;
}

function isWhite(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The error for a list that has more items than it may have. */
export function tooManyItems({ maxItems, setting }: Pick<JsonListOptions, "maxItems" | "setting">): string {
  return `must not have more than ${maxItems} items${setting === undefined ? "" : ` (${setting})`}`;
}
