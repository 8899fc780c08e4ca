/**
 * Part of the command's first file (`bundle-command.ts`): runs a script with the code that V8 compiled for an earlier
 * process. Node's compile cache is written before a file is run, so that it holds none of the functions that the file
 * then calls: to parse and compile those of `identify -c` takes a quarter of what it takes on top of Node.
 */
const { readFileSync, writeFileSync } = process.getBuiltinModule("node:fs");
const { getCompileCacheDir } = process.getBuiltinModule("node:module");
const { basename, join } = process.getBuiltinModule("node:path");
const { fileURLToPath } = process.getBuiltinModule("node:url");
const { Script } = process.getBuiltinModule("node:vm");
const { crc32 } = process.getBuiltinModule("node:zlib");

/**
 * Before the compiled code, a CRC-32 of the source and of the code. V8 checks the length of the source, and not all of
 * the code; a file may also be cut short, or written by two processes at once.
 */
const CHECKSUM_BYTES = 4;

/**
 * A script is one expression: a function of a CommonJS `module`, of the address that stands for `import.meta.url`, and of
 * what stands for `import()`.
 */
type Main = (
  module: { exports: Record<string, unknown> },
  address: string,
  importModule: (specifier: string) => Promise<unknown>,
) => void;

/** Runs the script at an address and returns its exports. It is all ASCII. */
export function runScript(address: string): Record<string, unknown> {
  const path = fileURLToPath(address);
  const bytes = readFileSync(path);
  const checksum = crc32(bytes);
  const file = fileOf(path);
  const cachedData = file && compiledIn(file, checksum);
  const script = new Script(bytes.toString("latin1"), { filename: path, ...(cachedData && { cachedData }) });
  if (file !== undefined && script.cachedDataRejected !== false)
    process.once("exit", (code) => keep(script, file, checksum, code));
  const module = { exports: {} };
  const main: Main = script.runInThisContext();
  main(module, address, (specifier) => import(new URL(specifier, address).href));
  return module.exports;
}

/**
 * In the folder of Node's compile cache, which is for this version of V8 and this user; undefined if there is none. An
 * update of the script replaces it.
 */
function fileOf(path: string): string | undefined {
  const folder = getCompileCacheDir();
  return folder && join(folder, `${basename(path)}-${crc32(path).toString(16)}`);
}

/** The compiled code that an earlier process kept; undefined if there is none, or if it is damaged or of another source. */
function compiledIn(file: string, sourceChecksum: number): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(CHECKSUM_BYTES);
    return bytes.readUInt32LE() === crc32(code, sourceChecksum) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the code of all functions that were called, unless the run ended early with an error. */
function keep(script: InstanceType<typeof Script>, file: string, sourceChecksum: number, exitCode: number): void {
  if (exitCode > 1) return;
  const code = script.createCachedData();
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(code, sourceChecksum));
  try {
    writeFileSync(file, Buffer.concat([checksum, code]), { mode: 0o600 });
  } catch {
    // The next start takes as long as this one.
  }
}
