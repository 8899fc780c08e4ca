import { Type } from "typebox";
import { SHORTEST_LENGTHS } from "../../deployments/compile.ts";
import { IMPORT_FORMATS } from "../../rulesets/importers/import-rules.ts";
import { CONFLICT_MODES } from "../../rulesets/write-rule.ts";
import { MAX_EXPIRY_DAYS, MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import { MAX_URL } from "../../service/lists/read-list-definition.ts";
import { UPDATE_FREQUENCIES } from "../../store/records/deployment.ts";
import type { ExternalList, FetchedContent, ListCheck } from "../../store/records/external-list.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { warnings } from "./collateral.ts";
import {
  Count,
  DescriptionText,
  LineText,
  named,
  NameText,
  NullableObject,
  NullableText,
  NullableTimestamp,
  pageOf,
  pageParameters,
  strict,
  Timestamp,
} from "./common.ts";

const MAX_SECRET = 4000;

export const ListParameters = Type.Object({
  list_id: Type.String({ format: "uuid", description: "the id of an external list of the organisation" }),
});

const length = (bits: number, initial: number) =>
  Type.Integer({ minimum: 0, maximum: bits, description: `refuse a list with a wider prefix; ${initial} by default` });
const members = {
  description: DescriptionText,
  url: Type.String({
    minLength: 1,
    maxLength: MAX_URL,
    description: "https, without a user name or password",
    examples: ["https://feeds.example.net/drop.txt"],
  }),
  format: named(
    "ExternalListFormat",
    Type.Enum([...IMPORT_FORMATS], {
      description:
        "text: addresses, prefixes and ranges, comments begin with #, ; or //; csv: the first line names the columns; text by default",
    }),
  ),
  schedule: named(
    "ExternalListSchedule",
    Type.Enum(Object.keys(UPDATE_FREQUENCIES), { description: "how often it is fetched; 60m by default" }),
  ),
  active: Type.Boolean({ description: "whether it is fetched on its schedule; true by default" }),
  max_change: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description:
      "refuse a list if more percent of its entries are gone, or new; 50 by default. Fewer than 20 entries may change in any way, and 1,000 may always be added",
  }),
  min_prefix_v4: length(32, SHORTEST_LENGTHS[4]),
  min_prefix_v6: length(128, SHORTEST_LENGTHS[6]),
  allow_empty: Type.Boolean({ description: "accept a list without entries; false by default" }),
  never_block: Type.Boolean({
    description:
      "whether its addresses are the organisation's own networks, which blocklists should not block; false by default. Such a list is refused if one of its lines cannot be read",
  }),
};
const optional = {
  description: Type.Optional(members.description),
  format: Type.Optional(members.format),
  schedule: Type.Optional(members.schedule),
  active: Type.Optional(members.active),
  max_change: Type.Optional(members.max_change),
  min_prefix_v4: Type.Optional(members.min_prefix_v4),
  min_prefix_v6: Type.Optional(members.min_prefix_v6),
  allow_empty: Type.Optional(members.allow_empty),
  never_block: Type.Optional(members.never_block),
};

export const CreateListBody = named(
  "CreateExternalListRequest",
  Type.Object({ name: NameText, url: members.url, ...optional }, strict),
);
export const UpdateListBody = named(
  "UpdateExternalListRequest",
  Type.Object(
    { name: Type.Optional(NameText), url: Type.Optional(members.url), ...optional },
    { ...strict, minProperties: 1 },
  ),
);
export const RefreshListBody = named(
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
export const WriteListBody = named(
  "WriteExternalListRequest",
  Type.Object(
    {
      ruleset_id: Type.String({ format: "uuid", description: "where to write its entries as rules" }),
      expires_in_days: Type.Integer({
        minimum: 1,
        maximum: MAX_EXPIRY_DAYS,
        description: "when the rules expire, unless they are written again",
      }),
      conflict_resolution: Type.Optional(
        Type.Enum([...CONFLICT_MODES], {
          default: CONFLICT_MODES[0],
          description: "what to do if a rule for the prefix already exists",
        }),
      ),
    },
    strict,
  ),
);
export const WrittenList = named(
  "WrittenExternalList",
  Type.Object({
    created: Count,
    updated: Count,
    skipped: Type.Integer({ minimum: 0, description: "rules that are unchanged" }),
    invalid: Type.Integer({ minimum: 0, description: "entries that no rule may have: special-purpose addresses" }),
    can_undo: Type.Boolean(),
    ...warnings,
  }),
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
export const ListCredentialsBody = named(
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

export const ExternalListSchema = named(
  "ExternalList",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    ...members,
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
export const ListsQuery = Type.Object(pageParameters);
export const ExternalListPage = pageOf("PagedExternalListSchema", ExternalListSchema);

export function externalListDocument(list: ExternalList, check: ListCheck | undefined): Record<string, unknown> {
  const { id, name, definition, credentials, createdAt, updatedAt, content, problem } = list;
  const { checkedAt = null, dueAt = null } = check ?? {};
  return {
    id,
    name,
    ...definition,
    never_block: definition.never_block ?? false,
    schedule_seconds: UPDATE_FREQUENCIES[definition.schedule],
    auth: credentials,
    created_at: formatTimestamp(createdAt),
    updated_at: formatTimestamp(updatedAt),
    state: problem?.kind ?? (content === null ? "pending" : "ok"),
    problem: problemDocument(list),
    checked_at: timeOf(checkedAt),
    next_check_at: definition.active ? timeOf(dueAt) : null,
    ...contentMembers(content),
  };
}

function problemDocument({ problem }: ExternalList): object | null {
  if (problem === null) return null;
  const { code, message, since, digest } = problem;
  return { code, message, since: formatTimestamp(since), digest };
}

function contentMembers(content: FetchedContent | null): object {
  return {
    generation: content?.number ?? 0,
    changed_at: timeOf(content?.at ?? null),
    ipv4_entries_count: content?.entries[4] ?? 0,
    ipv6_entries_count: content?.entries[6] ?? 0,
    rejected: content?.rejected ?? { count: 0, lines: [] },
    last_change: changeDocument(content),
  };
}

function changeDocument(content: FetchedContent | null): object | null {
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

function timeOf(time: number | null): string | null {
  return time === null ? null : formatTimestamp(time);
}
