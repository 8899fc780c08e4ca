import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { unpackList } from "../../../src/service/sources/list-text.ts";
import { readNewList } from "../../../src/service/lists/read-list-definition.ts";
import { type Known, readFetchedList, type ReadList } from "../../../src/service/lists/read-fetched-list.ts";
import type { ExternalListDefinition } from "../../../src/store/records/external-list.ts";

const DEFINITION = readNewList({ url: "https://lists.example/drop.txt" });
const NOTHING: Known = { content: null, text: null, accepted: null };

const read = (text: string | Uint8Array, asked: Partial<ExternalListDefinition> = {}, known = NOTHING) =>
  readFetchedList(Buffer.from(text as string), { ...DEFINITION, ...asked }, known);

async function good(list: ReadList): Promise<{ text: string; rejected: unknown; known: Known }> {
  assert.ok("packed" in list, JSON.stringify(list));
  const text = await unpackList(list.packed);
  const { content } = list;
  const known = { content: { ...content, number: 1, at: 0 }, text, accepted: null };
  return { text: Buffer.concat([text[4], text[6]]).toString(), rejected: content.rejected, known };
}

const hosts = (count: number, first = 0): string =>
  Array.from({ length: count }, (_, at) => `198.51.${100 + ((at + first) >> 8)}.${(at + first) & 255}\n`).join("");

test("comments of all kinds, in order, each prefix once; other lines are left out with their numbers", async () => {
  const lines = [
    "# a list",
    "; a list",
    "// a list",
    "2001:db8::/32 // documentation",
    "192.0.2.0/24 ; SBL1",
    "192.0.2.0/25\t# within",
    "",
    "10.0.0.1",
    "192.0.2.0-192.0.2.9",
    "192.0.2.1:443",
    "[2001:db8::1]",
    "192.0.2.7/24",
  ];
  const { text, rejected } = await good(await read(Buffer.from(`\ufeff${lines.join("\r\n")}`)));
  assert.equal(text, "10.0.0.1\n192.0.2.0/24\n192.0.2.0/25\n192.0.2.0/29\n192.0.2.8/31\n2001:db8::/32\n");
  const { count, lines: left } = rejected as { count: number; lines: { line: number; text: string; reason: string }[] };
  assert.deepEqual([count, left.map(({ line }) => line)], [3, [10, 11, 12]]);
  assert.match(left[2]!.reason, /did you mean 192\.0\.2\.0\/24/);
});

test("comments need not be UTF-8; CSV has its columns, NDJSON its properties", async () => {
  const latin = Buffer.from("192.0.2.1 # Universit\xe9\n", "latin1");
  assert.equal((await good(await read(latin))).text, "192.0.2.1\n");
  assert.equal((await good(await read("ip,name\n192.0.2.1,x\n", { format: "csv" }))).text, "192.0.2.1\n");
  assert.equal((await good(await read('{"ip":"192.0.2.1"}\n', { format: "ndjson" }))).text, "192.0.2.1\n");
});

test("texts that are not lists are refused with the reason; a differently written equal list is not a change", async () => {
  const rows: readonly (readonly [string, string | Uint8Array, Partial<ExternalListDefinition>?])[] = [
    ["html", "<!DOCTYPE html>\n192.0.2.1\n"],
    ["html", "\ufeff \n<html><body>Sign in</body></html>"],
    ["empty", ""],
    ["empty", "# nothing today\n"],
    ["unreadable", '{"error":"over quota"}\n'],
    ["unreadable", "192.0.2.1\nno\nlist\n"],
    ["unreadable", gzipSync("192.0.2.1\n".repeat(1000))],
    ["unreadable", "192.0.2.1\n", { format: "csv" }],
    ["too-wide", "192.0.2.1\n0.0.0.0/7\n"],
    ["too-wide", "192.0.2.0/24\n", { min_prefix_v4: 25 }],
    ["too-wide", "2000::/3\n"],
  ];
  for (const [code, text, asked] of rows) {
    const { problem } = (await read(text, asked)) as Extract<ReadList, { problem: unknown }>;
    assert.deepEqual([problem?.kind, problem?.code, problem?.digest], ["refused", code, null], String(text));
    assert.ok(problem.message.length > 10);
  }
  assert.equal((await good(await read("", { allow_empty: true }))).text, "");
  const { known } = await good(await read("192.0.2.1\n192.0.2.2\n"));
  const rejected = { count: 0, lines: [] };
  assert.deepEqual(await read("# again\n192.0.2.2\n192.0.2.1\n", {}, known), { content: null, rejected });
});

test("a list that shrinks or grows too much is refused unless it is accepted; the change names the first entries", async () => {
  const { known } = await good(await read(hosts(40)));
  const half = await read(hosts(20), {}, known);
  assert.ok("packed" in half, "half may go");
  const { added, removed, firstRemoved } = half.content.change!;
  assert.deepEqual([added, removed, firstRemoved.length, firstRemoved[0]], [0, 20, 20, "198.51.100.20"]);
  const refused = (await read(hosts(19), {}, known)) as Extract<ReadList, { problem: unknown }>;
  assert.deepEqual(
    [refused.problem.code, refused.problem.message],
    ["changes", "21 of 40 entries are gone; at most 50 % may change (max_change); review the list, then accept it"],
  );
  assert.ok("packed" in (await read(hosts(19), {}, { ...known, accepted: refused.problem.digest })));
  assert.ok("problem" in (await read(hosts(18), {}, { ...known, accepted: refused.problem.digest })));
  assert.ok("packed" in (await read(hosts(19), { max_change: 60 }, known)));
  assert.ok("problem" in (await read(hosts(40, 30), {}, known)), "other entries are a change, though as many");
  assert.ok("packed" in (await read(hosts(1040), {}, known)), "a thousand more are not");
  assert.ok("problem" in (await read(hosts(1041), {}, known)));
  assert.ok("packed" in (await read(hosts(1), {}, (await good(await read(hosts(19)))).known)), "few may all go");
});
