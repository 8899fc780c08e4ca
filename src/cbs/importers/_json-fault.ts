// oxlint-disable no-control-regex -- a string holds none
/** White space, then one token: a mark, a string, a number or a word. Each loop is over one kind of character, so that none backtracks. */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*(")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/**
 * The offset of the first token of a text that cannot stand there in JSON (RFC 8259), its length where something is missing at
 * the end; -1 for JSON. The engine's parser is faster, but does not always say where it stopped.
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
 * The offset of the first key that its object has already, -1 for none. Which of the two counts is the reader's affair, RFC 8259
 * says, and the engine silently takes the last: prefixes would be lost. `value` is what the text, which is JSON, was parsed to.
 */
export function repeatedKey(text: string, value: unknown): number {
  // Every key has its colon. Where the objects have as many keys as that, none is missing, and nothing has to be read closely.
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
