import { type Field, LineProblem } from "./imported-rule.ts";

/** A member's value: a string or null. */
export type FlatObject = ReadonlyMap<string, Field | null>;

// oxlint-disable-next-line no-control-regex -- a string holds none
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const WHITE = /[ \t\r]*/y;

/**
 * Reads a line that is a JSON object (RFC 8259) whose values are texts and nulls. Unlike the engine's parser it gives
 * the position of each value, and rejects members other than `names`, and repeated members, of which the engine's
 * parser silently drops the first. @throws LineProblem
 */
export function readFlatObject(line: string, names: readonly string[]): FlatObject {
  const members = new Map<string, Field | null>();
  let at = afterMark(line, 0, "{", "an object begins with {");
  if (line[at] === "}") return ended(line, at + 1, members);
  for (;;) {
    const key = textAt(line, at, "a property name in double quotes");
    if (!names.includes(key.text))
      throw new LineProblem(
        at,
        key.text,
        `unknown member ${JSON.stringify(key.text)}; a rule in a list has ${names.join(", ")}`,
      );
    if (members.has(key.text))
      throw new LineProblem(at, key.text, `duplicate member ${JSON.stringify(key.text)}; remove one of them`);
    at = afterMark(line, key.end, ":", "a colon follows the name of a member");
    if (line.startsWith("null", at)) {
      members.set(key.text, null);
      at = afterWhite(line, at + 4);
    } else {
      const value = textAt(line, at, `a text in double quotes, or null, as the value of ${JSON.stringify(key.text)}`);
      members.set(key.text, { text: value.text, at: at + 1 });
      at = value.end;
    }
    if (line[at] === "}") return ended(line, at + 1, members);
    at = afterMark(line, at, ",", "a comma or } follows a value");
  }
}

function ended(line: string, at: number, members: FlatObject): FlatObject {
  const end = afterWhite(line, at);
  if (end < line.length)
    throw new LineProblem(end, line.slice(end), "only one object per line is allowed; start a new line here");
  return members;
}

function textAt(line: string, at: number, what: string): { text: string; end: number } {
  STRING.lastIndex = at;
  const found = STRING.exec(line);
  if (found === null) throw new LineProblem(at, line.slice(at), `expected ${what}`);
  return { text: JSON.parse(found[0]) as string, end: afterWhite(line, STRING.lastIndex) };
}

/** The offset of the next token after a mark and the white space around it. */
function afterMark(line: string, at: number, mark: string, problem: string): number {
  const found = afterWhite(line, at);
  if (line[found] !== mark) throw new LineProblem(found, line.slice(found), `invalid JSON: ${problem}`);
  return afterWhite(line, found + 1);
}

function afterWhite(line: string, at: number): number {
  WHITE.lastIndex = at;
  WHITE.test(line);
  return WHITE.lastIndex;
}
