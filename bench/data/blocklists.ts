import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Family } from "../../src/address/address.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { TableCollector, type TableData } from "./table-data.ts";

/** A list of one family; all its prefixes have the value 1. */
export interface Blocklist {
  readonly name: string;
  readonly table: TableData;
}

/**
 * Every list of the folder `blocklists` beside the published lists, a family each, and all of them united: files of
 * addresses or prefixes, one a line, with comments behind `#`, and columns behind white space.
 */
export function readBlocklists(): Blocklist[] {
  const beside = process.env["IPSIEVE_LISTS"] ?? join(import.meta.dirname, "../../../shared/data/cbs");
  const folder = resolve(beside, "../blocklists");
  if (!existsSync(folder))
    throw new Error(`no blocklists in ${folder}; name the folder beside theirs in IPSIEVE_LISTS`);
  const files = globSync("*/*.{netset,ipset,txt,lst}", { cwd: folder }).toSorted();
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
  return [...files.flatMap((file, i) => ofBothFamilies(file, [texts[i]!])), ...ofBothFamilies("united", texts)];
}

function ofBothFamilies(name: string, texts: readonly string[]): Blocklist[] {
  return ([4, 6] as const)
    .map((family) => ({ name: `${name} IPv${family}`, table: readTable(family, texts) }))
    .filter(({ table }) => table.count > 0);
}

function readTable(family: Family, texts: readonly string[]): TableData {
  const table = new TableCollector(family);
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const [entry] = line.split(/[\s#]/, 1);
    if (entry === "" || entry!.includes(":") !== (family === 6)) continue;
    const { w0, w1, w2, w3, length } = parsePrefix(entry!);
    table.set([w0, w1, w2, w3], length, 1);
  }
  return table.finish();
}
