// oxlint-disable no-control-regex -- a string holds none
/**
 * White space, then one token: a mark, a string, a number or a word. Each loop is over one kind of character, so that
 * none backtracks.
 */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*(")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/**
 * The offset of the first token of a text that cannot stand there in JSON (RFC 8259), its length where something is
 * missing at the end; -1 for JSON. The engine's parser is faster, but does not always say where it stopped.
 */
export function jsonFault(text: string): number {
  const open: string[] = [];
  let expected: "value" | "value or ]" | "key" | "key or }" | ":" | "more" = "value";
  let at = 0;
  for (;;) {
    const start = afterWhite(text, at);
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    const isWhole = open.length === 0 && expected === "more";
    if (found === null) return start === text.length && isWhole ? -1 : start;
    const [, mark, quote] = found;
    const isValue = mark === undefined;
    if (isWhole) return start;
    if (expected === ":") {
      if (mark !== ":") return start;
      expected = "value";
    } else if (expected === "more") {
      if (mark === ",") expected = open.at(-1) === "{" ? "key" : "value";
      else if ((mark === "}" && open.at(-1) === "{") || (mark === "]" && open.at(-1) === "[")) open.pop();
      else return start;
    } else if (expected === "key" || expected === "key or }") {
      if (quote !== undefined) expected = ":";
      else if (mark !== "}" || expected === "key") return start;
      else {
        open.pop();
        expected = "more";
      }
    } else if (isValue) {
      expected = "more";
    } else if (mark === "{" || mark === "[") {
      open.push(mark);
      expected = mark === "{" ? "key or }" : "value or ]";
    } else if (mark === "]" && expected === "value or ]") {
      open.pop();
      expected = "more";
    } else {
      return start;
    }
    at = TOKEN.lastIndex;
  }
}

function afterWhite(text: string, at: number): number {
  while (at < text.length && " \t\n\r".includes(text[at]!)) at++;
  return at;
}

/**
 * The offset of the first key that its object has already, -1 for none. Which of the two counts is the reader's affair,
 * RFC 8259 says, and the engine silently takes the last: prefixes would be lost. `value` is what the text, which is
 * JSON, was parsed to.
 */
export function repeatedKey(text: string, value: unknown): number {
  // Every key has its colon. Where the objects have as many keys as that, none is missing, and nothing has to be read
  // closely.
  if (countColons(text) === countKeys(value)) return -1;
  const open: (Set<string> | null)[] = [];
  let last = 0;
  let key = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) break;
    const mark = found[1];
    if (found[2] !== undefined) [key, last] = [afterWhite(text, at), TOKEN.lastIndex];
    else if (mark === "{") open.push(new Set());
    else if (mark === "[") open.push(null);
    else if (mark === "}" || mark === "]") open.pop();
    else if (mark === ":") {
      const name = JSON.parse(text.slice(key, last)) as string;
      const names = open.at(-1)!;
      if (names.has(name)) return key;
      names.add(name);
    }
  }
  return -1;
}

/**
 * The offset of the value at a path in a text that is JSON, such as `["tags", 2]`; that of the innermost value on the
 * way which is there, where the path leads nowhere. For errors: it reads the text token by token.
 */
export function valueOffset(text: string, path: readonly (string | number)[]): number {
  let at = afterWhite(text, 0);
  for (const step of path) {
    const next = typeof step === "number" ? elementOffset(text, at, step) : memberOffset(text, at, step);
    if (next < 0) return at;
    at = next;
  }
  return at;
}

/** Where the value of a member of the object at `at` begins, -1 without such a member. */
function memberOffset(text: string, at: number, name: string): number {
  for (const [start, end] of parts(text, at, "{")) {
    TOKEN.lastIndex = start;
    TOKEN.exec(text);
    const keyEnd = TOKEN.lastIndex;
    if (keyEnd <= end && JSON.parse(text.slice(start, keyEnd)) === name)
      return afterWhite(text, afterWhite(text, keyEnd) + 1);
  }
  return -1;
}

/** Where an element of the array at `at` begins, -1 without it. */
function elementOffset(text: string, at: number, index: number): number {
  let count = 0;
  for (const [start] of parts(text, at, "[")) if (count++ === index) return start;
  return -1;
}

/** Where the members or elements of what opens at `at` begin and end; none if it is something else. */
function* parts(text: string, at: number, opening: string): Generator<[start: number, end: number]> {
  if (text[at] !== opening) return;
  let depth = 0;
  let start = at;
  for (TOKEN.lastIndex = at; ;) {
    const before = TOKEN.lastIndex;
    const mark = TOKEN.exec(text)?.[1];
    const after = TOKEN.lastIndex;
    if (after === 0) return;
    if (mark === "{" || mark === "[") depth++;
    if (depth === 1 && mark === opening && start === at) start = afterWhite(text, after);
    const isEnd = depth === 1 && (mark === "}" || mark === "]");
    if ((depth === 1 && mark === ",") || isEnd) {
      if (start < before || text[start] !== (opening === "{" ? "}" : "]")) yield [start, before];
      start = afterWhite(text, after);
    }
    if (mark === "}" || mark === "]") depth--;
    if (depth === 0) return;
    TOKEN.lastIndex = after; // whoever asked has used it, too
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

/** The keys of all objects in a value, without recursion: lists of a stranger may be deep. */
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
