import { type RawBuilder, sql } from "kysely";
import { identityOf, type IndicatorQuery, type IndicatorVersion } from "../indicator.ts";
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
  engine: Engine,
  collectionId: string,
  { after, limit, ids, types, versions }: IndicatorQuery,
): Promise<IndicatorVersion[]> {
  const collections = engine.db.selectFrom("indicator_collections").select(["number", "organisation_id"]);
  const collection = await collections.where("id", "=", collectionId).executeTakeFirst();
  if (collection === undefined || types.length === 0 || ids?.length === 0) return [];
  const { number, organisation_id: organisationId } = collection;
  const { rows } = await pageQuery(engine, { number, organisationId }, { after, limit, ids, types, versions }).execute(
    engine.db,
  );
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

/** By the collection's number. O(found + log n) where ids, identities or times are asked for, whatever else there is */
export function pageQuery(
  { name }: Pick<Engine, "name">,
  { number, organisationId }: { readonly number: number; readonly organisationId: string },
  { after, limit, ids, types, versions }: IndicatorQuery,
): RawBuilder<Found> {
  const identity = types.includes("indicator") ? undefined : identityOf(organisationId);
  const conditions = [sql`collection = ${number}`, sql`added > ${after}`];
  if (ids !== undefined) conditions.push(sql`id in (${sql.join(ids)})`);
  if (identity !== undefined) conditions.push(sql`id = ${identity}`);
  if (!types.includes("identity")) conditions.push(sql`prefix <> ''`);
  if (!versions.all) conditions.push(versionCondition(versions));
  const isById = ids !== undefined || identity !== undefined;
  const index = isById ? "indicators_by_id" : isByTime(versions) ? "indicators_by_time" : undefined;
  // SQLite has no statistics, and would go through the whole collection, as that needs no sorting.
  const by = name === "sqlite" && index !== undefined ? sql`indexed by ${sql.ref(index)}` : sql``;
  return sql<Found>`
    select added, id, prefix, name, kind, created, modified, expires_at, revoked from indicators ${by}
    where ${sql.join(conditions, sql` and `)} order by added limit ${limit}`;
}

/** Whether only versions of certain times are wanted. */
function isByTime({ all, first, last, at }: IndicatorQuery["versions"]): boolean {
  return !all && !first && !last && at.length > 0;
}

function versionCondition({ first, last, at }: IndicatorQuery["versions"]) {
  const any = [
    ...(last ? [sql`state > 0`] : []),
    ...(first ? [sql`version = 1`] : []),
    ...(at.length > 0 ? [sql`modified in (${sql.join(at)})`] : []),
  ];
  return sql`(${sql.join(any, sql` or `)})`;
}
