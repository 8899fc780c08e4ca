import { loadPeer } from "./_peer.ts";
import { writeMmdb } from "../data/mmdb.ts";
import type { Contender, Pass, Queries } from "../harness/contender.ts";

interface MmdbReader {
  get(address: string): number | null;
}

interface MmdbModule {
  Reader: new (database: Buffer) => MmdbReader;
}

/** A reader of MaxMind's format, on a file of the same data whose records are bare numbers: the least it can decode. */
export const contender: Contender = {
  name: "mmdb-lib",
  package: "mmdb-lib",
  families: [4, 6],
  answers: "value",
  forms: ["text"],
  async build(table) {
    const { Reader } = await loadPeer<MmdbModule>("mmdb-lib");
    const reader = new Reader(writeMmdb(table));
    return { pass: (_form, queries) => readerPass(reader, queries) };
  },
};

export function readerPass(reader: MmdbReader, queries: Queries): Pass {
  const { texts, count } = queries;
  return (out) => {
    for (let i = 0; i < count; i++) out[i] = reader.get(texts[i]!) ?? 0;
  };
}
