/**
 * Compiles `src/kernel/assembly/` with AssemblyScript and writes the module, in base64, as `src/kernel/_module.ts`: so
 * the kernel needs no file at run time, and is the same from the sources, from `dist/` and from a bundle.
 *
 * `--text PATH` also writes the module in text form, to inspect the code of a hot loop.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = join(import.meta.dirname, "..");
const ENTRY = "src/kernel/assembly/index.ts";
const TARGET = join(ROOT, "src/kernel/_module.ts");
// Run in a separate process: the compiler's types would declare another `console` for all files here.
const COMPILER = fileURLToPath(new URL("../bin/asc.js", import.meta.resolve("assemblyscript/asc")));
const OPTIONS = [
  "--optimizeLevel",
  "3",
  "--shrinkLevel",
  "0",
  "--noAssert",
  "--runtime",
  "stub",
  // 65,536 pages are the most that 32-bit addresses can reach: the import must allow the largest possible memory.
  "--importMemory",
  "--sharedMemory",
  "--initialMemory",
  "1",
  "--maximumMemory",
  "65536",
  "--enable",
  "simd",
  "--enable",
  "threads",
  "--enable",
  "bulk-memory",
  "--enable",
  "relaxed-simd",
];

const { values } = parseArgs({ options: { text: { type: "string" } } });
const folder = mkdtempSync(join(tmpdir(), "ipsieve-kernel-"));
try {
  const { binary, text } = compile(join(folder, "kernel.wasm"), join(folder, "kernel.wat"));
  if (values.text !== undefined) writeFileSync(values.text, text);
  // Data would overwrite the contents of the memory, which are a snapshot.
  if (/^ \((data|memory) /m.test(text))
    throw new Error(`${ENTRY}: the kernel has data of its own; take out the array, the string or the object`);
  const source = `/** The kernel, compiled by build/compile-kernel.ts. */\nexport const MODULE = "${binary.toString("base64")}";\n`;
  if (!existsSync(TARGET) || readFileSync(TARGET, "utf8") !== source) writeFileSync(TARGET, source);
} finally {
  rmSync(folder, { recursive: true });
}

function compile(binaryPath: string, textPath: string): { binary: Buffer; text: string } {
  const { status, stderr } = spawnSync(
    process.execPath,
    [COMPILER, ENTRY, "--outFile", binaryPath, "--textFile", textPath, ...OPTIONS],
    { cwd: ROOT, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`${ENTRY} does not compile:\n${stderr}`);
  return { binary: readFileSync(binaryPath), text: readFileSync(textPath, "utf8") };
}
