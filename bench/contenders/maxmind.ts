import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadPeer } from "./_peer.ts";
import { readerPass } from "./mmdb-lib.ts";
import { writeMmdb } from "../data/mmdb.ts";
import type { Contender } from "../harness/contender.ts";

interface MaxmindModule {
  open(path: string): Promise<{ get(address: string): number | null }>;
}

/** The widely used wrapper of mmdb-lib, which adds a cache of decoded records; opened from a file, its only way in. */
export const contender: Contender = {
  name: "maxmind",
  package: "maxmind",
  families: [4, 6],
  answers: "value",
  forms: ["text"],
  async build(table) {
    const { open } = await loadPeer<MaxmindModule>("maxmind");
    const folder = await mkdtemp(join(tmpdir(), "ipsieve-bench-mmdb-"));
    try {
      const path = join(folder, "table.mmdb");
      await writeFile(path, writeMmdb(table));
      const reader = await open(path);
      return { pass: (_form, queries) => readerPass(reader, queries) };
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};
