import assert from "node:assert/strict";
import { formatPrefix } from "../../../src/address/prefix.ts";
import { ImportError, type ImportErrorCode } from "../../../src/cbs/importers/import-error.ts";
import type { ImportedList, Importer, Place } from "../../../src/cbs/importers/imported-list.ts";

/** Each entry as `prefix tag tag`, where a tag is `service@region`, or `-` for the provider itself. */
export function entriesOf({ entries }: ImportedList): string[] {
  return entries.map(({ prefix, places }) => [formatPrefix(prefix), ...places.map(locationText)].join(" "));
}

function locationText({ service, region }: Place): string {
  if (service === null && region === null) return "-";
  return region === null ? service!.id : `${service?.id ?? ""}@${region.id}`;
}

/** The names of all services and regions of a list, by their ids. */
export function namesOf({ entries }: ImportedList): Record<string, string> {
  const named = entries
    .flatMap(({ places }) => places.flatMap(({ service, region }) => [service, region]))
    .filter((name) => name !== null);
  return Object.fromEntries(named.map(({ id, name }) => [id, name]));
}

export type BadList = readonly [what: string, text: string, code: ImportErrorCode, position: string];

/** Asserts that a list is rejected with this code at this position, and that the message starts with the position. */
export function assertRefused(importer: Importer, [what, text, code, position]: BadList): void {
  assert.throws(
    () => importer(text),
    (error: unknown) => {
      assert.ok(error instanceof ImportError, `${what}: ${String(error)}`);
      assert.deepEqual([error.code, error.position], [code, position], `${what}: ${error.message}`);
      assert.ok(error.message.startsWith(`${position}: `) && error.message.length < 400, error.message);
      // oxlint-disable-next-line no-control-regex -- they are what it looks for
      assert.doesNotMatch(error.message, /[\u0000-\u001f]/, "a message is one line");
      return true;
    },
    what,
  );
}

/** What a JSON list must not be, whatever its format. */
export const NO_JSON: readonly BadList[] = [
  ["nothing", "", "empty", "line 1"],
  ["white space", " \r\n\t", "empty", "line 1"],
  ["a web page", "\n<!DOCTYPE html><html></html>", "web-page", "line 1"],
  ["a web page behind a byte order mark", "\ufeff<html>", "web-page", "line 1"],
  ["a list cut off", '{"prefixes": [\n  {"ip', "bad-json", "line 2, column 4"],
  ["a comma too many", "[1, 2,\r\n]", "bad-json", "line 2, column 1"],
  ["a key twice", '{"prefixes": [],\n "prefixes": []}', "bad-json", "line 2, column 2"],
  ["a number", "7", "bad-shape", "$"],
  ["null", "null", "bad-shape", "$"],
  ["a text", '"192.0.2.0/24"', "bad-shape", "$"],
];
