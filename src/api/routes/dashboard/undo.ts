import type { FastifyRequest } from "fastify";
import { formatTimestamp } from "../../../time/format-timestamp.ts";
import type { AuditEntry } from "../../../store/records/audit.ts";
import { StoreError, type StoreErrorCode } from "../../../store/store-error.ts";
import type { App } from "../../app-type.ts";
import { signature } from "../../http/signed-request.ts";
import { READ_EDL, WRITE_EDL } from "../../operation.ts";
import { notFound, Problem } from "../../problem.ts";
import type { DocumentOf } from "../../schemas/common.ts";
import { ChangeParameters, LastChange, UndoableChange, Undone, UndoQuery } from "../../schemas/undo.ts";
import type { Services } from "../../../service/services.ts";
import { CHANGED, type Inverse, inverseOf, isOfRulesets, isOvertaken } from "../../../service/changes/undo.ts";
import { summaryOf } from "./audit-document.ts";

const tags = ["Undo"];
/** The store's errors if another writer was faster. */
const OVERTAKEN: readonly StoreErrorCode[] = [
  "version-mismatch",
  "ruleset-not-found",
  "ruleset-exists",
  "change-not-kept",
  "too-many-rules",
  "too-many-rulesets",
];

/** Undoes what the user did last to rules or rulesets in this session. */
export function addUndoRoutes(app: App, services: Services): void {
  const { memory } = services;
  const { undoLog } = services.rules;

  const get = {
    operationId: "getUndo",
    summary: "The last change of rules or rulesets that the user made in this session and has not undone",
    tags,
    response: { 200: LastChange },
  };
  app.get("/undo", { config: READ_EDL, schema: get }, async (request) => {
    const last = await lastChange(request, services);
    return { change: last === null ? null : changeDocument(await judged(last, services, request), services, request) };
  });

  const undo = {
    operationId: "undo",
    summary:
      "Undoes the last change exactly: rules get their old names, expiries and creation times back, and deleted rules and rulesets are restored",
    description:
      "409 if there is none, if what it changed has been changed again since, or if it changed more rules than are kept.",
    tags,
    problems: [400, 409],
    querystring: UndoQuery,
    response: { 200: Undone },
  };
  app.post("/undo", { config: WRITE_EDL, schema: undo }, async (request) => {
    const last = await lastChange(request, services);
    if (last === null) throw new Problem("conflict", "there is nothing to undo in this session");
    if (request.query.sequence !== undefined && request.query.sequence !== last.entry.sequence)
      throw new Problem("conflict", "another change has been made since; review it first");
    await undoOne(last, services, request);
    await undoLog.undid(request.live, memory.sequence);
    return { undone: changeDocument(last, services, request) };
  });
}

/** Undoes any change of rules or rulesets, no matter who made it: for programs, which have no session. */
export function addUndoOfAnyRoute(app: App, services: Services): void {
  const schema = {
    operationId: "undoChange",
    summary:
      "Undoes a change of the audit log exactly: rules get their old names, expiries and creation times back, and deleted rules and rulesets are restored",
    description:
      "409 if what it changed has been changed again since, if it changed more rules than are kept, or if it is not about rules or rulesets. The undo is itself a change, and can be undone.",
    tags: ["Audit log"],
    problems: [404, 409],
    params: ChangeParameters,
    response: { 200: Undone },
  };
  app.post("/audit/:sequence(^[^:]+)::undo", { config: WRITE_EDL, schema }, async (request) => {
    const entry = await entryIn(request, services);
    const { organisationId } = request.caller;
    const inverse: Inverse = isOfRulesets(entry)
      ? inverseOf(entry, services.memory, organisationId)
      : { rejection: "only changes of rules and rulesets can be undone" };
    const change = { entry, inverse };
    await undoOne(change, services, request);
    return { undone: changeDocument(change, services, request) };
  });
}

/** The change in the path. @throws Problem (404) */
async function entryIn(request: FastifyRequest, { store }: Services): Promise<AuditEntry> {
  const { sequence } = request.params as { sequence: string };
  const found = SEQUENCE.test(sequence)
    ? await store.read("auditEntry", request.caller.organisationId, Number(sequence))
    : null;
  if (found !== null) return found;
  throw notFound(`unknown change; ${request.server.prefix}/audit lists yours`);
}

/** A number that is counted exactly. */
const SEQUENCE = /^[1-9]\d{0,14}$/;

/** @throws Problem (409) */
async function undoOne({ inverse }: Last, { store }: Services, request: FastifyRequest): Promise<void> {
  if ("rejection" in inverse) throw new Problem("conflict", inverse.rejection);
  try {
    await store.write({ ...inverse.command, ...signature(request) });
  } catch (error) {
    if (error instanceof StoreError && error.code === "rules-changed") throw new Problem("conflict", CHANGED);
    if (error instanceof StoreError && OVERTAKEN.includes(error.code))
      throw new Problem("conflict", `it can no longer be undone: ${error.message}`);
    throw error;
  }
}

interface Last {
  readonly entry: AuditEntry;
  readonly inverse: Inverse;
}

async function lastChange(
  { live, caller: { organisationId } }: FastifyRequest,
  { store, memory, rules: { undoLog } }: Services,
): Promise<Last | null> {
  const found = await undoLog.last(live);
  // Including the number of rules it touched: a list of entries leaves out the content of long ones.
  const entry = found === null ? null : await store.read("auditEntry", organisationId, found.sequence);
  return entry === null ? null : { entry, inverse: inverseOf(entry, memory, organisationId) };
}

/** What the store would say about it. */
async function judged(last: Last, services: Services, { caller: { organisationId } }: FastifyRequest): Promise<Last> {
  const { entry, inverse } = last;
  if ("rejection" in inverse || !(await isOvertaken(entry, inverse, services, organisationId))) return last;
  return { entry, inverse: { rejection: CHANGED } };
}

function changeDocument(
  { entry, inverse }: Last,
  { memory }: Services,
  { caller: { organisationId } }: FastifyRequest,
): DocumentOf<typeof UndoableChange> {
  const { sequence, at, command: kind, rulesetId, old } = entry;
  const live = rulesetId === null ? undefined : memory.ruleset(organisationId, rulesetId);
  const reason = "rejection" in inverse ? inverse.rejection : null;
  return {
    sequence,
    at: formatTimestamp(at),
    kind,
    ruleset_id: rulesetId,
    ruleset_name: live?.about.name ?? (old as { name?: string } | null)?.name ?? null,
    summary: summaryOf(entry),
    can_undo: reason === null,
    reason,
  };
}
