import { HOLE, HOLE_BYTES } from "../rows/holes.ts";
import { TEMPLATE_HOLES, TEMPLATE_MAX, TEMPLATE_PARTS } from "./workspace.ts";

const LF = 0x0a;
const ALIGNMENT = 4;
/** Below this length, a loop is faster than a native call. */
const NATIVE_FROM = 48;

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

  /** Writes what comes after the front of a template, up to its LF or with one, at `at`. Returns as `write` does. */
  writeText(at: number, template: Uint8Array, from: number): number {
    copy(template, from, template.length, this.#bytes, at);
    let end = at + template.length - from;
    if (template.length === from || template[template.length - 1] !== LF) this.#bytes[end++] = LF;
    return Math.ceil(end / ALIGNMENT) * ALIGNMENT;
  }

  /** Writes texts that end with LFs at `at`. Returns as `write` does. */
  writeTexts(at: number, texts: Uint8Array): number {
    this.#bytes.set(texts, at);
    return Math.ceil((at + texts.length) / ALIGNMENT) * ALIGNMENT;
  }

  /**
   * Writes a template (bytes in which 0x00 and one byte are a hole) at `at`, a multiple of 4. Returns where the next
   * one can be written; 64 bytes after that must be there to be read.
   */
  write(at: number, template: Uint8Array): number {
    const bytes = this.#bytes;
    const words = this.#words;
    const length = template.length;
    const holes = countHoles(template);
    let part = (at + TEMPLATE_PARTS) / 4;
    let to = at + TEMPLATE_PARTS + 8 * holes + 4;
    for (let from = 0; from <= length;) {
      const hole = nextHole(template, from);
      const end = hole < 0 ? length : hole;
      copy(template, from, end, bytes, to);
      words[part++] = end - from;
      to += end - from;
      from = end + 2;
      if (hole >= 0) words[part++] = template[hole + 1]!;
    }
    words[(at + TEMPLATE_MAX) / 4] = length + holes * HOLE_BYTES;
    words[(at + TEMPLATE_HOLES) / 4] = holes;
    return Math.ceil(to / ALIGNMENT) * ALIGNMENT; // addresses may be above 2^31
  }
}

function countHoles(template: Uint8Array): number {
  let holes = 0;
  for (let at = nextHole(template, 0); at >= 0; at = nextHole(template, at + 2)) holes++;
  return holes;
}

function nextHole(template: Uint8Array, from: number): number {
  if (template.length >= NATIVE_FROM) return template.indexOf(HOLE, from);
  for (let at = from; at < template.length; at++) if (template[at] === HOLE) return at;
  return -1;
}

/** Copies source[from, end) to `to`. */
function copy(source: Uint8Array, from: number, end: number, target: Uint8Array, to: number): void {
  if (end - from >= NATIVE_FROM) target.set(source.subarray(from, end), to);
  else for (let at = from; at < end; at++) target[to++] = source[at]!;
}
