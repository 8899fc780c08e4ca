import { Type } from "typebox";
import { DEPLOYMENT_PURPOSES, DEPLOYMENT_STATUSES } from "../../store/records/deployment.ts";
import { Actor } from "./audit.ts";
import { CbsLookup } from "./cbs.ts";
import { MapByAddress, named, Nullable, NullableText, NullableTimestamp, strict } from "./common.ts";
import { Threat } from "./cti.ts";
import { DeploymentSourceSchema, VotingSource } from "./deployment-source.ts";
import { PRECEDENCE, Purpose, RuleSchema } from "./rule.ts";

const author = (what: string) =>
  Nullable(Actor, {
    description: `who ${what}; null if that is no longer in the audit log, and for callers that may only read`,
  });

const ExplainedRule = named(
  "ExplainedRule",
  Type.Object({
    ...RuleSchema.properties,
    role: Type.Enum(["decides", "less-specific", "expired"], {
      description: "decides: the most specific active rule of its ruleset",
    }),
    added_by: author("added it"),
    updated_by: author("wrote it last"),
  }),
);

const ExplainedRuleset = named(
  "ExplainedRuleset",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    purpose: Purpose,
    decided_by: NullableText({ description: "the prefix of the rule that decides; null: all rules have expired" }),
    next_change_at: NullableText({
      format: "date-time",
      description:
        "when another rule of the ruleset will decide, or none, unless rules change before then; null: never",
    }),
    covered_until: NullableText({
      format: "date-time",
      description: "when the last rule that covers it expires; null if one never does, or all have",
    }),
    rules: Type.Array(ExplainedRule, {
      description: "all rules that cover it, including expired ones, most specific first",
    }),
  }),
);

const ExplainedDeployment = named(
  "ExplainedDeployment",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    purpose: Type.Enum([...DEPLOYMENT_PURPOSES]),
    status: Type.Enum([...DEPLOYMENT_STATUSES], {
      description:
        "stale: devices have no list yet; refused: the list was not published, and devices keep the one before it, if any",
    }),
    contains: Type.Enum(["all", "part", "none", "unknown"], {
      description:
        "how much of the address or prefix its sources list now, which devices have unless `status` says otherwise; unknown: a source cannot be read",
    }),
    devices_have: Type.Optional(
      Type.Enum(["all", "part", "none"], {
        description: "how much of it is in the list that devices keep; absent unless `status` is refused",
      }),
    ),
    decided_by: Type.Unsafe<"include" | "exclude" | "guard" | "fit" | null>({
      type: ["string", "null"],
      enum: ["include", "exclude", "guard", "fit", null],
      description:
        "exclude if any exclude lists some of it, as excludes always win; guard if the guard takes some of it out of the list; fit if no source lists any of it and it was added to shorten the list; null if unknown, or if only the list that devices keep has any of it",
    }),
    include: Type.Array(DeploymentSourceSchema, { description: "the includes that list any of it" }),
    exclude: Type.Array(DeploymentSourceSchema, { description: "the excludes that list any of it" }),
    votes: Type.Optional(
      Type.Array(
        Type.Object({
          atleast: Type.Integer({ description: "how many votes an address needs" }),
          votes: Type.Integer({ description: "how many it has: the weights of those that vote" }),
          by: Type.Array(VotingSource, { description: "the sources that list any of it" }),
        }),
        { description: "for each of these includes and excludes that is a vote, in order; absent if none is" },
      ),
    ),
    ends_at: Type.Optional(
      NullableText({
        format: "date-time",
        description:
          "when the last of its addresses leaves the list by itself; null: never, or the list has none of them; absent unless the deployment has the option timeouts",
      }),
    ),
    error: NullableText({ description: "why a source cannot be read" }),
  }),
);

export const Explanation = named(
  "Explanation",
  Type.Object(
    {
      ip: Type.String({ description: "as sent" }),
      decision: Type.Enum(["allow", "block", "none"], { description: `of all rulesets together. ${PRECEDENCE}` }),
      next_change_at: {
        ...NullableTimestamp,
        description:
          "the earliest time at which another rule will decide, or none, unless rules change before then; rules that are overridden do not count; null: never",
      },
      rulesets: Type.Array(ExplainedRuleset, {
        description: "those with a rule that covers it, in the order of their creation",
      }),
      deployments: Type.Array(ExplainedDeployment, {
        description:
          "active deployments of which a source lists any of it, or whose devices keep a list that has any of it, in the order of their creation",
      }),
      contradicted_by: Type.Array(Type.String({ format: "uuid" }), {
        description:
          "the deployments that do the opposite of `decision` with any of it: blocklists where it is `allow`, allowlists where it is `block`. An exclude of the ruleset that decides ends that",
      }),
      cbs: Nullable(CbsLookup, { description: "null without an active plan for the catalogue" }),
      cti: Nullable(Threat, {
        description: "null without an active plan for threat intelligence, or without a dataset",
      }),
    },
    strict,
  ),
);

export const Explanations = named(
  "Explanations",
  MapByAddress(Explanation, { description: "by address or prefix, as sent" }),
);
