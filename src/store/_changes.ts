import type { Transaction } from "kysely";
import type { Rule } from "../rulesets/rule.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import { type Engine, type Insertion, type RuleValues } from "./_engine.ts";
import { keyOfPrefix, prefixOfKey } from "./_prefix-key.ts";
import { atOneInstant } from "./_read-state.ts";
import { columnsOf, readAllRules, ruleOfValues, valuesOfRule } from "./_rule-rows.ts";
import type { ChangeRow, Tables } from "./_tables.ts";
import type { Change, ChangeBody } from "./change.ts";
import { StoreError } from "./store-error.ts";

/** So many changes are kept: a reader that was away for longer loads again. */
const KEPT = 100_000;
/** Old changes are deleted when so many more have come. */
const DELETED_AT_ONCE = 1000;
/** The changes that are read in one piece. */
const PAGE = 1000;

const INSERT: Insertion = {
  table: "changes",
  columns: { sequence: "bigint", transaction: "text", at: "bigint", actor: "text", organisation_id: "text", kind: "text", body: "text" },
  ending: "",
};

/** Rules in a stored change as they are in a row. */
interface StoredRules {
  readonly rulesetId: string;
  readonly upserts: readonly RuleValues[];
  readonly deletes: readonly string[];
}

export async function appendChanges(engine: Engine, within: Transaction<Tables>, transaction: string, changes: readonly Change[]): Promise<void> {
  const rows = changes.map(({ sequence, at, actor, organisationId, ...body }) => [sequence, transaction, at, actor, organisationId, body.kind, encode(body)]);
  await engine.insertRows(within, INSERT, rows);
  const last = changes.at(-1)!.sequence;
  const before = last - changes.length;
  if (Math.floor(last / DELETED_AT_ONCE) === Math.floor(before / DELETED_AT_ONCE)) return;
  await within.deleteFrom("changes").where("sequence", "<=", last - KEPT).execute();
}

/** See `Store.changesAfter`. */
export function readChanges(engine: Engine, after: number): Promise<Change[]> {
  return atOneInstant(engine, async (within) => {
    const { sequence } = await within.selectFrom("store").select("sequence").executeTakeFirstOrThrow();
    if (sequence === after) return [];
    const rows = await within.selectFrom("changes").selectAll().where("sequence", ">", after).orderBy("sequence").limit(PAGE).execute();
    if (rows[0]?.sequence !== after + 1) {
      throw new StoreError("changes-gone", `the database is at change ${sequence} and does not hold all changes after ${after}; load the state again`);
    }
    const wholes = new Map<string, RuleColumns[]>();
    for (const { kind, body } of rows) {
      if (kind === "rules-replaced") await readWhole(engine, within, JSON.parse(body).rulesetId, wholes);
    }
    return rows.map((row) => decode(row, wholes));
  });
}

/** Reads the rules of a ruleset once, even where it was replaced several times. */
async function readWhole(engine: Engine, within: Transaction<Tables>, rulesetId: string, wholes: Map<string, RuleColumns[]>): Promise<void> {
  if (wholes.has(rulesetId)) return;
  const parts: RuleColumns[] = [];
  wholes.set(rulesetId, parts);
  const ruleset = await within.selectFrom("rulesets").select("number").where("id", "=", rulesetId).executeTakeFirst();
  if (ruleset === undefined) return;
  for await (const rows of readAllRules(engine, within, ruleset.number)) parts.push(...columnsOf(rows));
}

/** A replacement is stored without its rules, which the ruleset holds. */
function encode(body: ChangeBody): string {
  if (body.kind === "rules-replaced") return JSON.stringify({ rulesetId: body.rulesetId });
  if (body.kind !== "rules") return JSON.stringify(body);
  const { rulesetId, upserts, deletes } = body;
  return JSON.stringify({ rulesetId, upserts: upserts.map(valuesOfRule), deletes: deletes.map(keyOfPrefix) } satisfies StoredRules);
}

function decode({ sequence, at, actor, organisation_id, kind, body }: ChangeRow, wholes: ReadonlyMap<string, readonly RuleColumns[]>): Change {
  const stored = JSON.parse(body);
  return { sequence, at, actor, organisationId: organisation_id, ...decodeBody(kind, stored, wholes) };
}

function decodeBody(kind: string, stored: ChangeBody | StoredRules, wholes: ReadonlyMap<string, readonly RuleColumns[]>): ChangeBody {
  if (kind === "rules-replaced") {
    const { rulesetId } = stored as StoredRules;
    return { kind, rulesetId, rules: wholes.get(rulesetId)! };
  }
  if (kind !== "rules") return stored as ChangeBody;
  const { rulesetId, upserts, deletes } = stored as StoredRules;
  return { kind, rulesetId, upserts: upserts.map((values): Rule => ruleOfValues(values)), deletes: deletes.map(prefixOfKey) };
}
