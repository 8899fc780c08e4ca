import { createScanner, findNodeAtLocation, type JSONVisitor, parseTree, type SyntaxKind, visit } from "jsonc-parser";

/** jsonc-parser calls itself for every level, and the stack holds about 5,000. No document that is read has 100. */
const MAX_DEPTH = 1000;

/**
 * The offset of the first token that is not valid at its position in JSON (RFC 8259); the length of the text if
 * something is missing at its end; -1 for valid JSON. For a text nested deeper than 1,000 levels, the offset of the
 * first bracket beyond. The engine's parser is faster, but does not always say where it stopped: this is for texts that
 * it rejects.
 */
export function jsonErrorAt(text: string): number {
  let depth = 0;
  let found = -1;
  const stopAt = (offset: number): false => {
    if (found < 0) found = offset;
    throw new Stop();
  };
  const open = (offset: number): void => void (++depth > MAX_DEPTH && stopAt(offset));
  const close = (): void => void depth--;
  const visitor: JSONVisitor = {
    onObjectBegin: open,
    onArrayBegin: open,
    onObjectEnd: close,
    onArrayEnd: close,
    onError: (_error, offset) => void stopAt(offset),
  };
  try {
    visit(text, visitor, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return found;
}

/** Ends a visit, which jsonc-parser does not support otherwise. */
class Stop extends Error {}

// SyntaxKind is a `const enum`, which a source whose types are stripped cannot import.
const OPENING_BRACE = 1 as SyntaxKind;
const CLOSING_BRACE = 2 as SyntaxKind;
const OPENING_BRACKET = 3 as SyntaxKind;
const CLOSING_BRACKET = 4 as SyntaxKind;
const COLON_TOKEN = 6 as SyntaxKind;
const STRING = 10 as SyntaxKind;
const END = 17 as SyntaxKind;

/**
 * The offset of the first repeated key of an object, -1 for none. RFC 8259 leaves open which of the two counts, and the
 * engine silently takes the last: prefixes would be lost. `value` is the parsed text, which is valid JSON.
 */
export function repeatedKey(text: string, value: unknown): number {
  // Every key has its colon. If the objects have as many keys, none was dropped, and the text need not be examined.
  if (countColons(text) === countKeys(value)) return -1;
  const scanner = createScanner(text, true);
  const open: (Set<string> | null)[] = [];
  let key = "";
  let at = 0;
  for (let token = scanner.scan(); token !== END; token = scanner.scan()) {
    if (token === STRING) [key, at] = [scanner.getTokenValue(), scanner.getTokenOffset()];
    else if (token === OPENING_BRACE) open.push(new Set());
    else if (token === OPENING_BRACKET) open.push(null);
    else if (token === CLOSING_BRACE || token === CLOSING_BRACKET) open.pop();
    else if (token === COLON_TOKEN) {
      const names = open.at(-1)!;
      if (names.has(key)) return at;
      names.add(key);
    }
  }
  return -1;
}

/**
 * The offset of the value at a path in a text that is JSON, such as `["tags", 2]`; if the path does not exist, that of
 * the innermost existing value on it. For errors only: it reads the whole text.
 */
export function valueOffset(text: string, path: readonly (string | number)[]): number {
  const root = rootOf(text);
  if (root === undefined) return text.search(/\S/);
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node !== undefined) return node.offset;
  }
  return root.offset;
}

/** Undefined for a text so deep that the stack does not hold it. */
function rootOf(text: string): ReturnType<typeof parseTree> {
  try {
    return parseTree(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** The colons of a JSON text outside its strings. */
function countColons(text: string): number {
  let count = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) isString = !isString;
    else if (character === COLON && !isString) count++;
    else if (character === BACKSLASH) at++;
  }
  return count;
}

/** The keys of all objects in a value, without recursion, because untrusted lists may be deep. */
function countKeys(value: unknown): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const part of inner) if (typeof part === "object") open.push(part);
  }
  return count;
}
