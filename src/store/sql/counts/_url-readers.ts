import type { UrlReader } from "../../records/deployment.ts";
import type { Engine } from "../_engine.ts";

/** See `COUNTERS.urlReaders`. */
export async function recordUrlReader({ db }: Engine, { keyId, deploymentId, rotation, at }: UrlReader): Promise<void> {
  const row = db.insertInto("url_readers").values({ key_id: keyId, deployment_id: deploymentId, rotation, at });
  await row
    .onConflict((conflict) => conflict.columns(["key_id", "deployment_id", "rotation"]).doUpdateSet({ at }))
    .execute();
}

/** See `READS.urlReaders`. */
export async function readUrlReaders({ db }: Engine, organisationId: string): Promise<UrlReader[]> {
  const rows = db
    .selectFrom("url_readers")
    .innerJoin("credentials", "credentials.id", "url_readers.key_id")
    .where("credentials.organisation_id", "=", organisationId)
    .select(["key_id", "deployment_id", "rotation", "at"]);
  return (await rows.execute()).map(({ key_id, deployment_id, rotation, at }) => ({
    keyId: key_id,
    deploymentId: deployment_id,
    rotation,
    at,
  }));
}
