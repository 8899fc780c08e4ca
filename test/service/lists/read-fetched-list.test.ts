import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { unpackList } from "../../../src/service/sources/list-text.ts";
import { readListChanges, readNewList } from "../../../src/service/lists/read-list-definition.ts";
import type { ServiceError } from "../../../src/service/service-error.ts";
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

test("addresses of both families count, and a list that grows by more than its share is refused", async () => {
  const hosts6 = (count: number) => Array.from({ length: count }, (_, at) => `2001:db8::${at.toString(16)}\n`).join("");
  assert.equal((await good(await read("192.0.2.1\n2001:db8::1\n"))).text, "192.0.2.1\n2001:db8::1\n");
  const { known } = await good(await read(hosts6(40)));
  assert.ok("packed" in (await read(hosts6(20), {}, known)));
  assert.ok("problem" in (await read(hosts6(19), {}, known)), "of IPv6, too");
  const mixed = (await good(await read(hosts(20) + hosts6(20)))).known;
  assert.ok("problem" in (await read(hosts(19), {}, mixed)));
  const many = (await good(await read(hosts(1001)))).known;
  assert.ok("packed" in (await read(hosts(2002), { max_change: 100 }, many)), "by exactly its share");
  const grown = (await read(hosts(2003), { max_change: 100 }, many)) as Extract<ReadList, { problem: unknown }>;
  assert.equal(
    grown.problem.message,
    "1002 entries are new to 1001; at most 100 % may change (max_change); review the list, then accept it",
  );
  const before = (await good(await read(hosts(3) + hosts6(1)))).known;
  const after = await read(hosts(3, 1) + hosts6(2), {}, before);
  const change = "packed" in after ? after.content.change : undefined;
  assert.deepEqual(change, {
    added: 2,
    removed: 1,
    firstAdded: ["198.51.100.3", "2001:db8::1"],
    firstRemoved: ["198.51.100.0"],
  });
});

test("why a list is refused is said; lines that cannot be read may be left out, but not of one that protects", async () => {
  const refused = async (text: string, asked: Partial<ExternalListDefinition> = {}) =>
    ((await read(text, asked)) as Extract<ReadList, { problem: unknown }>).problem?.message;
  assert.equal(await refused("<html>"), "it is a web page, not a list; open the URL in a browser");
  assert.equal(await refused("#"), "it has no addresses; set allow_empty if that is right");
  assert.match((await refused("192.0.2.1\nno\nlist\n"))!, /^most of its lines cannot be read as text; line 2: \S/);
  assert.match((await refused("1\n", { format: "csv" }))!, /^line \d: \S/);
  assert.equal(await refused("0.0.0.0/7\n"), "it has 0.0.0.0/7; at most a /8 is accepted (min_prefix_v4)");
  assert.equal(await refused("2000::/3\n"), "it has 2000::/3; at most a /19 is accepted (min_prefix_v6)");
  assert.equal(await refused("192.0.2.1\nno\n"), undefined, "as many as can be read");
  assert.match((await refused("192.0.2.1\nno\n", { never_block: true }))!, /line 2: \S/);
});

test("a character that is cut by the end of a piece is read whole", async () => {
  // Wherever the piece of 16 KiB ends, it cuts one of these characters in one of the two lists.
  const line = `x${"é".repeat(200)}`;
  for (const shift of [0, 1]) {
    const before = hosts(20);
    const padding = `#${"-".repeat((1 << 14) - before.length - 12 + shift)}\n`;
    const { rejected } = await good(await read(`${before}${padding}${line}\n`));
    const [left] = (rejected as { lines: { text: string }[] }).lines;
    assert.match(left!.text, /^xé+(…|\.\.\.)?$/);
  }
});

test("a new list has the defaults of its fields; a URL is https, without a user, and no longer than allowed", () => {
  const defaults = {
    active: true,
    description: "",
    format: "text",
    schedule: "60m",
    max_change: 50,
    min_prefix_v4: 8,
    min_prefix_v6: 19,
    allow_empty: false,
    never_block: false,
  };
  assert.deepEqual(DEFINITION, { ...defaults, url: "https://lists.example/drop.txt" });
  assert.deepEqual(readListChanges({ active: false }), { active: false });
  const urlOf = (url: string) => readListChanges({ url }).url;
  assert.equal(urlOf("https://lists.example/a#b"), "https://lists.example/a");
  for (const url of ["http://localhost/", "http://127.0.0.1:8080/a", "http://[::1]/"]) assert.equal(urlOf(url), url);
  const path = (length: number) => `https://l.example/${"x".repeat(length - 18)}`;
  assert.equal(urlOf(path(2000))?.length, 2000);
  const rejected: readonly (readonly [string, RegExp])[] = [
    ["lists.example/a", /is not a URL/],
    ["http://lists.example/", /begin with https:/],
    ["http://128.0.0.1/", /begin with https:/],
    ["ftp://localhost/", /begin with https:/],
    ["https://ann@lists.example/", /no user name/],
    ["https://:secret@lists.example/", /no user name/],
    ["https://lists.example/\ud800", /surrogate/],
    [path(2001), /at most 2000 characters/],
  ];
  for (const [url, reason] of rejected)
    assert.throws(
      () => urlOf(url),
      (error: ServiceError) => error.code === "invalid" && reason.test(error.message),
      url,
    );
});
