import { HOLE_BYTES, TEMPLATE_HOLES, TEMPLATE_MOST, TEMPLATE_PARTS } from "./workspace.ts";

const HOLE = 0x00;
const ALIGNMENT = 16;

/** A bound for the bytes that `writeTemplate` takes: each hole is two bytes of the template, and eight of what it becomes. */
export function templateRoom(template: Uint8Array): number {
  return TEMPLATE_PARTS + 4 + 4 * template.length + ALIGNMENT;
}

/**
 * Writes a row template (bytes in which 0x00 and one byte are a hole) at `at`, a multiple of 16, as the kernel reads it. Returns
 * where the next one can be written; 64 bytes behind that must be there to be read.
 */
export function writeTemplate(buffer: SharedArrayBuffer, at: number, template: Uint8Array): number {
  const view = new DataView(buffer);
  const holes = countHoles(template);
  let part = at + TEMPLATE_PARTS;
  let to = part + 8 * holes + 4;
  let from = to;
  const bytes = new Uint8Array(buffer);
  for (let index = 0; index < template.length; index++) {
    if (template[index] !== HOLE) {
      bytes[to++] = template[index]!;
      continue;
    }
    view.setUint32(part, to - from, true);
    view.setUint32(part + 4, template[++index]!, true);
    part += 8;
    from = to;
  }
  view.setUint32(part, to - from, true);
  view.setUint32(at + TEMPLATE_MOST, template.length + holes * HOLE_BYTES, true);
  view.setUint32(at + TEMPLATE_HOLES, holes, true);
  return Math.ceil(to / ALIGNMENT) * ALIGNMENT; // addresses may be above 2^31
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
