import type { Engine } from "./_engine.ts";

const ONLY = 1;

/** See `READS.keyFile`. */
export async function readKeyFile({ db }: Engine): Promise<string | null> {
  return (await db.selectFrom("key_file").select("fingerprint").executeTakeFirst())?.fingerprint ?? null;
}

/** See `COUNTERS.keyFile`. */
export async function recordKeyFile(engine: Engine, fingerprint: string | null): Promise<string | null> {
  const { db } = engine;
  if (fingerprint === null) await db.deleteFrom("key_file").execute();
  else {
    const row = db.insertInto("key_file").values({ id: ONLY, fingerprint });
    await row.onConflict((conflict) => conflict.column("id").doNothing()).execute();
  }
  return readKeyFile(engine);
}
