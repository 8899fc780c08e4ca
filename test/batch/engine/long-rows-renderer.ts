import type { CreateRowTemplates } from "../../../src/batch/engine/create-row-templates.ts";

/** How many templates this thread has made. */
export const made = { templates: 0 };

/** Rows of 20 KB, different for every match. */
export const createRowTemplates: CreateRowTemplates = () => (match) => {
  made.templates++;
  return Buffer.from(`\x00\xff\t${`${match} `.repeat(5000).slice(0, 20_000)}\n`, "latin1");
};
