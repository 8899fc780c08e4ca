import { HOLE, HOLE_BYTES } from "../rows/holes.ts";
import { TEMPLATE_HOLES, TEMPLATE_MOST, TEMPLATE_PARTS } from "./workspace.ts";

const ALIGNMENT = 16;

/**
 * A bound for the bytes that `TemplateWriter` takes: each hole is two bytes of the template, and eight of what it
 * becomes.
 */
export function templateRoom(template: Uint8Array): number {
  return TEMPLATE_PARTS + 4 + 4 * template.length + ALIGNMENT;
}

/** Writes row templates into the memory as the kernel reads them. */
export class TemplateWriter {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
  }

  /**
   * Writes a template (bytes in which 0x00 and one byte are a hole) at `at`, a multiple of 16. Returns where the next
   * one can be written; 64 bytes after that must be there to be read.
   */
  write(at: number, template: Uint8Array): number {
    const bytes = this.#bytes;
    const words = this.#words;
    const length = template.length;
    const holes = countHoles(template);
    let part = (at + TEMPLATE_PARTS) / 4;
    let to = at + TEMPLATE_PARTS + 8 * holes + 4;
    let from = to;
    for (let index = 0; index < length; index++) {
      const byte = template[index]!;
      if (byte !== HOLE) {
        bytes[to++] = byte;
        continue;
      }
      words[part++] = to - from;
      words[part++] = template[++index]!;
      from = to;
    }
    words[part] = to - from;
    words[(at + TEMPLATE_MOST) / 4] = length + holes * HOLE_BYTES;
    words[(at + TEMPLATE_HOLES) / 4] = holes;
    return Math.ceil(to / ALIGNMENT) * ALIGNMENT; // addresses may be above 2^31
  }
}

function countHoles(template: Uint8Array): number {
  let holes = 0;
  for (let index = 0; index < template.length; index++) {
    if (template[index] !== HOLE) continue;
    holes++;
    index++;
  }
  return holes;
}
