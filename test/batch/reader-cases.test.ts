import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BatchError } from "../../src/batch/batch-error.ts";
import type { IdentifyOptions } from "../../src/batch/identify-options.ts";
import type { IdentifyResult } from "../../src/batch/identify-result.ts";
import { identify } from "../../src/batch/identify.ts";
import { ENGINE, makeSnapshot, RENDERER, temporaryFolder } from "./fixture.ts";

const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);
const MARK = "\u{feff}";

async function run(
  text: string,
  options: Partial<IdentifyOptions> = {},
  name = "a.log",
): Promise<{ rows: string; result: IdentifyResult }> {
  const path = join(folder, name);
  const output = join(folder, "rows");
  writeFileSync(path, text);
  const result = await identify({
    inputs: [path],
    snapshot,
    engine: ENGINE,
    format: "tsv",
    renderer: RENDERER,
    output: { path: output },
    ...options,
  });
  return { rows: options.format === "none" ? "" : readFileSync(output, "utf8"), result };
}

async function addresses(text: string, options: Partial<IdentifyOptions>, name?: string): Promise<string[]> {
  const { rows } = await run(text, options, name);
  return rows
    .split("\n")
    .slice(0, -1)
    .map((row) => row.split("\t")[0]!)
    .filter((address) => address !== "ip");
}

async function failure(text: string, options: Partial<IdentifyOptions>): Promise<BatchError> {
  return run(text, options).then(
    () => assert.fail("no error"),
    (error: BatchError) => error,
  );
}

test("columns count from 1 to 1,000,000, whatever a 32-bit number makes of others", async () => {
  const lines = "1.1.1.1\tfoo\n".repeat(10);
  for (const field of [0, -1, 1.5, 1_000_001, 2 ** 31 + 1, 2 ** 32 + 1, 2 ** 53])
    for (const fieldSyntax of ["tsv", "csv", "space"] as const) {
      const error = await failure(lines, { field, fieldSyntax });
      assert.equal(error.code, "field-unusable");
      assert.match(error.message, /1 to 1,000,000/);
    }
  assert.deepEqual(await addresses(lines, { field: 1_000_000, fieldSyntax: "tsv" }), Array(10).fill(""));
});

test("a byte order mark is no part of a field, in any syntax", async () => {
  for (const [text, options] of [
    ["1.1.1.1\tfoo\n", { field: 1 }],
    ["1.1.1.1 foo\n", { field: 1 }],
    ["1.1.1.1,foo\n", { field: 1 }],
    ['"1.1.1.1",foo\n', { field: 1 }],
    ["ip\tx\n1.1.1.1\tfoo\n", { field: "ip" }],
    ["ip x\n1.1.1.1 foo\n", { field: "ip" }],
    ["# a comment\nip,x\n1.1.1.1,foo\n", { field: "ip" }],
    ["#Fields: ip x\n1.1.1.1 foo\n", { field: "ip" }],
    ["ip=1.1.1.1 x=2\n", { field: "ip" }],
    ['{"ip":"1.1.1.1"}\n', { field: "ip" }],
    ['[{"ip":"1.1.1.1"}]\n', { field: "ip" }],
    ["1.1.1.1 foo\n", {}],
  ] as [string, Partial<IdentifyOptions>][]) {
    const found = (all: readonly string[]) => all.filter((address) => address !== "");
    assert.deepEqual(found(await addresses(text, options)), ["1.1.1.1"], text);
    assert.deepEqual(found(await addresses(MARK + text, options)), ["1.1.1.1"], `with a mark: ${text}`);
  }
});

test("peers with ports in a column", async () => {
  const text = "n,peer\n1,2001:db8::1:54321\n2,::ffff:198.51.100.17:8080\n3,2001:db8:1:2:3:4:5:6:8080\n4,1.2.3.4.80\n";
  assert.deepEqual(await addresses(text, { field: "peer" }), [
    "2001:db8::1",
    "198.51.100.17",
    "2001:db8:1:2:3:4:5:6",
    "1.2.3.4",
  ]);
});

test("a first record with what is written for nothing is data, names are a header", async () => {
  const { rows, result } = await run(
    "alice,login,unknown\nbob,login,198.51.100.7\n",
    { field: 3, format: "append" },
    "a.csv",
  );
  assert.equal(result.lines, 2);
  assert.match(rows, /^alice,login,unknown,/);
  assert.equal((await run("user,what,ip\nbob,login,198.51.100.7\n", { field: 3 }, "a.csv")).result.lines, 1);
  assert.equal((await run("bob,login,198.51.100.7\n", { field: 3 }, "a.csv")).result.lines, 1);
});

test("values of keys, in all the ways in which programs write them", async () => {
  for (const [line, address] of [
    ["src=192.0.2.1 dst=10.0.0.1", "192.0.2.1"],
    ['src="192.0.2.1"', "192.0.2.1"],
    ["src=[2001:db8::1]:443 x=1", "2001:db8::1"],
    ["src=192.0.2.1:80, dst=10.0.0.1", "192.0.2.1"],
    ["(src=192.0.2.1;dst=10.0.0.1", "192.0.2.1"],
    ["a|src=192.0.2.1|dst=10.0.0.1", "192.0.2.1"],
    ["xsrc=10.0.0.1 my.src=10.0.0.2 src=192.0.2.1", "192.0.2.1"],
    ["src=192.0.2.1, 10.0.0.1 x=1", "192.0.2.1"],
    ['msg="a \\"src=10.0.0.1\\" b" src=192.0.2.1', "192.0.2.1"],
    ['msg="GET /?src=8.8.8.8" src=192.0.2.1', "192.0.2.1"],
    ["CEF:0|V|P|1|9|blocked src=8.8.8.8 here|5|src=192.0.2.1 dst=10.0.0.1", "192.0.2.1"],
    ["CEF:0|V|P|1|9|n|5|request=http://h/?a&src=8.8.8.8 src=192.0.2.1", "192.0.2.1"],
    ["LEEF:1.0|V|P|1|1|cat=a#011src=192.0.2.1#011dst=10.0.0.1", "192.0.2.1"],
    ["LEEF:2.0|V|P|1|1|^|dst=10.0.0.1^src=192.0.2.1^x=1", "192.0.2.1"],
    ["a\\tsrc=192.0.2.1\\tb", "192.0.2.1"],
    ["INFO \u001b[36msrc\u001b[0m=192.0.2.1", "192.0.2.1"],
    ["INF \u001b[36msrc=\u001b[0m192.0.2.1 x", "192.0.2.1"],
    ["src=192.0.2.1\u001b[0m", "192.0.2.1"],
    ["[src=192.0.2.1] x", "192.0.2.1"],
    ["date=1,src=192.0.2.1,dst=10.0.0.1", "192.0.2.1"],
    ["type=X msg='op=PAM src=192.0.2.1 res=ok'", "192.0.2.1"],
    ['src="for=\\"[2001:db8::7]:443\\";proto=https" x', "2001:db8::7"],
    ['src=for="[2001:db8::7]:443";proto=https', "2001:db8::7"],
    ["src=unknown 192.0.2.1", ""],
    ["src= 192.0.2.1", ""],
    ["src:192.0.2.1", ""],
  ] as const)
    assert.deepEqual(await addresses(`src=1.1.1.1\n${line}\n`, { field: "src" }), ["1.1.1.1", address], line);
  assert.deepEqual(await addresses("src=1.1.1.1, 2.2.2.2 x=1\n", { field: "src", address: "last" }), ["2.2.2.2"]);
});

test("elements of Forwarded have quoted parts, and ports that are names", async () => {
  for (const [value, address] of [
    ['host="a;for=8.8.8.8";for=198.51.100.7', "198.51.100.7"],
    ['host="a,b";for=198.51.100.7', "198.51.100.7"],
    ['for="198.51.100.7:_p"', "198.51.100.7"],
    ['for="[2001:db8::7]:_http";proto=https, for=8.8.8.8', "2001:db8::7"],
    ["for=_hidden, for=8.8.8.8", ""],
  ] as const)
    assert.deepEqual(await addresses(`${JSON.stringify({ f: value })}\n`, { field: "f" }), [address], value);
});

test("text of another encoding, or whose lines end with CR alone, is refused", async () => {
  for (const text of ["198.51.100.7 a\r203.0.113.9 b\r", "a,ip\r1,8.8.8.8\r2,1.1.1.1\r"])
    assert.equal((await failure(text, {})).code, "input-encoding");
  assert.equal((await run("8.8.8.8\r", {})).result.addresses, 1);
  const path = join(folder, "utf16.log");
  writeFileSync(path, Buffer.from("8.8.8.8 a\n1.1.1.1 b\n", "utf16le"));
  await assert.rejects(
    identify({ inputs: [path], snapshot, engine: ENGINE, format: "none" }),
    (error) => error instanceof BatchError && error.code === "input-encoding",
  );
});

test("columns of Zeek are separated as #separator says", async () => {
  const head = (separator: string, mark: string): string =>
    `#separator ${separator}\n#fields${mark}ts${mark}id.orig_h\n1.0${mark}198.51.100.7\n`;
  for (const [separator, mark] of [
    ["\\x09", "\t"],
    ["\\x2c", ","],
    ["\\x20", " "],
  ] as const)
    assert.ok((await addresses(head(separator, mark), { field: "id.orig_h" })).includes("198.51.100.7"), separator);
  assert.equal((await failure(head("\\x7c", "|"), { field: "id.orig_h" })).code, "field-unusable");
});

test("names of columns that change within a log are an error with their line", async () => {
  const head = "#Fields: time c-ip s-ip\n";
  const lines = "t 192.0.2.1 10.0.0.1\n".repeat(1000);
  assert.equal((await run(head + lines + head + lines, { field: "c-ip" })).result.addresses, 2000);
  const error = await failure(`${head}${lines}#Fields: time s-ip c-ip\nt 10.0.0.1 192.0.2.1\n`, { field: "c-ip" });
  assert.deepEqual([error.code, error.line], ["fields-differ", 1002]);
  assert.equal((await failure(head + lines, { field: "ip" })).code, "field-missing");
  assert.equal((await failure(`${head}${lines}${MARK}#Fields: s-ip c-ip\n`, { field: "c-ip" })).code, "fields-differ");
});

test("several objects on a line are as many records, wherever the line is", async () => {
  const one = '{"ip":"192.0.2.1"}\n';
  const several = '{"ip":"1.1.1.1"}{"x":"}{","ip":"2.2.2.2"}{"ip":"3.3.3.3"}\n';
  for (const before of [0, 1, 5000]) {
    const text = one.repeat(before) + several + one;
    const expected = [...Array<string>(before).fill("192.0.2.1"), "1.1.1.1", "2.2.2.2", "3.3.3.3", "192.0.2.1"];
    assert.deepEqual(await addresses(text, { field: "ip" }), expected);
    assert.equal((await run(text, { field: "ip", format: "none" })).result.lines, before + 4);
    const { rows } = await run(text, { field: "ip", format: "append", appendAs: "ids" });
    assert.equal(rows.split("\n").length, before + 5);
    for (const row of rows.trimEnd().split("\n")) JSON.parse(row);
    const documents = (await run(text, { field: "ip", format: "jsonl" })).rows.trimEnd().split("\n");
    assert.deepEqual(documents.map((row) => (JSON.parse(row) as { line: number }).line).slice(before), [
      before + 1,
      before + 1,
      before + 1,
      before + 2,
    ]);
  }
});

test("without a field, the first line of several objects shows that records are objects", async () => {
  assert.deepEqual(await addresses('{"ip":"1.1.1.1"}{"ip":"2.2.2.2"}\n{"ip":"3.3.3.3"}\n', {}), [
    "1.1.1.1",
    "2.2.2.2",
    "3.3.3.3",
  ]);
});

test("records in an array are read behind a byte order mark, in files of any size, whatever the first one has", async () => {
  const ips = (text: string) => addresses(text, { field: "ip" });
  const two = '[{"ip":"8.8.8.8"},{"ip":"1.1.1.1"}]';
  for (const text of [
    two,
    `{"Records":${two}}`,
    '{"ip":"8.8.8.8"} {"ip":"1.1.1.1"}',
    JSON.stringify(JSON.parse(two), null, 1),
  ])
    for (const front of ["", MARK, "  "])
      assert.deepEqual(await ips(`${front}${text}\n`), ["8.8.8.8", "1.1.1.1"], front + text);
  assert.deepEqual(await ips('{"Records":[{"e":1},{"ip":"8.8.8.8"}]}\n'), ["", "8.8.8.8"]);
  for (const count of [20, 3000]) {
    const text = `{"Records":[\n${'{"ip":"8.8.8.8","n":"000000000000000000"},\n'.repeat(count)}{"ip":"1.1.1.1"}\n]}\n`;
    assert.equal((await run(text, { field: "ip" })).result.addresses, count + 1);
  }
  // Events that have arrays are events, not arrays.
  const events = '{"id":1,"items":[{"src":"8.8.8.8"}]}\n{"id":2,"items":7}\n{"id":3}\n';
  assert.equal((await run(events, { field: "src" })).result.lines, 3);
  assert.equal((await run('{"a":[{"ip":"8.8.8.8"}],"b":[{"ip":"1.1.1.1"}]}\n', { field: "ip" })).result.lines, 1);
  assert.equal((await run('{"Findings":[{"ip":"8.8.8.8"},{"ip":"1.1.1.1"}],"NextToken":"x"}\n', {})).result.lines, 2);
  for (const text of [two.slice(0, -1), `{"Records":${two},"x":`, '{"Records":[{"ip":"8.8.8.8"},{"ip":"1'])
    assert.equal((await failure(text, { field: "ip" })).code, "stream-truncated", text);
});

test("what is no object, and text behind a closing quote, is counted as malformed in every mode", async () => {
  const good = '{"ip":"192.0.2.1"}\n';
  const text = `${good.repeat(2000)}nonsense 8.8.8.8\n\n{"ip":"192.0.2.1"\n${good}`;
  const table = `ip,note\n${"192.0.2.1,x\n".repeat(2000)}"192.0.2.2"x,y\n192.0.2.3,"5" disk\n`;
  for (const format of ["none", "tsv", "csv", "jsonl"] as const) {
    const { result } = await run(text, { field: "ip", format });
    const found = result.malformedLines.map(({ line, reason }) => `${line} ${reason}`);
    assert.deepEqual([result.malformed, found], [2, ["2001 not-an-object", "2003 not-an-object"]], format);
    const { result: records } = await run(table, { field: "ip", format }, "a.csv");
    assert.deepEqual(
      records.malformedLines.map(({ line, column, reason }) => `${line}:${column} ${reason}`),
      ["2002:12 text-after-quotes", "2003:14 text-after-quotes"],
      format,
    );
    assert.deepEqual([records.lines, records.addresses], [2002, 2000]);
  }
});

test("a quote that swallows lines up to another's is malformed, never one event of three", async () => {
  const text = 'ip,note\n1.1.1.1,"5 disk\n2.2.2.2,x\n3.3.3.3,6" disk\n4.4.4.4,y\n';
  const { rows, result } = await run(text, { field: "ip" }, "a.csv");
  assert.deepEqual(rows.match(/^\d[\d.]+/gm), ["4.4.4.4"]);
  assert.deepEqual(
    result.malformedLines.map(({ line, reason }) => `${line} ${reason}`),
    ["2 text-after-quotes"],
  );
});

test("a private address that nearly all lines begin with is said, if they have others", async () => {
  const said = async (text: string, options: Partial<IdentifyOptions> = {}): Promise<string | null> =>
    (await run(text, options)).result.repeatedAddress?.address ?? null;
  const line = "2026-10-01 00:00:06 10.18.21.9 GET /x - 443 - 192.0.2.68 Mozilla/5.0 200\n";
  assert.equal(await said(`#Software: x\n${line}`), "10.18.21.9");
  assert.equal(await said(line.repeat(19) + "8.8.8.8 x 1.1.1.1\n"), "10.18.21.9");
  assert.equal(await said(line.repeat(10) + "8.8.8.8 x 1.1.1.1\n"), null);
  assert.equal(await said("10.0.0.1\n".repeat(30)), null);
  assert.equal(await said("8.8.8.8 1.1.1.1\n".repeat(30)), null);
  assert.equal(await said(line, { field: 9 }), null);
  assert.equal(await said(line, { address: "last" }), null);
});
