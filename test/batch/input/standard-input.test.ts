import assert from "node:assert/strict";
import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Random } from "../../../bench/data/random.ts";
import { randomQuad } from "../../kernel/random-lines.ts";
import { run, temporaryFolder } from "../../cli/run-command.ts";
import { sampled } from "../../rounds.ts";

const SEED = 20261123;
const ENGINES = ["webassembly", "typescript"];
const folder = temporaryFolder();
after(folder.remove);

const random = new Random(SEED);
const LINES = Array.from({ length: 4000 }, (_, line) => `${line} ${line % 2 === 0 ? randomQuad(random) : "8.8.8.8"} -`);
const TEXT = `${LINES.join("\n")}\n`;

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder.path, name);
  writeFileSync(path, content);
  return path;
}

/** The command's output for the file on standard input, after another program has read its first bytes. */
async function printed(path: string, args: readonly string[], skipped = 0): Promise<string> {
  const descriptor = openSync(path, "r");
  try {
    for (let left = skipped; left > 0;) left -= readSync(descriptor, Buffer.alloc(left), 0, left, null);
    const { code, stdout } = await run(["identify", ...args], { stdin: descriptor });
    assert.equal(code, /\S/.test(stdout) ? 0 : 1);
    return stdout;
  } finally {
    closeSync(descriptor);
  }
}

async function printedOfFile(path: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(["identify", ...args, path]);
  return stdout;
}

test("a file on standard input yields the same as the file", async () => {
  const path = fileOf("plain", TEXT);
  for (const args of [
    ["--format", "tsv"],
    ["--format", "jsonl", "--text"],
    ["--format", "tsv", "--engine", "typescript"],
    ["--format", "tsv", "--field", "2"],
  ]) {
    const expected = await printedOfFile(path, args);
    assert.ok(expected.split("\n").length > LINES.length);
    // Lines are located in the input: the same numbers, whatever its name.
    assert.equal(await printed(path, args), expected.replaceAll(JSON.stringify(path), '"-"'));
  }
});

test("it is read from its current offset, even in the middle of a line", async () => {
  const path = fileOf("skipped", TEXT);
  const middle = TEXT.indexOf("\n", TEXT.length >> 1) + 1;
  const whole = await printedOfFile(path, ["--format", "tsv"]);
  for (const [at, skipped] of [4, 65, middle, middle + 3, TEXT.length - 1, TEXT.length].entries()) {
    const expected = await printedOfFile(fileOf("rest", TEXT.slice(skipped)), ["--format", "tsv"]);
    assert.ok(expected !== whole, "the negative control: the whole file gives something else");
    for (const engine of sampled(ENGINES, 2, at))
      assert.equal(await printed(path, ["--format", "tsv", "--engine", engine], skipped), expected, `${skipped} bytes`);
  }
});

test("a table of several shards is read from any offset, as it is read where it begins a file", async () => {
  const table = LINES.map((line, index) => line.replaceAll(" ", index % 5 === 0 ? ',"\n",' : ",")).join("\n");
  const ofTable = ["--format", "tsv", "--field", "2"];
  const path = (skipped: number): string => fileOf(`table-${skipped}`, "-".repeat(skipped) + table);
  const expected = await printedOfFile(path(0), ofTable);
  assert.ok(expected.split("\n").length > LINES.length / 2);
  for (const [at, skipped] of [1, 63, 64, 65, 1000].entries())
    for (const engine of sampled(ENGINES, 2, at))
      assert.equal(
        await printed(path(skipped), [...ofTable, "--engine", engine], skipped),
        expected,
        `${skipped} bytes`,
      );
});

test("tables, compressed data and files without a size are read from standard input as well", async () => {
  const header = "an introduction\n";
  const table = 'note,ip\n"two\nlines",8.8.8.8\nx,1.1.1.1\n';
  for (const [name, rest] of [
    ["table.csv", Buffer.from(table)],
    ["tabs", Buffer.from("note\tip\na\t8.8.8.8\nb\t1.1.1.1\n")],
    ["data.gz", gzipSync(TEXT)],
  ] as const) {
    const args = ["--format", "tsv", ...(name === "data.gz" ? [] : ["--field", "ip"])];
    const expected = await printedOfFile(fileOf(name, rest), args);
    assert.ok(expected.includes("\t8.8.8.0/24\t"));
    const path = fileOf(`introduced-${name}`, Buffer.concat([Buffer.from(header), rest]));
    assert.equal(await printed(path, args, header.length), expected);
  }
  if (process.platform === "linux")
    assert.equal((await printed("/proc/self/limits", ["--format", "tsv"])).includes("\n"), true);
});
