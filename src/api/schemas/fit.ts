import { Type } from "typebox";
import { Collateral } from "./collateral.ts";
import { AddressText, named, PrefixText, strict } from "./common.ts";
import { ComputedSet, ExactCount, setSources } from "./sets.ts";

const MAX_ENTRIES = 100_000_000;
const MAX_LINES = 1_000_000_000_000;

export const FitBody = (maxPrefixes: number) =>
  named(
    "FitSetsRequest",
    Type.Object(
      {
        sets: setSources(maxPrefixes, 1, "united: 200,000 prefixes at most"),
        entries: Type.Integer({ minimum: 1, maximum: MAX_ENTRIES, description: "at most this many prefixes" }),
        loss: Type.Optional(
          Type.Enum(["none", "add", "remove"], {
            default: "none",
            description:
              "what to do if that is too few. none: fail with 400 and the number needed; add: add as few other addresses as possible; remove: leave out as few addresses as possible",
          }),
        ),
        never: Type.Optional(
          setSources(maxPrefixes, 1, "never add these addresses, except those that the sets contain"),
        ),
        seen: Type.Optional(
          Type.Array(
            named(
              "SeenAddress",
              Type.Object({ ip: AddressText, lines: Type.Integer({ minimum: 1, maximum: MAX_LINES }) }, strict),
            ),
            {
              minItems: 1,
              maxItems: maxPrefixes,
              description:
                "addresses of a log of your own, and how many lines each has: the addresses with the fewest lines are added or left out first. Without it each address costs the same, and a /64 of IPv6 as much as an IPv4 address",
            },
          ),
        ),
        min_prefix_v4: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 32, default: 8, description: "no wider prefix is made by adding" }),
        ),
        min_prefix_v6: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 128, default: 19, description: "no wider prefix is made by adding" }),
        ),
      },
      strict,
    ),
  );

export const FittedSet = named(
  "FittedSet",
  Type.Object({
    count: Type.Integer({ minimum: 0, description: "of the prefixes: at most `entries`" }),
    exact_count: Type.Integer({ minimum: 0, description: "how many prefixes the exact list has" }),
    prefixes: Type.Array(PrefixText, { description: "the list, in order, IPv4 first" }),
    added: ComputedSet,
    removed: ComputedSet,
    cost: Type.String({
      ...ExactCount,
      description: "of what was added and removed, rounded down: addresses, or lines where `seen` was sent",
    }),
    bound: Type.String({
      ...ExactCount,
      description: "the least that any list of so many prefixes costs, rounded down",
    }),
    is_best: Type.Boolean({ description: "whether no list of so many prefixes costs less, by one address or line" }),
    warnings: Type.Optional(
      Type.Array(Collateral, {
        description:
          "what a blocklist with the added addresses would block that it should not: the first 100, the most addresses first; absent if there is nothing",
      }),
    ),
  }),
);
