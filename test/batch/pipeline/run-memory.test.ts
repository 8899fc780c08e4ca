import assert from "node:assert/strict";
import { test } from "node:test";
import { RunMemory } from "../../../src/batch/pipeline/_run-memory.ts";
import { PAGE_BYTES, type SharedMemory, webAssembly } from "../../../src/memory/web-assembly.ts";

/** A memory of one page that can grow by so many. */
function memoryOf(pages: number): SharedMemory {
  return new (webAssembly()!.Memory)({ initial: 1, maximum: 1 + pages, shared: true });
}

test("a workspace has all of its blocks, or there is none: wherever the memory is full", () => {
  const counts = { none: 0, whole: 0 };
  for (const rows of [0, PAGE_BYTES])
    for (let pages = 0; pages < 80; pages++) {
      const memory = new RunMemory(memoryOf(pages));
      const workspace = memory.takeWorkspace(2 * PAGE_BYTES, 4 * PAGE_BYTES, 4 * PAGE_BYTES, rows, 0);
      if (workspace === null) counts.none++;
      else {
        counts.whole++;
        const { kernel, inputs, templateOf, templates, sharedTemplates } = workspace;
        const addresses = [kernel, ...inputs, templateOf, templates, sharedTemplates];
        assert.ok(addresses.every((address) => typeof address === "number"));
        const taken = addresses.filter((address) => address !== 0);
        assert.equal(taken.length, rows === 0 ? 1 + inputs.length : addresses.length);
        assert.equal(new Set(taken).size, taken.length);
      }
      memory.release();
    }
  assert.ok(counts.none > 10 && counts.whole > 10, JSON.stringify(counts));
});

test("blocks that are released are taken again; the one that an output reads, when that has let it go", () => {
  const memory = memoryOf(100);
  const take = (run: RunMemory): number[] => Array.from({ length: 3 }, () => run.take(PAGE_BYTES).block.at);
  const [first, second] = [new RunMemory(memory), new RunMemory(memory)];
  const blocks = take(first);
  const held = blocks[1]!;
  first.hold({ buffer: null, at: held, byteLength: PAGE_BYTES });
  first.release();
  const again = take(second);
  assert.deepEqual(again.filter((at) => blocks.includes(at)).toSorted(), [blocks[0], blocks[2]].toSorted());
  first.letGo();
  assert.equal(second.take(PAGE_BYTES).block.at, held);
  second.hold({ buffer: null, at: held, byteLength: PAGE_BYTES });
  second.letGo();
  assert.notEqual(second.take(PAGE_BYTES).block.at, held, "the run has not ended");
});
