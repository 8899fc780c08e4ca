import { jsonErrorAt, repeatedKey } from "./json-positions.ts";

/**
 * Bytes of a group of items that is parsed at once: enough for the engine's parser to be fast, few enough to take a
 * fraction of a millisecond.
 */
const GROUP_BYTES = 16 << 10;
/** Maximum bytes of an item. */
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
  /** Whether the document itself may be the list. */
  readonly isBareAllowed: boolean;
  readonly maxItems: number;
  /** What sets `maxItems`, for the error. */
  readonly setting?: string | undefined;
  readonly maxDepth: number;
}

/** The error of a document. `subject` is the member that it is about: the list, or none in particular. */
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
 * `end`. Items are returned in batches and are not kept. It finds the commas of the list by following strings and
 * brackets, and leaves everything else to the engine's parser, group by group; so it accepts exactly what that parser
 * accepts, except for objects with a repeated member, and for items and other members that are too long. Memory: one
 * group. Time: O(bytes); a step of a generator takes a fraction of a millisecond.
 */
export class JsonListReader {
  readonly #options: JsonListOptions;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** The text before the list, later also the text after it. */
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
  /** The depth inside the brackets of the list; 0 outside the list. */
  #listDepth = 0;
  readonly #endsWithMember: (bytes: Uint8Array) => boolean | undefined;
  /** The offset in the envelope, in characters, at which the items of the list are left out. */
  #listOffset = -1;
  /** Characters of the list that have been parsed, with their commas. */
  #listCharacters = 0;
  #commas = 0;

  constructor(options: JsonListOptions) {
    this.#options = options;
    const name = new TextEncoder().encode(JSON.stringify(options.member));
    this.#endsWithMember = (bytes) => endsWithMember(bytes, name);
  }

  /** Takes the next bytes, cut anywhere; yields batches of items. @throws JsonListError */
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
   * Ends the document. Returns the document without the items: an object whose list is empty, an empty list, or any
   * other value. @throws JsonListError
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
   * Examines only the bytes since the previous bracket, which can decide: examining all previous bytes at each bracket
   * would take quadratic time.
   */
  #opensList(before: Uint8Array): boolean {
    if (this.#depth > 2) return false;
    const opens = this.#depth === 1 ? isBlank : this.#endsWithMember;
    if (this.#depth === 1 && !this.#options.isBareAllowed) return false;
    return opens(before) ?? opens(joined([...this.#envelope, before])) ?? this.#depth === 1;
  }

  #keep(bytes: Uint8Array): void {
    if (this.#listDepth === 0) return this.#addToEnvelope(bytes);
    // A copy, because bytes from a socket are part of a larger buffer.
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
   * The first error of a text that is not JSON and begins at `offset` in the document; `following` is the text after
   * it.
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

/** False if the bytes end with anything other than white space; undefined if the bytes before them decide. */
function isBlank(bytes: Uint8Array): false | undefined {
  return endOfText(bytes, bytes.length) > 0 ? false : undefined;
}

/** Whether the bytes end with a member's name and its colon; undefined if the bytes before them decide. */
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

/** The start of the white space at the end of the bytes before `end`. */
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

/** The error of a list with too many items. */
export function tooManyItems({ maxItems, setting }: Pick<JsonListOptions, "maxItems" | "setting">): string {
  return `must not have more than ${maxItems} items${setting === undefined ? "" : ` (${setting})`}`;
}
