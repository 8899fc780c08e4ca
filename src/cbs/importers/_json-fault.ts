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
