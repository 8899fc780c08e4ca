import { closeSync, existsSync, openSync, statSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { cachePath, writeWhole } from "./cache.ts";
import { requireExpected } from "./expected.ts";

/** Writes a large file in blocks and keeps the checksum of its bytes. */
class FileSink {
  readonly #file: number;
  readonly #block = Buffer.allocUnsafe(1 << 20);
  #used = 0;
  #crc = 0;
  byteLength = 0;

  constructor(path: string) {
    this.#file = openSync(path, "w");
  }

  /** Takes ASCII text only. */
  write(text: string): void {
    if (this.#used + text.length > this.#block.length) this.#flush();
    this.#used += this.#block.write(text, this.#used, "latin1");
    this.byteLength += text.length;
  }

  end(): string {
    this.#flush();
    closeSync(this.#file);
    return this.#crc.toString(16).padStart(8, "0");
  }

  #flush(): void {
    const bytes = this.#block.subarray(0, this.#used);
    this.#crc = crc32(bytes, this.#crc);
    writeSync(this.#file, bytes);
    this.#used = 0;
  }
}

/** The facts about the lines of a file when it is made. */
export interface LineFacts {
  readonly lines: number;
  readonly matched: number;
  /** Of lines with one address each: the sum of the value ids, and the checksum of all of them in order. */
  readonly valueSum?: number;
  readonly answers?: string;
}

/** The entry of a generated file in bench/expected.json. */
export interface FileFacts extends LineFacts {
  readonly bytes: number;
  readonly crc32: string;
}

/** A file that `make` writes line by line; `make` returns what it knows of its lines. */
export interface GeneratedFile {
  readonly name: string;
  make(sink: FileSink): Promise<LineFacts>;
}

export async function generate(file: GeneratedFile, path: string): Promise<FileFacts> {
  const sink = new FileSink(path);
  const facts = await file.make(sink);
  const sum = sink.end();
  return { bytes: sink.byteLength, crc32: sum, ...facts };
}

/**
 * The path of the file, which is made if it is missing; a file with other facts than the expected ones is never used.
 */
export async function ensureFile(file: GeneratedFile, expected: FileFacts): Promise<string> {
  const path = cachePath(file.name);
  if (existsSync(path) && statSync(path).size === expected.bytes) return path;
  await writeWhole(path, async (temporary) => requireExpected(file.name, await generate(file, temporary)));
  return path;
}
