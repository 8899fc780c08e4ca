import { sql } from "kysely";
import type { IndicatorQuery, IndicatorVersion } from "../indicator.ts";
import type { Engine } from "./_engine.ts";

interface Found {
  readonly added: number;
  readonly id: string;
  readonly prefix: string;
  readonly name: string | null;
  readonly kind: string | null;
  readonly created: number;
  readonly modified: number;
  readonly expires_at: number | null;
  readonly revoked: number;
}

/** See `READS.indicators`. */
export async function readIndicators(
  { db }: Engine,
  collectionId: string,
  { after, limit, ids, types, versions }: IndicatorQuery,
): Promise<IndicatorVersion[]> {
  const collection = db.selectFrom("indicator_collections").select("number").where("id", "=", collectionId);
  const number = (await collection.executeTakeFirst())?.number;
  if (number === undefined || types.length === 0) return [];
  const conditions = [sql`collection = ${number}`, sql`added > ${after}`];
  if (ids !== undefined) conditions.push(ids.length === 0 ? sql`1 = 0` : sql`id in (${sql.join(ids)})`);
  if (types.length === 1) conditions.push(types[0] === "identity" ? sql`prefix = ''` : sql`prefix <> ''`);
  if (!versions.all) conditions.push(versionCondition(versions));
  const { rows } = await sql<Found>`
    select added, id, prefix, name, kind, created, modified, expires_at, revoked from indicators
    where ${sql.join(conditions, sql` and `)} order by added limit ${limit}`.execute(db);
  return rows.map(({ added, id, prefix, name, kind, created, modified, expires_at, revoked }) => [
    added,
    id,
    prefix,
    name,
    kind,
    created,
    modified,
    expires_at,
    revoked,
  ]);
}

function versionCondition({ first, last, at }: IndicatorQuery["versions"]) {
  const any = [
    ...(last ? [sql`state > 0`] : []),
    ...(first ? [sql`version = 1`] : []),
    ...(at.length > 0 ? [sql`modified in (${sql.join(at)})`] : []),
  ];
  return sql`(${sql.join(any, sql` or `)})`;
}
