import { freeze } from "../../src/table/freeze.ts";
import { Kernel } from "../../src/kernel/kernel.ts";
import { trieOf, valuesOfMatches } from "./ipsieve.ts";
import { webAssembly } from "../../src/memory/web-assembly.ts";
import { WORKSPACE_BYTES } from "../../src/kernel/workspace.ts";
import type { Contender, Form, Pass, Queries } from "../harness/contender.ts";
import type { SharedMemory } from "../../src/memory/web-assembly.ts";

const PAGE_BYTES = 65_536;

/** The same tables under the WebAssembly kernel, on one thread. */
export const contender: Contender = {
  name: "ipsieve-kernel",
  package: null,
  families: [4, 6],
  answers: "value",
  forms: ["batch", "lines"],
  async build(data) {
    const table = freeze(trieOf(data));
    const room = new Room();
    const tableAt = room.take(table.buffer.byteLength);
    if (tableAt !== 0) throw new Error("the table must lie at the front of the memory");
    new Uint8Array(room.memory.buffer).set(new Uint8Array(table.buffer));
    const kernel = Kernel.create(room.memory, table.sections, room.take(WORKSPACE_BYTES));
    if (kernel === null) throw new Error("WebAssembly, or what the kernel needs of it, is missing");
    const values = valuesOfMatches(table);
    let out = new Uint32Array(0) as Uint32Array<ArrayBufferLike>;
    return {
      pass: (form, queries) => passOf(kernel, room, form, queries),
      createOut(count) {
        if (out.length < count) out = room.takeWords(count);
        return out.subarray(0, count);
      },
      toAnswers: (matches) => Uint32Array.from(matches, (match) => values[match]!),
    };
  },
};

/** A memory whose room is given away from the front and never taken back. */
class Room {
  readonly memory: SharedMemory;
  #used = 0;

  constructor() {
    const api = webAssembly();
    if (api === undefined) throw new Error("WebAssembly is missing");
    this.memory = new api.Memory({ initial: 1, maximum: PAGE_BYTES, shared: true });
  }

  /** The address of so many bytes, at the start of a page; the page after them is there as well. */
  take(byteLength: number): number {
    const at = this.#used;
    this.#used += Math.ceil(byteLength / PAGE_BYTES) * PAGE_BYTES;
    const missing = this.#used + PAGE_BYTES - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(missing / PAGE_BYTES);
    return at;
  }

  takeWords(count: number): Uint32Array<ArrayBufferLike> {
    const at = this.take(count * 4);
    return new Uint32Array(this.memory.buffer, at, count); // the buffer of now: growing makes another
  }
}

function passOf(kernel: Kernel, room: Room, form: Form, { family, words, count, lines }: Queries): Pass {
  if (form === "lines") {
    const linesAt = room.take(lines.length);
    Buffer.from(room.memory.buffer, linesAt, lines.length).set(lines);
    return (out) => lookupLines(kernel, linesAt, linesAt + lines.length, out);
  }
  const own = room.takeWords(words.length);
  own.set(words);
  if (family === 4) return (out) => kernel.lookupBatch4(own.byteOffset, out.byteOffset, count);
  return (out) => kernel.lookupBatch6(own.byteOffset, out.byteOffset, count);
}

function lookupLines(kernel: Kernel, from: number, end: number, out: Uint32Array): void {
  for (let at = from, line = 0; at < end; line += kernel.chunkLines) {
    at = kernel.scanChunk(at, end);
    kernel.lookupChunk();
    out.set(kernel.matches.subarray(0, kernel.chunkLines), line);
  }
}
