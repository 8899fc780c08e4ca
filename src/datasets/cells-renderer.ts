import type { RendererModule } from "../batch/engine/create-row-templates.ts";
import { ADDRESS_HOLE } from "../rows/holes.ts";
import { hole, templateBytes } from "../rows/template-bytes.ts";
import { cellsOf } from "./column-renderer.ts";

/**
 * The address of this module: documents with nothing but the address and the texts of chosen columns, for a program that
 * reads them together with their lines, and writes rows of its own.
 */
export const CELLS_RENDERER: string = import.meta.url;

// What the pipeline asks of every renderer.
export { createRowTemplates } from "./catalogue-renderer.ts";

/** `{"ip":"192.0.2.1","cells":["192.0.2.0/24",null]}` */
export const createColumnTemplates: NonNullable<RendererModule["createColumnTemplates"]> = (
  snapshots,
  _format,
  now,
  names,
) => {
  const valuesOf = cellsOf(snapshots, now, names);
  return (matches) => {
    const cells = valuesOf(matches).map((value) => (value === null ? null : String(value)));
    const document = { ip: matches === null ? null : hole(ADDRESS_HOLE), cells };
    return templateBytes(`${JSON.stringify(document)}\n`);
  };
};
