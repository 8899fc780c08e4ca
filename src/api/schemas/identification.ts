import { Type } from "typebox";
import { formatPrefix } from "../../address/prefix.ts";
import { MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { MAX_COMPARED } from "../../service/logs/chosen-rulesets.ts";
import type { AddressVerdict, ComparedRuleset, DecidingRule } from "../../service/logs/compare-rulesets.ts";
import type { IdentificationState } from "../../service/logs/identification-state.ts";
import type { LogComparison, LogTimes, TopAddress, TopAddresses } from "../../service/logs/log-identification.ts";
import {
  Count,
  type DocumentOf,
  LineText,
  named,
  Nullable,
  NullableText,
  NullableTimestamp,
  Timestamp,
  WorkState,
} from "./common.ts";
import { PRECEDENCE, Purpose } from "./rule.ts";

const ROW_FORMATS = ["tsv", "csv", "jsonl", "append"] as const;
const FIELD_SYNTAXES = ["csv", "tsv", "jsonl", "space", "keys"] as const;
const NullableCount = Type.Unsafe<number | null>({ type: ["integer", "null"] });

export const IdentificationParameters = Type.Object({ id: Type.String({ format: "uuid" }) });

export const IdentifyQuery = Type.Object({
  id: Type.Optional(
    Type.String({
      format: "uuid",
      minLength: 36,
      maxLength: 36,
      description:
        "a UUID of your choice, by which to follow the progress of the upload; by default the server chooses one",
      examples: ["7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1a"],
    }),
  ),
  name: Type.Optional(
    LineText({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: "of the file, without control characters" }),
  ),
  field: Type.Optional(
    LineText({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description:
        "where the address is: a column from 1 to 1,000,000, or the name of a column, JSON member or key; by default, the first address of each line",
      examples: ["client_ip"],
    }),
  ),
  input: Type.Optional(
    Type.Enum([...FIELD_SYNTAXES], {
      description: "how lines are split into fields; by default detected from the first line. Used with field only",
    }),
  ),
  rulesets: Type.Optional(
    LineText({
      minLength: 1,
      maxLength: MAX_COMPARED * 37,
      default: "all",
      description: `the organisation's rulesets to compare the log with: all (the first ${MAX_COMPARED}, if the plan for EDL Management is active), none, or up to ${MAX_COMPARED} ids, separated by commas`,
      examples: ["none"],
    }),
  ),
  format: Type.Optional(
    Type.Enum([...ROW_FORMATS], {
      default: "tsv",
      description:
        "of the result: address, most specific prefix and services as tsv or csv, a document per line (jsonl), or each line followed by its services (append)",
    }),
  ),
});

const lines = { lines: Count };
const service = { type: Type.String(), provider: Type.String() };

const TopAddressList = Type.Array(
  named(
    "TopAddress",
    Type.Object({
      ip: Type.String(),
      lines: Count,
      cbs_ids: Type.Array(Type.String()),
      labels: Type.Array(Type.String()),
      decision: Type.Unsafe<string | null>({
        type: ["string", "null"],
        enum: ["allow", "block", "none", null],
        description: "for the compared rulesets together; null if none was compared",
      }),
      rules: Type.Array(
        named(
          "DecidingRule",
          Type.Object({
            ruleset_id: Type.String({ format: "uuid" }),
            ruleset: Type.String({ description: "its name" }),
            purpose: Purpose,
            ip: Type.String({ description: "the prefix of the rule" }),
            name: NullableText(),
            expires_at: NullableTimestamp,
          }),
        ),
        {
          description:
            "up to five rules, allowlists first: the rule that decides in each compared ruleset that covers the address, which is the most specific active one",
        },
      ),
      rules_count: Type.Integer({ minimum: 0, description: "how many rulesets cover the address" }),
    }),
  ),
  { description: "the first 50, most lines first" },
);

const TopAddressesSchema = named(
  "TopAddresses",
  Type.Object({
    matched: TopAddressList,
    unmatched: TopAddressList,
    matched_count: NullableCount,
    unmatched_count: NullableCount,
    lines_missing: Type.Integer({
      minimum: 0,
      description:
        "0 if everything here is exact. Otherwise the log has too many different addresses to count each, and their numbers are null: an address may have up to this many more lines than shown here, or in all if it is not listed",
    }),
  }),
);

const Share = named("LogShare", Type.Object({ lines: Count, addresses: Count }));

const RulesetComparisonSchema = named(
  "RulesetComparison",
  Type.Object({
    as_of: Type.String({
      format: "date-time",
      description:
        "the start of the upload: rules that had expired by then do not count. The rulesets are those of the moment when the log had been read",
    }),
    rulesets: Type.Array(
      Type.Object({
        id: Type.String({ format: "uuid" }),
        name: Type.String(),
        purpose: Purpose,
        covered: Nullable(Share, { description: "null if it was deleted before the log had been read" }),
      }),
      { description: "in order of creation, or in the requested order" },
    ),
    rulesets_left_out: Type.Integer({
      minimum: 0,
      description: `how many more the organisation has: ${MAX_COMPARED} are compared at most`,
    }),
    covered_by: Type.Object(
      { allowlists_only: Share, blocklists_only: Share, both: Share, neither: Share },
      { description: `each line and address is in one of these. ${PRECEDENCE}` },
    ),
    top_addresses: TopAddressList,
    addresses: Type.Integer({ minimum: 0, description: "how many different addresses were compared" }),
    lines_missing: Type.Integer({
      minimum: 0,
      description:
        "0 if everything here is exact. Otherwise the log has too many different addresses to count each: the figures are minimums, for the addresses that were kept, and leave out this many lines with an address",
    }),
  }),
);

export const IdentificationSchema = named(
  "Identification",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    format: Type.Enum([...ROW_FORMATS]),
    state: WorkState,
    started_at: Timestamp,
    ended_at: NullableTimestamp,
    expires_at: NullableText({ format: "date-time", description: "when it and its result are deleted" }),
    bytes: Type.Integer({ minimum: 0, description: "read so far, as they were uploaded" }),
    size: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      description: "of the upload, if the client sent it",
    }),
    lines: Count,
    matched: Type.Integer({ minimum: 0, description: "lines whose address belongs to a service" }),
    unmatched: Type.Integer({ minimum: 0, description: "lines with another address" }),
    no_address: Type.Integer({ minimum: 0, description: "lines without an address" }),
    repeated_address: NullableText({
      description:
        "once it is done: the private or reserved address that nearly all lines begin with although some have another, such as that of the server that wrote the log; field then names the one that is meant",
    }),
    types: Type.Array(Type.Object({ type: Type.String(), name: Type.String(), ...lines }), {
      description: "most lines first; a line counts once for each service it belongs to",
    }),
    providers: Type.Array(Type.Object({ ...service, name: Type.String(), ...lines }), { description: "the first 50" }),
    services: Type.Array(Type.Object({ ...service, service: Type.String(), name: Type.String(), ...lines }), {
      description: "the first 50",
    }),
    network_counts: Nullable(
      named(
        "LogNetworks",
        Type.Object({
          networks: Type.Array(Type.Object({ asn: Type.Integer(), name: Type.String(), ...lines })),
          countries: Type.Array(Type.Object({ country: Type.String(), ...lines })),
        }),
      ),
      {
        description:
          "by who announces the addresses, and by country: the first 50 each, most lines first; null until it is done, and if the server has no networks. With `lines_missing` of `top_addresses`, of the addresses that were counted",
      },
    ),
    times: Nullable(
      named(
        "LogTimes",
        Type.Object({
          unit: Type.Enum(["hour", "day"], { description: "hours if all lines are within two weeks" }),
          counts: Type.Array(
            Type.Object({
              from: Timestamp,
              lines: Count,
              matched: Type.Integer({ minimum: 0 }),
              unmatched: Type.Integer({ minimum: 0 }),
            }),
            { description: "ascending, without those that have no lines; the last 1,000" },
          ),
          lines_without_time: Type.Integer({ minimum: 0 }),
        }),
      ),
      {
        description:
          "lines by the first time in each, in UTC (a time without a zone counts as UTC); null until it is done",
      },
    ),
    unmatched_sample: Type.Array(Type.Object({ text: Type.String(), has_address: Type.Boolean() }), {
      description: "up to 100 lines that belong to no service, cut at 500 characters",
    }),
    top_addresses: Nullable(TopAddressesSchema, { description: "null until it is done" }),
    ruleset_comparison: Nullable(RulesetComparisonSchema, {
      description:
        "null until it is done, if no ruleset was compared, or if the organisation has no active plan for EDL Management",
    }),
    error: NullableText({ description: "why it failed" }),
    result_bytes: NullableCount,
  }),
);

export const IdentificationList = named(
  "IdentificationList",
  Type.Object({ items: Type.Array(IdentificationSchema, { description: "newest first" }), count: Count }),
);

/** `withRules`: whether the results of rulesets are shown. */
export function identificationDocument(
  identification: IdentificationState,
  withRules: boolean,
): DocumentOf<typeof IdentificationSchema> {
  const { id, name, format, state, size, startedAt, endedAt, expiresAt, error, resultBytes } = identification;
  const comparison = withRules ? identification.comparison : null;
  const { top_addresses: top, network_counts: counted, times, ...summary } = identification.summary;
  return {
    id,
    name,
    format,
    state,
    started_at: formatTimestamp(startedAt),
    ended_at: endedAt === null ? null : formatTimestamp(endedAt),
    expires_at: expiresAt === null ? null : formatTimestamp(expiresAt),
    size,
    ...summary,
    network_counts: counted && { networks: [...counted.networks], countries: [...counted.countries] },
    times: times === null ? null : timesDocument(times),
    top_addresses: top === null ? null : topDocument(top, comparison),
    ruleset_comparison: comparison === null ? null : comparisonDocument(comparison),
    error,
    result_bytes: resultBytes,
  };
}

function timesDocument({ unit, counts, withoutTime }: LogTimes) {
  const documents = counts.map(({ from, lines: all, addresses, matched }) => {
    return { from: formatTimestamp(from), lines: all, matched, unmatched: addresses - matched };
  });
  return { unit, counts: documents, lines_without_time: withoutTime };
}

function topDocument(top: TopAddresses, comparison: LogComparison | null) {
  const list = (addresses: readonly TopAddress[]) => addresses.map((each) => withVerdict(each, comparison));
  return { ...top, matched: list(top.matched), unmatched: list(top.unmatched) };
}

function withVerdict(address: TopAddress, comparison: LogComparison | null) {
  const verdict: AddressVerdict | undefined = comparison?.verdicts.get(address.ip);
  const { decision, rules, rulesCount } = verdict ?? { decision: null, rules: [], rulesCount: 0 };
  return { ...address, decision, rules: rules.map(decidingRuleDocument), rules_count: rulesCount };
}

function decidingRuleDocument({ ruleset, rule: { prefix, name, expiresAt } }: DecidingRule) {
  return {
    ruleset_id: ruleset.id,
    ruleset: ruleset.name,
    purpose: ruleset.purpose,
    ip: formatPrefix(prefix),
    name,
    expires_at: expiresAt === null ? null : formatTimestamp(expiresAt),
  };
}

function comparisonDocument(comparison: LogComparison) {
  const { at, rulesets, leftOut, allowed, blocked, both, neither, top, addresses, linesMissing } = comparison;
  return {
    as_of: formatTimestamp(at),
    rulesets: rulesets.map(({ id, name, purpose, covered }: ComparedRuleset) => ({ id, name, purpose, covered })),
    rulesets_left_out: leftOut,
    covered_by: { allowlists_only: allowed, blocklists_only: blocked, both, neither },
    top_addresses: top.map((each) => withVerdict(each, comparison)),
    addresses,
    lines_missing: linesMissing,
  };
}
