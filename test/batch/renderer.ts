import type { CreateRowTemplates } from "../../src/batch/engine/create-row-templates.ts";

/**
 * Rows that contain the values of all covering prefixes, in every format, with parts of every length and several holes.
 */
export const createRowTemplates: CreateRowTemplates = (snapshot, format) => (match) => {
  const { table } = snapshot;
  const ids =
    match === 0
      ? ""
      : table
          .chain(match)
          .flatMap((one) => table.values(one))
          .map((value) => `v${value}`)
          .join(",");
  const count = ids === "" ? 0 : ids.split(",").length;
  const address = "\x00\xff";
  const prefix = match === 0 ? "" : `\x00${String.fromCharCode(table.prefixLength(match))}`;
  const row = {
    tsv: `${address}\t${prefix}\t${ids}\n`,
    csv: `${address},${prefix},${ids === "" ? "" : `"${ids}"`}\n`,
    jsonl: `{"ip":"${address}","found":${match > 0},"cidr":${match === 0 ? "null" : `"${prefix}"`},"ids":"${ids}${"x".repeat(10 * count)}"}\n`,
    append: `\t${ids}`,
    "append-csv": `,${ids === "" ? "" : `"${ids}"`}`,
    "append-jsonl": JSON.stringify(ids === "" ? [] : ids.split(",")),
  }[format];
  return Buffer.from(row, "latin1");
};
