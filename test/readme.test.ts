import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { temporaryFolder } from "./cli/run-command.ts";
import { sampled } from "./rounds.ts";

const root = join(import.meta.dirname, "..");
const folder = temporaryFolder();
after(() => folder.remove());

interface Block {
  readonly language: string;
  readonly line: number;
  readonly code: string;
  /** The text block that directly follows it. */
  expected: string | undefined;
}

/** The fenced blocks of a Markdown text; a `text` block is the output of the block before it. */
function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  for (const { 1: language = "", 2: code = "", index } of markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
    const line = markdown.slice(0, index).split("\n").length;
    const before = blocks.at(-1);
    if (language !== "text") blocks.push({ language, line, code, expected: undefined });
    else if (before === undefined || before.expected !== undefined)
      throw new Error(`line ${line}: a text block without a block that prints it`);
    else before.expected = code;
  }
  return blocks;
}

/**
 * Prepares a folder in which `npx ipsieve` is this checkout's command, `npm run` runs this checkout's scripts, and
 * "ipsieve" is this package.
 */
function prepare(): void {
  const bin = join(folder.path, "bin");
  mkdirSync(bin);
  mkdirSync(join(folder.path, "node_modules"));
  symlinkSync(root, join(folder.path, "node_modules/ipsieve"));
  for (const name of ["express", "fastify", "standardwebhooks"])
    symlinkSync(join(root, "node_modules", name), join(folder.path, "node_modules", name));
  copyFileSync(join(root, "data/sample.log"), join(folder.path, "access.log"));
  const script = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  script(
    "npx",
    `[ "$1" = ipsieve ] || exit 99; shift; exec '${process.execPath}' '${join(root, "dist/cli/main.js")}' "$@"`,
  );
  // "npm ci" has been run and "npm test" is running: only the rest remains to be done.
  const { demo } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts;
  script("npm", `case "$*" in ci|test) exit 0;; "run demo") cd '${root}' && exec ${demo};; *) exit 99;; esac`);
}

/** Milliseconds after which a block is assumed never to end. */
const PATIENCE = 180_000;

/**
 * Runs a block in a process group of its own, which ends with it. The status is null if the processes had to be killed.
 */
async function execute(
  { language, code, line }: Block,
  patience = PATIENCE,
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const { FORCE_COLOR: _, NODE_TEST_CONTEXT: _context, ...inherited } = process.env;
  const path = [join(folder.path, "bin"), dirname(process.execPath), process.env["PATH"]].join(":");
  const options = {
    cwd: folder.path,
    env: { ...inherited, PATH: path, IPSIEVE_HOME: join(folder.path, "home") },
    detached: true,
  };
  const file = join(folder.path, `line-${line}.${language === "js" ? "mjs" : "mts"}`);
  if (language !== "sh") writeFileSync(file, code);
  const [program, args] = language === "sh" ? ["sh", ["-euc", code]] : [process.execPath, [file]];
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const status = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const timer = setTimeout(() => endGroup(child.pid!), patience);
  void status.then(() => endGroup(child.pid!));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  clearTimeout(timer);
  return { status: await status, stdout, stderr };
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}

prepare();

/** The documents whose examples are run, one after the other in one folder. */
const DOCUMENTS = ["README.md", "docs/command.md", "docs/library.md", "docs/service.md", "docs/lists.md"];

const blocks = DOCUMENTS.flatMap((document) =>
  blocksOf(readFileSync(join(root, document), "utf8")).map((block) => ({ document, ...block })),
);

test("every document has blocks for the command and for the library, some of which print something", () => {
  for (const name of DOCUMENTS)
    assert.ok(
      blocks.some(({ document }) => document === name),
      name,
    );
  const languages = blocks.map(({ language }) => language);
  assert.ok(languages.includes("sh") && languages.includes("ts"));
  assert.ok(blocks.some(({ expected }) => expected !== undefined));
});

/** Those of the library each take a process, and need no other. */
const sample = new Set(
  sampled(
    blocks.filter(({ document }) => document === "docs/library.md"),
    3,
  ),
);

for (const block of blocks.filter((each) => each.document !== "docs/library.md" || sample.has(each))) {
  test(`${block.document}, line ${block.line}: the ${block.language} block runs and prints what the document says`, async () => {
    assert.ok(["sh", "js", "ts"].includes(block.language), "no test can run this block");
    const { status, stdout, stderr } = await execute(block);
    const ended = status === null ? "did not end; is dist/ built?" : `ended with ${status}`;
    assert.equal(status, 0, `the block ${ended}\n${block.code}\nIt printed:\n${stdout}${stderr}`);
    if (block.expected !== undefined) assert.equal(stdout, block.expected);
  });
}

test("negative control: a block that fails, prints something else, or is in another language is detected", async () => {
  const statusOf = async (language: string, code: string, patience?: number) =>
    (await execute({ language, line: 0, code, expected: "" }, patience)).status;
  assert.notEqual(await statusOf("ts", `import { nothing } from "ipsieve";`), 0);
  assert.notEqual(await statusOf("sh", "npx ipsieve frobnicate"), 0);
  assert.equal(await statusOf("sh", "sleep 1000 & until false; do sleep 0.1; done", 500), null);
  assert.deepEqual(blocksOf("```sh\na\n```\n\n```text\nb\n```\n"), [
    { language: "sh", line: 1, code: "a\n", expected: "b\n" },
  ]);
  assert.throws(() => blocksOf("```text\nb\n```\n"), /^Error: line 1: a text block without a block/);
});
