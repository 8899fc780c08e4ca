import { join } from "node:path";
import { parsePrefix } from "../../src/address/prefix.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { HOSTILE_TEXTS } from "../cases/hostile-texts.ts";

const CREATED = new Date("2026-11-20T00:00:00Z");

/**
 * Writes a catalogue into the folder in which the names, and all details of the sources, are hostile; returns its path.
 * The n-th text is the name of /cloud/n, which has 10.n.0.0/16.
 */
export async function writeHostileCatalogue(folder: string): Promise<string> {
  const builder = new CatalogueBuilder();
  for (const [at, text] of HOSTILE_TEXTS.entries()) {
    builder.addNode(`/cloud/${at}`, text);
    builder.add(parsePrefix(`10.${at}.0.0/16`), `/cloud/${at}`);
  }
  const time = CREATED.toISOString();
  const sources = HOSTILE_TEXTS.map((text) => ({
    id: null,
    name: text,
    version: text,
    url: text,
    license: text,
    attribution: text,
    publishedAt: time,
    fetchedAt: time,
    changedAt: time,
  }));
  const { trie, metadata } = builder.build({ title: HOSTILE_TEXTS[0]!, createdAt: CREATED, sources });
  const { table } = new Catalogue(metadata, freeze(trie));
  const path = join(folder, "hostile.ipsieve");
  await writeSnapshot(path, { table, metadata, kind: "catalogue", createdAt: CREATED });
  return path;
}
