import type { CreateRowTemplates } from "../../../src/batch/create-row-templates.ts";

/** Rows of 20 KB, other ones for every match. */
export const createRowTemplates: CreateRowTemplates = () => (match) =>
  Buffer.from(`\x00\xff\t${`${match} `.repeat(5000).slice(0, 20_000)}\n`, "latin1");
