import { Type } from "typebox";
import type { Family } from "../../address/address.ts";
import { SET_OPERATIONS } from "../../service/sets/compute-set.ts";
import type { AddressCount, RelatedPair, RelatedSet, Relations } from "../../sets/relate.ts";
import { millionthsOf } from "../../sets/relate.ts";
import { Count, type DocumentOf, named, PrefixText, strict } from "./common.ts";
import { sourceSchema } from "./deployment-source.ts";

/** Sets of one request: two by two, 20 are 190 pairs. */
const MAX_SETS = 20;

/** A list, a ruleset, services or threat intelligence. */
export const SetSource = (maxPrefixes: number) => sourceSchema("SetSource", "VotingSetSource", maxPrefixes);

export const setSources = (maxPrefixes: number, least: number, about: string) =>
  Type.Array(SetSource(maxPrefixes), { minItems: least, maxItems: MAX_SETS, description: about });

export const RelateBody = (maxPrefixes: number) =>
  named(
    "RelateSetsRequest",
    Type.Object({ sets: setSources(maxPrefixes, 2, "the sets; results refer to them by number, from 0") }, strict),
  );

export const ComputeBody = (maxPrefixes: number) =>
  named(
    "ComputeSetRequest",
    Type.Object(
      {
        operation: Type.Enum([...SET_OPERATIONS], {
          description:
            "union or aggregate: the addresses of all sets; intersect: those in every set; subtract: those of the first that are in no other; symmetric: those in exactly one of two; atleast: those in `at_least` of the sets or more",
        }),
        sets: setSources(maxPrefixes, 1, "combined in this order"),
        at_least: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 1_000_000_000,
            description:
              "for the operation atleast: how many of the sets must have an address, or how much those that have it must weigh together",
          }),
        ),
        weights: Type.Optional(
          Type.Array(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
            minItems: 1,
            maxItems: MAX_SETS,
            description: "for the operation atleast: how much each set counts, in their order; 1 by default",
          }),
        ),
        family: Type.Optional(
          Type.Unsafe<Family>({ type: "integer", enum: [4, 6], description: "of one family only; both by default" }),
        ),
      },
      strict,
    ),
  );

/** IPv6 has more addresses than a JSON number can hold. */
export const ExactCount = Type.String({
  pattern: "^\\d+$",
  description: "an exact number, as a string: it may be as large as 2^128",
  examples: ["256"],
});

const Millionths = Type.Unsafe<number | null>({
  type: ["integer", "null"],
  minimum: 0,
  maximum: 1_000_000,
  description: "what part of that set is shared, in millionths, rounded down; null if it is empty",
});

const RelatedCounts = named(
  "RelatedCounts",
  Type.Object({
    addresses: ExactCount,
    only: Type.String({ ...ExactCount, description: "how many of them are in no other of the sets" }),
  }),
);
const SharedCounts = named(
  "SharedCounts",
  Type.Object({ shared: ExactCount, millionths_of_first: Millionths, millionths_of_second: Millionths }),
);

export const RelationsSchema = named(
  "SetRelations",
  Type.Object({
    sets: Type.Array(named("RelatedSet", Type.Object({ ipv4: RelatedCounts, ipv6: RelatedCounts })), {
      description: "in the order of the request; one that adds nothing to the others has 0 in `only`, twice",
    }),
    pairs: Type.Array(
      named(
        "RelatedPair",
        Type.Object({
          first: Type.Integer({ minimum: 0, description: "the number of a set" }),
          second: Type.Integer({ minimum: 0, description: "the number of a later one" }),
          relation: Type.Enum(["equal", "covers", "within", "overlaps", "disjoint"], {
            description: "covers: the first contains the second; within: the second contains the first",
          }),
          ipv4: SharedCounts,
          ipv6: SharedCounts,
        }),
      ),
      { description: "each set with each later one" },
    ),
  }),
);

export const ComputedSet = named(
  "ComputedSet",
  Type.Object({
    addresses: Type.Object({ ipv4: ExactCount, ipv6: ExactCount }),
    prefixes: Type.Array(PrefixText, { description: "the fewest that cover exactly these addresses, IPv4 first" }),
    count: Count,
  }),
);

export function relationsDocument({ sets, pairs }: Relations): DocumentOf<typeof RelationsSchema> {
  return {
    sets: sets.map((set) => ({ ipv4: relatedCounts(set, 4), ipv6: relatedCounts(set, 6) })),
    pairs: pairs.map((pair) => pairDocument(pair, sets)),
  };
}

function relatedCounts({ size, only }: RelatedSet, family: Family) {
  return { addresses: String(size[family]), only: String(only[family]) };
}

function pairDocument({ first, second, relation, shared }: RelatedPair, sets: readonly RelatedSet[]) {
  const [one, other] = [sets[first]!.size, sets[second]!.size];
  const counts = (family: Family) => ({
    shared: String(shared[family]),
    millionths_of_first: millionthsOf(shared[family], one[family]),
    millionths_of_second: millionthsOf(shared[family], other[family]),
  });
  return { first, second, relation, ipv4: counts(4), ipv6: counts(6) };
}

export function exactCounts(count: AddressCount) {
  return { ipv4: String(count[4]), ipv6: String(count[6]) };
}
