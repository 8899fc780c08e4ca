import { Readable } from "node:stream";
import type { FastifyContextConfig, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { csvRow } from "../../../csv/write-row.ts";
import type { AuditQuery as StoreQuery } from "../../../store/records/audit.ts";
import type { App } from "../../app-type.ts";
import { AUDIT_ACTIONS } from "../../../service/changes/audit-actions.ts";
import { joined } from "../../../service/encoded.ts";
import { BY_ADMINS } from "../../operation.ts";
import { invalid } from "../../../service/service-error.ts";
import { readTime } from "../../http/read-time.ts";
import { streamJson } from "../../http/reply.ts";
import { AuditExportQuery, AuditFilters, AuditList, AuditQuery, DEFAULT_ITEMS } from "../../schemas/audit.ts";
import type { Services } from "../../../service/services.ts";
import { auditDocument } from "./audit-document.ts";

const tags = ["Audit log"];

/** Who changed what, and when. */
export function addAuditRoutes(app: App, services: Services): void {
  addAuditList(app, services, BY_ADMINS);
  addFilters(app, services);
  addExport(app, services);
}

/** The list itself, which keys may read, too; `config` says who may. */
export function addAuditList(app: App, { store, memory }: Services, config: FastifyContextConfig): void {
  const list = {
    operationId: "listAudit",
    summary: "The changes of the organisation, newest first",
    tags,
    problems: [400],
    querystring: AuditQuery,
    response: { 200: AuditList },
  };
  app.get("/audit", { config, schema: list }, async ({ caller, query }, reply) => {
    const { before, limit = DEFAULT_ITEMS } = query;
    const { entries, nextBefore } = await store.read("audit", caller.organisationId, {
      ...filterOf(query),
      before,
      limit,
    });
    const documents = entries.values().map((entry) => auditDocument(entry, caller.organisationId, memory));
    return streamJson(reply, joined(listTexts(documents, nextBefore)));
  });
}

function addFilters(app: App, { memory }: Services): void {
  const schema = {
    operationId: "getAuditFilters",
    summary: "What the audit log can be filtered by: kinds of changes, who made them, rulesets",
    tags,
    response: { 200: AuditFilters },
  };
  const kinds = Object.entries(AUDIT_ACTIONS).map(([kind, action]) => ({ kind, action }));
  app.get("/audit/filters", { config: BY_ADMINS, schema }, ({ caller: { organisationId } }) => {
    const users = memory
      .everyUser(organisationId)
      .map(({ id, name }) => ({ actor: `user:${id}`, kind: "user" as const, name }));
    const keys = memory
      .credentials("api", organisationId)
      .map(({ id, label }) => ({ actor: `key:${id}`, kind: "key" as const, name: label }));
    const rulesets = memory.rulesets(organisationId).map(({ about: { id, name } }) => ({ id, name }));
    return {
      kinds,
      actors: [...users, ...keys, { actor: ANY_ACCOUNT, kind: "command" as const, name: "Command line" }],
      rulesets,
    };
  });
}

const TYPES = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;
type Format = keyof typeof TYPES;
/** Entries read at a time. */
const AT_ONCE = 100;

function addExport(app: App, services: Services): void {
  const schema = {
    operationId: "exportAudit",
    summary: "All changes that match the filters, as a file, newest first",
    tags,
    problems: [400],
    querystring: AuditExportQuery,
    description:
      "CSV has a line for each change; NDJSON also includes the state before and after it. In CSV, text that a spreadsheet would run as a formula is prefixed with '.",
    response: { 200: Type.String() },
    otherTypes: Object.values(TYPES),
    responseHeaders: { "Content-Disposition": "the name of a file" },
  };
  app.get("/audit::export", { config: BY_ADMINS, schema }, async (request, reply) => {
    const { format = "csv" } = request.query;
    const filter = filterOf(request.query);
    reply.header(
      "content-disposition",
      `attachment; filename="audit-${new Date(request.now).toISOString().slice(0, 10)}.${format}"`,
    );
    return reply
      .type(`${TYPES[format]}; charset=utf-8`)
      .send(Readable.from(exported(request, services, filter, format), { objectMode: false }));
  });
}

/** The file, read page by page, no faster than it is sent. */
async function* exported(
  { caller: { organisationId } }: FastifyRequest,
  { store, memory }: Services,
  filter: Partial<StoreQuery>,
  format: Format,
): AsyncGenerator<Buffer> {
  const write = format === "csv" ? csvTextOf : (document: object) => `${JSON.stringify(document)}\n`;
  if (format === "csv") yield Buffer.from(csvRow(COLUMNS));
  for (let before: number | null | undefined; before !== null;) {
    const page = await store.read("audit", organisationId, { ...filter, before, limit: AT_ONCE });
    for (const entry of page.entries) yield Buffer.from(write(auditDocument(entry, organisationId, memory)));
    before = page.nextBefore;
  }
}

const COLUMNS = [
  "sequence",
  "at",
  "actor_kind",
  "actor_id",
  "actor",
  "kind",
  "action",
  "summary",
  "ruleset_id",
] as const;

function csvTextOf({ actor, ...entry }: ReturnType<typeof auditDocument>): string {
  const cells: Readonly<Record<string, unknown>> = {
    ...entry,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor: actor.name,
  };
  return csvRow(COLUMNS.map((column) => (cells[column] === null ? null : String(cells[column]))));
}

/** As in a query: everyone at the command line. */
const ANY_ACCOUNT = "command";

interface FilterQuery {
  readonly ruleset_id?: string | undefined;
  readonly kind?: string | undefined;
  readonly actor?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** @throws Problem (400) */
function filterOf({
  ruleset_id,
  kind,
  actor,
  from,
  until,
}: FilterQuery): Pick<StoreQuery, "rulesetId" | "command" | "actor" | "from" | "until"> {
  // No id contains anything else: a text with other characters is the id of nothing, and not every database accepts it.
  const rulesetId = ruleset_id?.toLowerCase().replaceAll(/[^0-9a-f-]/g, "?");
  return {
    rulesetId,
    command: kind,
    actor: actor === undefined ? undefined : readActor(actor),
    from: readTime("from", from),
    until: readTime("until", until),
  };
}

/** @throws Problem (400) */
function readActor(text: string): string {
  if (text === ANY_ACCOUNT) return "command:*";
  if (/^(user|key):[0-9a-f-]{36}$/i.test(text)) return text.toLowerCase();
  throw invalid({ actor: ['must be "user:" or "key:" and an id, or "command"; getAuditFilters lists them'] });
}

/** As JSON, by the schema `AuditList`: a hundred entries may contain twenty thousand rules. */
function* listTexts(documents: Iterable<object>, nextBefore: number | null): Generator<string> {
  let start = '{"items":[';
  for (const document of documents) {
    yield start + JSON.stringify(document);
    start = ",";
  }
  yield `${start === "," ? "" : start}],"next_before":${nextBefore}}`;
}
