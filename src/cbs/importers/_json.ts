import { quoted } from "../../address/address-error.ts";
import { jsonErrorAt, repeatedKey } from "../../json/json-positions.ts";
import { isRecord } from "../../json/metadata-guards.ts";
import { listText } from "./_text.ts";
import { ImportError } from "./import-error.ts";
import { describeValue } from "./imported-list.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** @throws ImportError "bad-json" with line and column, also for a key that an object has twice; "web-page", "empty" */
export function parseJson(text: string): unknown {
  const content = listText(text);
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (cause) {
    const at = jsonErrorAt(content);
    const found = at === content.length ? "the end" : quoted(content.slice(at, at + 20));
    throw new ImportError(
      "bad-json",
      positionOf(content, at),
      `invalid JSON at ${found}; the list may be truncated or corrupt`,
      { cause },
    );
  }
  const repeated = repeatedKey(content, value);
  if (repeated < 0) return value;
  const problem = `the key ${quoted(content.slice(repeated + 1, repeated + 40).split('"')[0]!)} is a duplicate; keep only one`;
  throw new ImportError("bad-json", positionOf(content, repeated), problem);
}

function positionOf(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

/** @throws ImportError "bad-shape", as all that follow */
export function objectAt(value: unknown, position: string): JsonObject {
  if (isRecord(value)) return value;
  throw new ImportError("bad-shape", position, `expected an object, not ${describeValue(value)}`);
}

export function arrayAt(value: unknown, position: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new ImportError("bad-shape", position, `expected an array, not ${describeValue(value)}`);
}

export function textAt(value: unknown, position: string): string {
  if (typeof value === "string") return value;
  throw new ImportError("bad-shape", position, `expected a string, not ${describeValue(value)}`);
}

/** The objects of an array, each with its position. */
export function* objectsAt(value: unknown, position: string): Generator<[JsonObject, string]> {
  const array = arrayAt(value, position);
  for (let at = 0; at < array.length; at++) yield [objectAt(array[at], `${position}[${at}]`), `${position}[${at}]`];
}

/** The texts of an array, each with its position. */
export function textsAt(value: unknown, position: string): string[] {
  return arrayAt(value, position).map((text, at) => textAt(text, `${position}[${at}]`));
}

/** The position of a member: `$.a`, or `$["a b"]` for a name that is no word. */
export function memberOf(position: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${position}.${name}` : `${position}[${quoted(name)}]`;
}
