import type { CreateRowTemplates } from "../../src/batch/engine/create-row-templates.ts";

/** Rows of tsv: the address, the deciding prefix, and the values of all covering prefixes that have not expired. */
export const createRowTemplates: CreateRowTemplates =
  ({ table }, _format, now) =>
  (match) => {
    const values = match === 0 ? [] : table.chain(match).flatMap((one) => table.activeValues(one, now));
    const prefix = match === 0 ? "" : `\x00${String.fromCharCode(table.prefixLength(match))}`;
    return Buffer.from(`\x00\xff\t${prefix}\t${values.join(",")}\n`, "latin1");
  };
