import type { CatalogueTree } from "../catalogue-tree.ts";
import { exportClickhouse } from "./clickhouse.ts";
import { exportCsv } from "./csv.ts";
import { exportHaproxy } from "./haproxy.ts";
import { exportJsonl } from "./jsonl.ts";
import { exportMmdb } from "./mmdb.ts";
import { exportNginx } from "./nginx.ts";

/** Every format, by name. */
const EXPORTERS = {
  mmdb: exportMmdb,
  clickhouse: exportClickhouse,
  csv: exportCsv,
  jsonl: exportJsonl,
  nginx: exportNginx,
  haproxy: exportHaproxy,
} as const;

export type ExportFormat = keyof typeof EXPORTERS;
export const EXPORT_FORMATS = Object.keys(EXPORTERS) as readonly ExportFormat[];

const CHUNK_CHARACTERS = 1 << 16;

/**
 * The file of a catalogue in another program's format, in chunks; the same catalogue always gives the same bytes.
 * O(prefixes), MMDB O(prefixes x length). @throws CatalogueError "unexportable" where the format has no room for it
 */
export function* exportCatalogue(tree: CatalogueTree, format: ExportFormat): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = "";
  for (const part of EXPORTERS[format](tree)) {
    if (typeof part !== "string") {
      yield part;
      continue;
    }
    text += part;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
}
