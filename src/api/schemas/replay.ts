import { Type } from "typebox";
import { formatPrefix } from "../../address/prefix.ts";
import type { Rule } from "../../rulesets/rule.ts";
import type { KeptReplay } from "../../service/logs/replays.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { Count, type DocumentOf, named, Nullable, NullableText, strict, Timestamp } from "./common.ts";
import { SetSource } from "./sets.ts";

const MAX_TOP = 1000;
const DEFAULT_TOP = 10;

export const ReplayParameters = Type.Object({ id: Type.String({ format: "uuid" }) });

export const ReplayBody = (maxPrefixes: number) =>
  named(
    "ReplayRequest",
    Type.Object(
      {
        identification: Type.String({ format: "uuid", description: "the id of an uploaded log" }),
        rules: SetSource(maxPrefixes),
        against: Type.Optional(SetSource(maxPrefixes)),
        top: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_TOP,
            default: DEFAULT_TOP,
            description: "how many rules, addresses and services are listed",
          }),
        ),
      },
      strict,
    ),
  );

const hits = { lines: Count, addresses: Count };
const ReplayHits = named("ReplayHits", Type.Object(hits));
const rule = { ip: Type.String({ description: "the prefix of the rule" }), name: NullableText() };

export const ReplaySchema = named(
  "Replay",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    identification: Type.String({ format: "uuid", description: "the log" }),
    created_at: Timestamp,
    expires_at: Type.String({ ...Timestamp, description: "until when it is kept" }),
    log: Type.Object({
      lines: Count,
      with_address: Count,
      lines_missing: Type.Integer({
        minimum: 0,
        description:
          "0 if everything here is exact; otherwise the log has too many different addresses to count each, and rare ones are left out: any address may have up to this many lines more",
      }),
    }),
    hit: ReplayHits,
    rules: Type.Object({ hit: Count, unused: Count }),
    top_rules: Type.Array(named("ReplayedRule", Type.Object({ ...rule, ...hits })), {
      description: "most lines first; a line counts for the rule that decides about its address",
    }),
    unused_rules: Type.Array(named("UnusedRule", Type.Object(rule)), {
      description: "the first active rules, in order, that decide about no address of the log",
    }),
    top_addresses: Type.Array(named("ReplayedAddress", Type.Object({ ip: Type.String(), lines: Count })), {
      description: "of those hit, most lines first",
    }),
    services: Type.Array(named("ReplayedService", Type.Object({ cbs_id: Type.String(), ...hits })), {
      description: "of the addresses hit, most lines first; empty without a plan for business services",
    }),
    difference: Nullable(named("ReplayDifference", Type.Object({ only_rules: ReplayHits, only_against: ReplayHits })), {
      description: "what only one of the two would hit; null without `against`",
    }),
  }),
);

export function replayDocument({
  id,
  identificationId,
  createdAt,
  expiresAt,
  log,
  report,
}: KeptReplay): DocumentOf<typeof ReplaySchema> {
  const { hit, rulesHit, rulesUnused, topRules, unused, topAddresses, services, difference } = report;
  return {
    id,
    identification: identificationId,
    created_at: formatTimestamp(createdAt),
    expires_at: formatTimestamp(expiresAt),
    log: { lines: log.lines, with_address: log.withAddress, lines_missing: log.linesMissing },
    hit,
    rules: { hit: rulesHit, unused: rulesUnused },
    top_rules: topRules.map(({ rule: each, lines, addresses }) => ({ ...ruleText(each), lines, addresses })),
    unused_rules: unused.map(ruleText),
    top_addresses: topAddresses,
    services: services.map(({ id: node, lines, addresses }) => ({ cbs_id: node, lines, addresses })),
    difference: difference && { only_rules: difference.onlyFirst, only_against: difference.onlySecond },
  };
}

function ruleText({ prefix, name }: Pick<Rule, "prefix" | "name">) {
  return { ip: formatPrefix(prefix), name };
}
