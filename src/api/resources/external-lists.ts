import { Type } from "typebox";
import { MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import { initialOf } from "../../service/fields.ts";
import { LIST_FIELDS } from "../../service/lists/list-fields.ts";
import { readListChanges, readNewList } from "../../service/lists/read-list-definition.ts";
import { checkRulesetText } from "../../service/rules/read-rule.ts";
import type { Services } from "../../service/services.ts";
import { UPDATE_FREQUENCIES } from "../../store/records/deployment.ts";
import type { ExternalList, FetchedContent, ListCheck } from "../../store/records/external-list.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { App } from "../app-type.ts";
import { BY_ADMINS, READ_EDL, WRITE_EDL } from "../operation.ts";
import {
  Count,
  type DocumentOf,
  LineText,
  named,
  NameText,
  NullableObject,
  NullableText,
  NullableTimestamp,
  optional,
  strict,
  timeOrNull,
  Timestamp,
} from "../schemas/common.ts";
import { schemasOf } from "./field-schemas.ts";
import { type Resource, ResourceRoutes } from "./resource.ts";

const MAX_SECRET = 4000;

const { url, ...fields } = schemasOf(LIST_FIELDS);

const CreateBody = named(
  "CreateExternalListRequest",
  Type.Object({ name: NameText, url, ...optional(fields) }, strict),
);
const UpdateBody = named(
  "UpdateExternalListRequest",
  Type.Object(optional({ name: NameText, url, ...fields }), { ...strict, minProperties: 1 }),
);
const RefreshBody = named(
  "RefreshExternalListRequest",
  Type.Object(
    {
      accept: Type.Optional(
        Type.String({
          pattern: "^[A-Za-z0-9_-]{43}$",
          description: "`digest` of the problem: accept this content although it has changed too much",
        }),
      ),
    },
    strict,
  ),
);
const Secret = (description: string) => Type.String({ minLength: 1, maxLength: MAX_SECRET, description });
const Basic = named(
  "BasicListCredentials",
  Type.Object(
    {
      type: Type.Enum(["basic"]),
      username: LineText({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: "without a colon" }),
      password: Secret("never shown again"),
    },
    strict,
  ),
);
const Header = named(
  "HeaderListCredentials",
  Type.Object(
    {
      type: Type.Enum(["header"]),
      header: Type.String({ minLength: 1, maxLength: 100, examples: ["X-Api-Key"] }),
      value: Secret("never shown again"),
    },
    strict,
  ),
);
const CredentialsBody = named(
  "ListCredentialsRequest",
  Type.Object(
    {
      credentials: Type.Union([Basic, Header, Type.Null()], {
        description: "sent to the origin of the URL only, never after a redirect; null: none",
      }),
    },
    strict,
  ),
);

const ShownCredentials = Type.Object({
  type: Type.Enum(["basic", "header"]),
  name: Type.String({ description: "of the user, or of the header" }),
  origin: Type.String({ description: "where they are sent" }),
});
const Problem = Type.Object({
  code: Type.String(),
  message: Type.String(),
  since: Timestamp,
  digest: NullableText({ description: "of content that can be accepted with refreshList; null if it cannot" }),
});
const Change = Type.Object({
  at: Timestamp,
  added_count: Count,
  removed_count: Count,
  added: Type.Array(Type.String(), { description: "the first 20" }),
  removed: Type.Array(Type.String(), { description: "the first 20" }),
});
const Rejected = named(
  "ExternalListRejectedLines",
  Type.Object({
    count: Count,
    lines: Type.Array(Type.Object({ line: Type.Integer({ minimum: 1 }), text: Type.String(), reason: Type.String() }), {
      description: "the first 20",
    }),
  }),
);

const ListSchema = named(
  "ExternalList",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    url,
    ...fields,
    schedule_seconds: Type.Integer(),
    auth: NullableObject(ShownCredentials, { description: "null: it is fetched without credentials" }),
    created_at: Timestamp,
    updated_at: Timestamp,
    state: Type.Enum(["pending", "ok", "failed", "refused"], {
      description:
        "pending: never fetched; failed: the latest fetch failed; refused: the fetched list was not accepted, or it began to protect addresses (`never_block`) although a line of it was left out. The last good content stays in use",
    }),
    problem: NullableObject(Problem, { description: "of the latest fetch; null if there was none" }),
    checked_at: NullableText({ format: "date-time", description: "the latest fetch, whatever its outcome" }),
    next_check_at: NullableTimestamp,
    generation: Type.Integer({ minimum: 0, description: "of the last good content; 0 if there has been none" }),
    changed_at: NullableTimestamp,
    ipv4_entries_count: Count,
    ipv6_entries_count: Count,
    rejected: Rejected,
    last_change: NullableObject(Change, { description: "how the content differs from the one before it" }),
  }),
);
/** Of members that a list is older than. */
const INITIAL = initialOf(LIST_FIELDS);

function documentOf(list: ExternalList, check: ListCheck | undefined): DocumentOf<typeof ListSchema> {
  const { id, name, definition, credentials, createdAt, updatedAt, content, problem } = list;
  const { checkedAt = null, dueAt = createdAt } = check ?? {};
  return {
    id,
    name,
    ...INITIAL,
    ...definition,
    schedule_seconds: UPDATE_FREQUENCIES[definition.schedule],
    auth: credentials,
    created_at: formatTimestamp(createdAt),
    updated_at: formatTimestamp(updatedAt),
    state: problem?.kind ?? (content === null ? "pending" : "ok"),
    problem: problemDocument(list),
    checked_at: timeOrNull(checkedAt),
    next_check_at: definition.active ? timeOrNull(dueAt) : null,
    ...contentMembers(content),
  };
}

function problemDocument({ problem }: ExternalList): DocumentOf<typeof Problem> | null {
  if (problem === null) return null;
  const { code, message, since, digest } = problem;
  return { code, message, since: formatTimestamp(since), digest };
}

function contentMembers(content: FetchedContent | null) {
  return {
    generation: content?.number ?? 0,
    changed_at: timeOrNull(content?.at ?? null),
    ipv4_entries_count: content?.entries[4] ?? 0,
    ipv6_entries_count: content?.entries[6] ?? 0,
    rejected: content?.rejected ?? { count: 0, lines: [] },
    last_change: changeDocument(content),
  };
}

function changeDocument(content: FetchedContent | null): DocumentOf<typeof Change> | null {
  if (content === null || content.change === null) return null;
  const { added, removed, firstAdded, firstRemoved } = content.change;
  return {
    at: formatTimestamp(content.at),
    added_count: added,
    removed_count: removed,
    added: firstAdded,
    removed: firstRemoved,
  };
}

/** Whether it is as it was created, which is also what a repeated creation is about. */
function isNew({ createdAt, updatedAt, content, problem }: ExternalList): boolean {
  return createdAt === updatedAt && content === null && problem === null;
}

/** Lists that others publish at URLs. */
export const externalLists: Resource<ExternalList, typeof ListSchema> = {
  name: "ExternalList",
  tags: ["External lists"],
  path: "/edl/lists",
  // A colon separates the id from a verb.
  one: "/edl/lists/:list_id(^[^:]+)",
  params: Type.Object({
    list_id: Type.String({ format: "uuid", description: "the id of an external list of the organisation" }),
  }),
  read: READ_EDL,
  write: WRITE_EDL,
  called: "the list",
  document: ListSchema,
  documents: async (some, { caller }, { store }) => {
    const checks = await store.read("listChecks", caller.organisationId);
    const byId = new Map(checks.map((check) => [check.listId, check]));
    return some.map((list) => documentOf(list, isNew(list) ? undefined : byId.get(list.id)));
  },
  row: ({ memory }, organisationId, id) => memory.externalList(organisationId, id),
  unknown: (home) => `unknown external list; ${home} lists yours`,
};

export function addExternalListRoutes(app: App, services: Services): void {
  const { store, memory } = services;
  const routes = new ResourceRoutes(app, services, externalLists);
  routes.pages(
    { summary: "The external lists of the organisation: lists that others publish at URLs" },
    ({ caller }) => memory.externalLists(caller.organisationId),
    (each) => each,
  );
  routes.get({ summary: "An external list: its state, the latest problem, and how it changed last" });
  routes.create(
    {
      summary: "Creates an external list; it is fetched within seconds",
      body: CreateBody,
      bodyExample: { name: "Example blocklist", url: "https://feeds.example.net/drop.txt", schedule: "60m" },
    },
    async ({ body: { name, ...given }, by }) => {
      checkRulesetText({ name, description: given.description });
      const definition = readNewList(given);
      await services.data.externalLists.checkHost(definition.url);
      return { row: (await store.write({ kind: "create-list", ...by, name, definition })).list };
    },
  );
  routes.update(
    {
      summary: "Changes the given properties of an external list, which is then fetched again",
      description: "With a URL on another host, protocol or port, the list loses its credentials.",
      body: UpdateBody,
      bodyExample: { schedule: "6h" },
    },
    async ({ id: listId }, { body: { name, ...given }, by }) => {
      checkRulesetText({ name, description: given.description });
      const definition = readListChanges(given);
      if (definition.url !== undefined) await services.data.externalLists.checkHost(definition.url);
      return (await store.write({ kind: "update-list", ...by, listId, name, definition })).list;
    },
  );
  routes.remove(
    { summary: "Deletes an external list; deployments that use it keep what they have published" },
    (listId, { by }) => store.write({ kind: "delete-list", ...by, listId }),
  );
  routes.act(
    "::refresh",
    {
      operationId: "refreshExternalList",
      summary: "Fetches the list now; the response reports the outcome",
      description: "It takes as long as the host needs to respond, at most a minute.",
      problems: [409],
      body: RefreshBody,
      bodyExample: { accept: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU" },
    },
    async (list, { body }) => ({ row: await services.data.externalLists.refresh(list, body.accept ?? null) }),
  );
}

/** Credentials for external lists, which only admins may give. */
export function addListCredentialRoutes(app: App, services: Services): void {
  const { store } = services;
  const { listSecrets } = services.data;
  new ResourceRoutes(app, services, externalLists).act(
    "::credentials",
    {
      operationId: "setListCredentials",
      summary: "Sets or removes the credentials with which an external list is fetched; no response contains them",
      problems: [409],
      body: CredentialsBody,
      bodyExample: { credentials: { type: "header", header: "X-Api-Key", value: "example-key-of-the-publisher" } },
      config: BY_ADMINS,
    },
    async ({ id: listId, organisationId, definition }, { body: { credentials: given }, by }) => {
      const { origin } = new URL(definition.url);
      const sealed = given === null ? undefined : listSecrets.seal(given, { organisationId, listId, origin });
      const { credentials = null, secret = null } = sealed ?? {};
      return { row: (await store.write({ kind: "set-list-credentials", ...by, listId, credentials, secret })).list };
    },
  );
}
