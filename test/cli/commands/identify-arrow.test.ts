import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { RecordBatchStreamWriter, Table, tableFromIPC, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import { ipcMessages } from "../../../src/batch/arrow/_ipc-messages.ts";
import { run, start, temporaryFolder } from "../run-command.ts";

const ADDRESSES = ["11.1.2.3", "9.9.9.9", null, "[2a00:db8::1]:80"];
const STREAM = Buffer.from(tableToIPC(new Table({ ip: vectorFromArray(ADDRESSES) }), "stream"));

let folder: ReturnType<typeof temporaryFolder>;
const path = (name: string) => join(folder.path, name);

before(async () => {
  folder = temporaryFolder({
    "list.csv": "11.0.0.0/8,/cloud/acme\n11.1.0.0/16,office\n2a00:db8::/32,documentation\n",
    "feed.ndjson": '{"ip": "11.1.2.0/24", "classification": "malicious", "tags": ["ssh", "tor"]}\n',
    "in.arrows": STREAM,
  });
  const commands = [
    ["build", "list.csv", "-o", "list.ipsieve"],
    ["cti", "import", "feed.ndjson", "-o", "cti.ipsieve"],
    ["ruleset", "create", "rules.ipsieve"],
    ["ruleset", "add", "rules.ipsieve", "11.1.2.0/24", "--name", "scanner", "--expires-at", "2030-01-01T00:00:00Z"],
    ["ruleset", "add", "rules.ipsieve", "2a00:db8::1"],
  ];
  for (const args of commands) {
    const { code, stderr } = await run(args, { cwd: folder.path });
    assert.equal(code, 0, stderr);
  }
});
after(() => folder.remove());

const identify = (snapshot: string, ...args: string[]) =>
  run(["identify", "--format", "arrow", "--snapshot", snapshot, ...args], { cwd: folder.path, input: STREAM });

function written(name: string): Record<string, unknown>[] {
  return tableFromIPC(readFileSync(path(name)))
    .toArray()
    .map((row) => JSON.parse(JSON.stringify(row)));
}

test("a catalogue adds the prefix and all ids, from standard input to a file", async () => {
  const { code, stderr } = await identify("list.ipsieve", "-o", "out.arrows");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(written("out.arrows"), [
    { ip: "11.1.2.3", cidr: "11.1.0.0/16", cbs_ids: ["/cloud/acme", "office"] },
    { ip: "9.9.9.9", cidr: null, cbs_ids: [] },
    { ip: null, cidr: null, cbs_ids: [] },
    { ip: "[2a00:db8::1]:80", cidr: "2a00:db8::/32", cbs_ids: ["documentation"] },
  ]);
});

test("a ruleset adds the rule that decides", async () => {
  const { code, stderr } = await identify("rules.ipsieve", "--now", "2029-12-31", "-o", "rules.arrows", "in.arrows");
  assert.deepEqual([code, stderr], [0, ""]);
  const none = { cidr: null, name: null, expires_at: null };
  assert.deepEqual(written("rules.arrows"), [
    { ip: "11.1.2.3", cidr: "11.1.2.0/24", name: "scanner", expires_at: "2030-01-01T00:00:00.000Z" },
    { ip: "9.9.9.9", ...none },
    { ip: null, ...none },
    { ip: "[2a00:db8::1]:80", cidr: "2a00:db8::1", name: null, expires_at: null },
  ]);
  const later = await identify("rules.ipsieve", "--now", "2030-01-01", "-o", "rules.arrows", "in.arrows");
  assert.equal(later.code, 0);
  assert.deepEqual(written("rules.arrows")[0], { ip: "11.1.2.3", ...none });
});

test("threat intelligence adds what is known about the most specific prefix", async () => {
  const { code, stderr } = await identify("cti.ipsieve", "-o", "cti.arrows");
  assert.deepEqual([code, stderr], [0, ""]);
  const [seen, unseen] = written("cti.arrows");
  const known = { cidr: "11.1.2.0/24", classification: "malicious", actor: null, tags: ["ssh", "tor"] };
  assert.deepEqual(seen, { ip: "11.1.2.3", ...known });
  assert.deepEqual(unseen, { ip: "9.9.9.9", cidr: null, classification: null, actor: null, tags: [] });
});

test("a batch is answered before the next one is written", async (t) => {
  const batches = ADDRESSES.flatMap(
    (address) => new Table({ ip: vectorFromArray([address, "11.0.0.1"], new Utf8()) }).batches,
  );
  const messages: Uint8Array[] = [];
  const whole = Buffer.from(RecordBatchStreamWriter.writeAll(batches).toUint8Array(true));
  for await (const message of ipcMessages(Readable.from([whole]), "whole")) messages.push(message);
  assert.equal(messages.length, 1 + ADDRESSES.length + 1, "the schema, a message for each batch, the end");

  const child = start(["identify", "--format", "arrow", "--snapshot", path("list.ipsieve")]);
  t.after(() => child.kill("SIGKILL"));
  const ended = once(child, "close");
  child.stdin!.write(messages[0]!);
  const answers = ipcMessages(child.stdout!, "answers");
  const schema = (await answers.next()).value!;
  for (const [index, address] of ADDRESSES.entries()) {
    child.stdin!.write(messages[index + 1]!);
    const answer = tableFromIPC(Buffer.concat([schema, (await answers.next()).value!]));
    assert.deepEqual([...answer.getChild("ip")!], [address, "11.0.0.1"]);
    assert.equal(answer.getChild("cidr")!.get(1), "11.0.0.0/8");
  }
  child.stdin!.end(messages.at(-1));
  await answers.next();
  assert.deepEqual(await ended, [0, null]);
});

test("without a match the exit code is 1; after an error 2, and no file is left", async () => {
  const nothing = tableToIPC(new Table({ ip: vectorFromArray(["9.9.9.9"]) }), "stream");
  const args = ["identify", "--format", "arrow", "--snapshot", "list.ipsieve"];
  const { code } = await run([...args, "-o", "none.arrows"], { cwd: folder.path, input: Buffer.from(nothing) });
  assert.equal(code, 1);
  const cut = await run([...args, "-o", "cut.arrows"], { cwd: folder.path, input: STREAM.subarray(0, -8) });
  assert.equal(cut.code, 2);
  assert.match(cut.stderr, /^ipsieve: standard input: the stream ends at byte \d+ without its end; check/);
  assert.equal(existsSync(path("cut.arrows")) || existsSync(path("cut.arrows.partial")), false);
});

const REFUSED: readonly [args: string[], message: RegExp][] = [
  [["-v"], /--invert-match and --format arrow cannot be combined/],
  [["--summary", "-o", "x"], /--summary and --format arrow cannot be combined/],
  [["--by", "hour", "-o", "x"], /--by and --format arrow cannot be combined/],
  [["--threads", "2"], /--threads and --format arrow cannot be combined/],
  [["--snapshot", "rules.ipsieve"], /--format arrow takes one snapshot; run it once for each --snapshot/],
  [["in.arrows", "in.arrows"], /--format arrow takes one FILE/],
  [["--count"], /--count and --format cannot be combined/],
];

for (const [args, message] of REFUSED) {
  test(`rejected: ${args.join(" ")}`, async () => {
    const { code, stderr } = await identify("list.ipsieve", ...args);
    assert.match(stderr, message);
    assert.equal(code, 2);
  });
}
