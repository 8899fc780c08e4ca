import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";

/** More than a server keeps open at a time. */
export const EARLIER_CATALOGUES = 30;

const BUNDLED = new URL("../../data/catalogue.ipsieve", import.meta.url).pathname;

/** The day that the catalogue with this number, from 0, was made on. */
export function dayOf(number: number): string {
  return new Date(Date.UTC(2026, 0, 1 + number)).toISOString().slice(0, 10);
}

/** Writes the history of a server whose home folder this is: the bundled catalogue, as of that many days. */
export async function writeHistory(home: string): Promise<void> {
  const history = join(home, "history");
  mkdirSync(history, { recursive: true });
  const { table, metadata } = await openSnapshot(BUNDLED);
  for (let number = 0; number < EARLIER_CATALOGUES; number++) {
    const day = dayOf(number);
    const path = join(history, `${day.replaceAll("-", "")}T000000.000Z.ipsieve`);
    await writeSnapshot(path, { table, metadata, kind: "catalogue", createdAt: new Date(day) });
  }
}
