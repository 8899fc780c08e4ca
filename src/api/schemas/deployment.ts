import { type TSchema, Type } from "typebox";
import { CLASSIFICATIONS } from "../../cti/fields.ts";
import { SHORTEST_LENGTHS } from "../../deployments/compile.ts";
import { DEPLOYMENT_FORMATS, formatNamed } from "../../service/deployments/deployment-formats.ts";
import { DEVICES } from "../../deployments/devices.ts";
import { reasonAgainst } from "../../deployments/unprocessable.ts";
import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import { MAX_EXPIRY_DAYS, MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import { TIMED_FORMATS } from "../../rulesets/export-rules.ts";
import { warningsIn } from "../../service/guards/collateral-documents.ts";
import type { CompiledDeployment } from "../../service/deployments/compile-deployment.ts";
import type { AddressSet } from "../../sets/address-set.ts";
import { prefixesOfList } from "../../service/sources/list-text.ts";
import {
  type Deployment,
  DEPLOYMENT_PURPOSES,
  DEPLOYMENT_STATUSES,
  type DeploymentDefinition,
  DIRECTIONS,
  type PullLog,
  statusOf,
  UPDATE_FREQUENCIES,
} from "../../store/records/deployment.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { ListDifference } from "../../service/deployments/list-difference.ts";
import { guardWarnings } from "../../service/deployments/guard-deployment.ts";
import { GUARD_POLICIES } from "../../store/records/guard-policy.ts";
import { OwnGuardClasses } from "./guard.ts";
import { Collateral } from "./collateral.ts";
import { previousDocuments, PreviousSecrets } from "./previous-secrets.ts";
import {
  Count,
  DescriptionText,
  LineText,
  named,
  NameText,
  NullableTimestamp,
  NullableText,
  pageOf,
  pageParameters,
  strict,
  Timestamp,
} from "./common.ts";

/** In place of a device. */
const NO_DEVICE = "none";
const MAX_SOURCES = 100;
const MAX_PREFIXES = 1000;
const MAX_TAGS = 100;
const MAX_ENTRIES = 10_000_000;
/** Prefixes that a preview lists. */
const SHOWN_PREFIXES = 20;

export const DeploymentParameters = Type.Object({
  deployment_id: Type.String({ format: "uuid", description: "the id of a deployment of the organisation" }),
});

const ThreatSelection = named(
  "ThreatSelection",
  Type.Object(
    {
      classification: Type.Optional(Type.Enum([...CLASSIFICATIONS])),
      tags: Type.Optional(
        Type.Array(LineText({ minLength: 1, maxLength: MAX_NAME_LENGTH }), {
          minItems: 1,
          maxItems: MAX_TAGS,
          description: "at least one of these",
        }),
      ),
      seen_within_days: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_EXPIRY_DAYS })),
    },
    { ...strict, description: "addresses of threat intelligence for which all of this holds" },
  ),
);

/** What a source can be; literal prefixes are limited to `maxPrefixes`. */
export const sourceMembers = (maxPrefixes: number) => ({
  ruleset: Type.Optional(Type.String({ format: "uuid", description: "the active rules of a ruleset" })),
  list: Type.Optional(Type.String({ format: "uuid", description: "the last good content of an external list" })),
  cbs: Type.Optional(
    Type.String({
      maxLength: 300,
      description: "a node of the catalogue, with all below it",
      examples: ["/cloud/aws"],
    }),
  ),
  cti: Type.Optional(ThreatSelection),
  asn: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 4_294_967_295,
      description: "what an AS number announces",
      examples: [15169],
    }),
  ),
  country: Type.Optional(
    Type.String({
      pattern: "^[A-Z]{2}$",
      maxLength: 2,
      description: "what is registered in a country, by its two letters (ISO 3166-1)",
      examples: ["DE"],
    }),
  ),
  prefixes: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: maxPrefixes,
      description: "addresses and prefixes",
      examples: [["203.0.113.0/24"]],
    }),
  ),
});

export const ONE_SOURCE = {
  ...strict,
  minProperties: 1,
  maxProperties: 1,
  description: "exactly one of its properties",
} as const;

export const DeploymentSourceSchema = named("DeploymentSource", Type.Object(sourceMembers(MAX_PREFIXES), ONE_SOURCE));
const Sources = (about: string, least: number) =>
  Type.Array(DeploymentSourceSchema, { minItems: least, maxItems: MAX_SOURCES, description: about });

const percent = (what: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: `refuse a list that ${what} by more percent of its entries because the catalogue or threat intelligence has changed; 50 by default`,
    }),
  );

// With a name of its own, as some generators do not compile an enum of integers inside of a list.
const AddressFamily = named("AddressFamily", Type.Unsafe<4 | 6>({ type: "integer", enum: [4, 6] }));

const Options = named(
  "DeploymentOptions",
  Type.Object(
    {
      families: Type.Optional(
        Type.Array(AddressFamily, {
          minItems: 1,
          maxItems: 2,
          uniqueItems: true,
          description: "both by default",
        }),
      ),
      min_prefix_v4: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 32,
          description: `refuse the list if an include has a wider prefix; ${SHORTEST_LENGTHS[4]} by default`,
        }),
      ),
      min_prefix_v6: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 128,
          description: `refuse the list if an include has a wider prefix; ${SHORTEST_LENGTHS[6]} by default`,
        }),
      ),
      max_entries: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_ENTRIES, description: "of one file; the device's limit by default" }),
      ),
      max_bytes: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 999_999_999, description: "of one file; the device's limit by default" }),
      ),
      overflow: Type.Optional(
        Type.Enum(["refuse", "fit"], {
          description:
            "what happens to a list with too many entries. refuse: it is not published, the previous one stays; fit (blocklists only): it is shortened by adding as few addresses as possible, none of them in an exclude or protected by the guard",
        }),
      ),
      unprocessable: Type.Optional(
        Type.Enum(["refuse", "omit"], {
          description:
            "what happens to a list with prefixes that its format cannot express. refuse: it is not published, the previous one stays; omit: it is published without them, and `unprocessable_count` and the file `unprocessable.txt` say so. refuse by default",
        }),
      ),
      allow_empty: Type.Optional(
        Type.Boolean({ description: "publish a list from which the excludes have removed everything" }),
      ),
      max_shrink: percent("shrinks"),
      max_growth: percent("grows"),
      chunk_entries: Type.Optional(
        Type.Integer({
          minimum: 100,
          maximum: MAX_ENTRIES,
          description: "split the list into files of at most this many entries; a changed entry changes one file",
        }),
      ),
      comments: Type.Optional(
        Type.Boolean({
          description:
            "name the deployment in its files: in a comment of the first line, or with each entry; only for formats that have comments",
        }),
      ),
      timeouts: Type.Optional(
        Type.Boolean({
          description: `give each entry that expires the seconds until then as a timeout, counted from the request, so that devices drop it by themselves; entries are split where addresses expire at different times. Only for ${[...TIMED_FORMATS].join(", ")}. Such files have weak entity tags, which change with the list and not from second to second, and no checksums`,
        }),
      ),
    },
    strict,
  ),
);

/** RFC 7396: null removes a member. */
const OptionChanges = named(
  "DeploymentOptionChanges",
  Type.Object(
    Object.fromEntries(
      Object.entries(Options.properties).map(([name, schema]) => [name, Type.Optional(orNull(schema))]),
    ),
    { ...strict, description: "only the given options change; null gives one its default again" },
  ),
);

/** As one type, which generators of clients understand better than a union. */
function orNull(schema: TSchema): TSchema {
  const { type = "string", enum: values, ...others } = schema as TSchema & { type?: string; enum?: unknown[] };
  return Type.Unsafe({ ...others, type: [type, "null"], ...(values !== undefined && { enum: [...values, null] }) });
}

const members = {
  description: DescriptionText,
  firewall_format: named(
    "FirewallFormat",
    Type.Enum([...DEPLOYMENT_FORMATS], { description: "the form of the files; text by default" }),
  ),
  device: named(
    "DeploymentDevice",
    Type.Enum([...Object.keys(DEVICES), NO_DEVICE], {
      description: `whose format and limits apply by default; ${NO_DEVICE} by default`,
    }),
  ),
  update_frequency: named(
    "UpdateFrequency",
    Type.Enum(Object.keys(UPDATE_FREQUENCIES), {
      description: "how often devices should ask; 15m by default",
    }),
  ),
  purpose: named("DeploymentPurpose", Type.Enum([...DEPLOYMENT_PURPOSES], { description: "blocklist by default" })),
  direction: named("Direction", Type.Enum([...DIRECTIONS], { description: "for people; both by default" })),
  active: Type.Boolean({ description: "feeds of a deployment that is not active are forbidden; true by default" }),
  guard: named(
    "DeploymentGuard",
    Type.Enum([...GUARD_POLICIES], {
      description:
        "what happens to a list with the purpose blocklist that would block services, addresses that allowlists allow, own networks or private addresses: off: nothing; warn: previews name them; refuse: the previous list stays until someone publishes the new one anyway; carve: it is published without them. warn by default",
    }),
  ),
  guard_classes: OwnGuardClasses,
  options: Options,
};
const Reason = named("RefusalReason", Type.Object({ code: Type.String(), message: Type.String() }));
const optional = {
  description: Type.Optional(members.description),
  firewall_format: Type.Optional(members.firewall_format),
  device: Type.Optional(members.device),
  update_frequency: Type.Optional(members.update_frequency),
  purpose: Type.Optional(members.purpose),
  direction: Type.Optional(members.direction),
  active: Type.Optional(members.active),
  guard: Type.Optional(members.guard),
  guard_classes: Type.Optional(members.guard_classes),
  exclude: Type.Optional(Sources("addresses that are not listed, whatever includes them", 0)),
  options: Type.Optional(members.options),
};

const Include = Sources("addresses that are listed", 1);

export const CreateDeploymentBody = named(
  "CreateDeploymentRequest",
  Type.Object({ name: NameText, include: Include, ...optional }, strict),
);
const changes = {
  name: Type.Optional(NameText),
  include: Type.Optional(Include),
  ...optional,
  options: Type.Optional(OptionChanges),
};
export const UpdateDeploymentBody = named(
  "UpdateDeploymentRequest",
  Type.Object(changes, { ...strict, minProperties: 1 }),
);
export const PreviewDeploymentBody = named("PreviewDeploymentRequest", Type.Object(changes, strict));
export const PreviewNewDeploymentBody = named(
  "PreviewNewDeploymentRequest",
  Type.Object({ name: Type.Optional(NameText), include: Include, ...optional }, strict),
);
export const PublishDeploymentBody = named(
  "PublishDeploymentRequest",
  Type.Object(
    { generation: Type.Integer({ minimum: 1, description: "`refused_generation` of the deployment" }) },
    strict,
  ),
);
export const RotateDeploymentBody = named(
  "RotateDeploymentRequest",
  Type.Object(
    {
      credential: Type.Enum(["url", "password"], { description: "what to replace" }),
      grace_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 720,
          default: 24,
          description:
            "how long the replaced URLs still work; those before them work until their own ends. 0: from now on, only the new URLs work",
        }),
      ),
    },
    strict,
  ),
);

const PreviousUrls = PreviousSecrets("replaced URLs that still work, oldest first");

const Frequency = Type.Integer({ description: "in seconds" });
const DoubtfulSources = Type.Array(Type.String(), {
  description: "includes that contradict the purpose, such as an allowlist in a blocklist: one sentence each",
});

export const DeploymentSchema = named(
  "Deployment",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    ...members,
    update_frequency_seconds: Frequency,
    include: Type.Array(DeploymentSourceSchema),
    exclude: Type.Array(DeploymentSourceSchema),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_generated: NullableTimestamp,
    last_accessed: NullableTimestamp,
    generation: Type.Integer({ minimum: 0, description: "of the list that devices get; 0 if there is none yet" }),
    ipv4_entries_count: Count,
    ipv6_entries_count: Count,
    unprocessable_count: Type.Integer({
      minimum: 0,
      description:
        "prefixes that the list of devices lacks because its format cannot express them (option unprocessable: omit)",
    }),
    status: Type.Enum([...DEPLOYMENT_STATUSES], {
      description:
        "stale: there is no list yet; refused: the latest list was not published, the previous one is served",
    }),
    reasons: Type.Array(Reason, {
      description: "why the latest list was refused",
    }),
    refused_generation: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      description: "the number of the refused list; null if there is none",
    }),
    not_pulled: Type.Boolean({ description: "whether no device has fetched the list for three intervals" }),
    previous_urls: PreviousUrls,
    doubtful_sources: DoubtfulSources,
  }),
);
export const DeploymentsQuery = Type.Object(pageParameters);
export const DeploymentPage = pageOf("PagedDeploymentSchema", DeploymentSchema);

const Urls = Type.Array(Type.String({ format: "uri" }));
export const DeploymentUrls = named(
  "DeploymentUrls",
  Type.Object({
    deployment: Type.Object({
      id: Type.String({ format: "uuid" }),
      name: Type.String(),
      purpose: members.purpose,
      firewall_format: members.firewall_format,
      update_frequency: members.update_frequency,
      update_frequency_seconds: Frequency,
      ipv4_entries_count: Count,
      ipv6_entries_count: Count,
      last_generated: NullableTimestamp,
      last_accessed: NullableTimestamp,
    }),
    urls: Type.Object({ combined: Urls, ipv4: Urls, ipv6: Urls, checksums: Urls, unprocessable: Urls }),
  }),
);

const Addresses = Type.String({ pattern: "^[0-9]+$", description: "how many addresses; as text, as it may be long" });
const ChangedAddresses = (which: string) =>
  Type.Object(
    {
      ipv4_addresses: Addresses,
      ipv6_addresses: Addresses,
      prefixes: Type.Array(Type.String(), { description: `the first ${SHOWN_PREFIXES}` }),
    },
    { description: which },
  );

export const DeploymentPreview = named(
  "DeploymentPreview",
  Type.Object({
    ipv4_entries_count: Count,
    ipv6_entries_count: Count,
    ipv4_addresses: Addresses,
    ipv6_addresses: Addresses,
    timed_entries_count: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "entries that devices drop by themselves (option timeouts); absent without it",
      }),
    ),
    removed_ipv4_entries: Type.Integer({ minimum: 0, description: "what excludes remove, as the fewest prefixes" }),
    removed_ipv6_entries: Count,
    fitted: Type.Optional(
      Type.Object(
        {
          added_ipv4_addresses: Addresses,
          added_ipv6_addresses: Addresses,
          added: Type.Array(Type.String(), { description: `the first ${SHOWN_PREFIXES} prefixes of them` }),
        },
        {
          description:
            "the addresses added to shorten the list (overflow: fit); absent if it has few enough entries anyway",
        },
      ),
    ),
    entries: Type.Array(Type.String(), { description: `the first ${SHOWN_PREFIXES}` }),
    widest: Type.Array(Type.String(), { description: "the widest prefixes of each family" }),
    unprocessable_count: Type.Integer({ minimum: 0, description: "entries that the format cannot express" }),
    unprocessable: Type.Array(Type.Object({ prefix: Type.String(), reason: Type.String() }), {
      description: `the first ${SHOWN_PREFIXES} of them, each with the reason`,
    }),
    files: Type.Integer({ minimum: 1, description: "that the list is split into" }),
    changes_at: NullableTimestamp,
    reasons: Type.Array(Reason, {
      description: "why it would not be published",
    }),
    doubtful_sources: DoubtfulSources,
    difference: Type.Optional(
      Type.Object(
        {
          ipv4_entries_before: Count,
          ipv6_entries_before: Count,
          listed: ChangedAddresses("addresses that devices do not have and would get"),
          unlisted: ChangedAddresses("addresses that devices have and would no longer get"),
        },
        {
          description:
            "how it differs from the list that devices have now; absent for a deployment that does not exist yet",
        },
      ),
    ),
    warnings: Type.Optional(
      Type.Array(Collateral, {
        description:
          "what a list with the purpose blocklist would block that it should not, or what is left out of it (guard: carve): the first 100, the most addresses first; absent if there is nothing, or with guard: off",
      }),
    ),
  }),
);

export const Rotated = named(
  "RotatedDeployment",
  Type.Object({
    password: NullableText({
      description: "the new password, which is not shown again; null if the URLs were replaced",
    }),
    previous_valid_until: NullableText({
      format: "date-time",
      description: "when the last of the replaced URLs stops working; null if the password was replaced",
    }),
    previous_urls: PreviousUrls,
  }),
);

const PullSchema = named(
  "Pull",
  Type.Object({
    at: Timestamp,
    file: Type.String(),
    address: Type.String(),
    user_agent: Type.String(),
    status: Type.Integer(),
    bytes: Count,
  }),
);
export const PullList = named(
  "PullList",
  Type.Object({
    items: Type.Array(PullSchema, { description: "the last 100, newest first" }),
    days: Type.Array(Type.Object({ day: Type.String({ format: "date" }), pulls: Count, bytes: Count }), {
      description: "of the last 31 days, UTC; days without pulls are left out",
    }),
  }),
);

/** What a deployment's document says besides the deployment itself. */
export interface DeploymentState {
  readonly lastAccessed: number | null;
  readonly isNotPulled: boolean;
  readonly now: number;
  readonly doubtfulSources: readonly string[];
}

/** What a preview says besides the list itself. */
export interface PreviewedList {
  readonly unprocessable: readonly string[];
  readonly doubtfulSources: readonly string[];
  /** From the list that devices have; undefined for a deployment that does not exist yet. */
  readonly difference: (ListDifference & Pick<CompiledDeployment, "entries">) | undefined;
}

export function deploymentDocument(deployment: Deployment, state: DeploymentState): Record<string, unknown> {
  const { id, name, definition, createdAt, updatedAt, published, refused } = deployment;
  return {
    id,
    name,
    ...definition,
    guard: definition.guard ?? "warn",
    guard_classes: definition.guard_classes ?? null,
    created_at: formatTimestamp(createdAt),
    updated_at: formatTimestamp(updatedAt),
    ...listMembers(deployment, state),
    generation: published?.generation ?? 0,
    unprocessable_count: published?.unprocessable ?? 0,
    status: statusOf(deployment),
    reasons: refused?.reasons ?? [],
    refused_generation: refused?.number ?? null,
    not_pulled: state.isNotPulled,
    previous_urls: previousDocuments(deployment.previous, state.now),
    doubtful_sources: state.doubtfulSources,
  };
}

function listMembers({ definition, published }: Deployment, { lastAccessed }: DeploymentState) {
  return {
    update_frequency_seconds: UPDATE_FREQUENCIES[definition.update_frequency],
    ipv4_entries_count: published?.entries[4] ?? 0,
    ipv6_entries_count: published?.entries[6] ?? 0,
    last_generated: published === null ? null : formatTimestamp(published.at),
    last_accessed: lastAccessed === null ? null : formatTimestamp(lastAccessed),
  };
}

export function urlsDocument(
  deployment: Deployment,
  state: DeploymentState,
  urls: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  const { id, name, definition } = deployment;
  const { purpose, firewall_format, update_frequency } = definition;
  const about = { id, name, purpose, firewall_format, update_frequency, ...listMembers(deployment, state) };
  return { deployment: about, urls };
}

export function previewDocument(
  definition: DeploymentDefinition,
  { list, timed, added, removed, text, entries, chunks, until, rejections, suspicions, collateral }: CompiledDeployment,
  { unprocessable, doubtfulSources, difference }: PreviewedList,
): Record<string, unknown> {
  const { tally } = list;
  const format = formatNamed(definition.firewall_format);
  return {
    ipv4_entries_count: entries[4],
    ipv6_entries_count: entries[6],
    ipv4_addresses: String(tally.addresses(4)),
    ipv6_addresses: String(tally.addresses(6)),
    ...(timed !== undefined && { timed_entries_count: entries[4] + entries[6] - timed.permanent }),
    removed_ipv4_entries: removed.count(4),
    removed_ipv6_entries: removed.count(6),
    ...(added !== undefined && { fitted: fittedDocument(added) }),
    entries: [...prefixesOfList(text[4]).take(SHOWN_PREFIXES), ...prefixesOfList(text[6]).take(SHOWN_PREFIXES)]
      .slice(0, SHOWN_PREFIXES)
      .map(formatPrefix),
    widest: ([4, 6] as const).flatMap((family) => tally.widest(family).map(formatPrefix)),
    unprocessable_count: unprocessable.length,
    unprocessable: unprocessable.slice(0, SHOWN_PREFIXES).map((prefix) => ({
      prefix,
      reason: reasonAgainst(format, parsePrefix(prefix)) ?? "",
    })),
    files: chunks,
    changes_at: until === Number.POSITIVE_INFINITY ? null : formatTimestamp(until),
    reasons: [...rejections, ...suspicions],
    doubtful_sources: doubtfulSources,
    ...(difference !== undefined && { difference: differenceDocument(difference) }),
    ...(collateral !== undefined && warningsIn(guardWarnings(definition, collateral))),
  };
}

function differenceDocument({ entries, listed, unlisted }: NonNullable<PreviewedList["difference"]>) {
  return {
    ipv4_entries_before: entries[4],
    ipv6_entries_before: entries[6],
    listed: changedDocument(listed),
    unlisted: changedDocument(unlisted),
  };
}

function changedDocument(addresses: AddressSet): Record<string, unknown> {
  return {
    ipv4_addresses: String(addresses.size(4)),
    ipv6_addresses: String(addresses.size(6)),
    prefixes: [...addresses.prefixes().take(SHOWN_PREFIXES)].map(formatPrefix),
  };
}

/** What was added to shorten a list. */
function fittedDocument(added: AddressSet): Record<string, unknown> {
  return {
    added_ipv4_addresses: String(added.size(4)),
    added_ipv6_addresses: String(added.size(6)),
    added: [...added.prefixes().take(SHOWN_PREFIXES)].map(formatPrefix),
  };
}

export function pullsDocument({ pulls, days }: PullLog): Record<string, unknown> {
  return {
    items: pulls.map(({ at, file, address, agent, status, bytes }) => ({
      at: formatTimestamp(at),
      file,
      address,
      user_agent: agent,
      status,
      bytes,
    })),
    days: days.map(({ day, pulls: count, bytes }) => ({ day: formatTimestamp(day).slice(0, 10), pulls: count, bytes })),
  };
}
