import { formatAddress } from "../../src/address/format-address.ts";
import { createFound, findAddress, STOP } from "../../src/batch/lines/find-address.ts";
import { TEXT_SLACK } from "../../src/kernel/workspace.ts";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { type KernelRoom, kernelOver } from "./kernel-memory.ts";

const LF = 0x0a;

/** A line as a scanner sees it: its offset in the text, and its address in canonical form (null: none). */
export interface ScannedLine {
  readonly start: number;
  readonly address: string | null;
}

/** A kernel with room for this many bytes of text; its table has no prefixes. */
export function scanningKernel(textBytes: number): KernelRoom {
  return kernelOver(freeze(new PrefixTrie()), textBytes + TEXT_SLACK + 1);
}

/** The lines of `text[0, end)` as the reference reads them. `text[end - 1]` or `text[end]` is an LF. */
export function referenceLines(text: Buffer, end: number): ScannedLine[] {
  const found = createFound();
  const lines: ScannedLine[] = [];
  for (let start = 0; start < end;) {
    const family = findAddress(text, start, end, found);
    const [w0, w1, w2, w3] =
      family === 4 ? [found[0]!, 0, 0, 0] : (found as unknown as [number, number, number, number]);
    lines.push({ start, address: family === 0 ? null : formatAddress({ family, w0, w1, w2, w3 }) });
    start = text.indexOf(LF, found[STOP]!) + 1;
  }
  return lines;
}

/** Like `referenceLines`, but by the kernel, with the text at the offset `at`. */
export function kernelLines({ kernel, memory }: KernelRoom, at: number, text: Buffer, end: number): ScannedLine[] {
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(text, at);
  const lines: ScannedLine[] = [];
  for (let next = at; next < at + end;) {
    const first = next;
    next = kernel.scanChunk(next, at + end);
    if (next <= first) throw new Error("no line was found");
    if (kernel.lineStarts[0] !== first || kernel.lineStarts[kernel.chunkLines] !== next)
      throw new Error("the chunk's line starts do not fit its ends");
    const addresses = new Map<number, string>();
    for (let i = 0; i < kernel.count4; i++)
      addresses.set(kernel.lines4[i]!, formatAddress({ family: 4, w0: kernel.words4[i]!, w1: 0, w2: 0, w3: 0 }));
    for (let i = 0; i < kernel.count6; i++) {
      const [w0, w1, w2, w3] = kernel.words6.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
      addresses.set(kernel.lines6[i]!, formatAddress({ family: 6, w0, w1, w2, w3 }));
    }
    for (let line = 0; line < kernel.chunkLines; line++)
      lines.push({ start: kernel.lineStarts[line]! - at, address: addresses.get(line) ?? null });
  }
  return lines;
}
