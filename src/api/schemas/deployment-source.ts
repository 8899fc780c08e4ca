import { Type } from "typebox";
import { CLASSIFICATIONS } from "../../cti/fields.ts";
import { QUERY_LIMITS } from "../../cti/search/parse-query.ts";
import { MAX_EXPIRY_DAYS, MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import { LineText, named, strict } from "./common.ts";

const MAX_PREFIXES = 1000;
const MAX_TAGS = 100;

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
const sourceMembers = (maxPrefixes: number) => ({
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
  cti_query: Type.Optional(
    Type.String({
      maxLength: QUERY_LIMITS.characters,
      description: "addresses of threat intelligence that a query matches (searchThreats)",
      examples: ['classification:"malicious" AND last_seen:7d'],
    }),
  ),
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

/** Exactly one of them. */
const ONE_SOURCE = {
  ...strict,
  minProperties: 1,
  maxProperties: 1,
  description: "exactly one of its properties",
} as const;

const MAX_VOTERS = 20;
const MAX_WEIGHT = 1_000_000;

const VOTING_SOURCE = "VotingSource";

/** One of the sources of a vote, under this name. */
function votingSource(name: string, maxPrefixes: number) {
  return named(name, Type.Object(sourceMembers(maxPrefixes), ONE_SOURCE));
}

/** A source named `name`, or what at least so many of several list; those are named `voter`. */
export function sourceSchema(name: string, voter: string, maxPrefixes: number) {
  return named(
    name,
    Type.Object(
      {
        ...sourceMembers(maxPrefixes),
        atleast: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_VOTERS * MAX_WEIGHT,
            description:
              "addresses that at least so many of the sources `of` list, or whose sources weigh at least so much together",
          }),
        ),
        of: Type.Optional(
          Type.Array(votingSource(voter, maxPrefixes), {
            minItems: 1,
            maxItems: MAX_VOTERS,
            description: "with `atleast`: the sources that vote",
          }),
        ),
        weights: Type.Optional(
          Type.Array(Type.Integer({ minimum: 1, maximum: MAX_WEIGHT }), {
            minItems: 1,
            maxItems: MAX_VOTERS,
            description: "with `atleast`: how much each source counts; 1 each by default",
          }),
        ),
      },
      {
        ...strict,
        minProperties: 1,
        maxProperties: 3,
        description: "exactly one of its properties; or `atleast` with `of` and, if wanted, `weights`",
      },
    ),
  );
}

export const DeploymentSourceSchema = sourceSchema("DeploymentSource", VOTING_SOURCE, MAX_PREFIXES);
export const VotingSource = votingSource(VOTING_SOURCE, MAX_PREFIXES);
