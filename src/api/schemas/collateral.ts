import { Type } from "typebox";
import { NODE_CLASSES, type NodeClass } from "../../collateral/node-classes.ts";
import { named, NullableText } from "./common.ts";
import { problemOf } from "./problem.ts";

const Addresses = Type.String({ pattern: "^[0-9]+$", description: "how many addresses; as text, as it may be long" });

export const Collateral = named(
  "Collateral",
  Type.Object({
    kind: Type.Enum(["service", "allowed", "own-network", "special-purpose", "wide"], {
      description:
        "service: of the catalogue; allowed: by an allowlist; own-network: in an allowlist or an external list marked never_block; special-purpose: private, local or multicast; wide: a rule wider than /8 or /19",
    }),
    id: NullableText({ description: "of the node of the catalogue, or of the ruleset or external list" }),
    name: Type.String(),
    class: Type.Unsafe<NodeClass | null>({
      type: ["string", "null"],
      enum: [...NODE_CLASSES, null],
      description:
        "of a service: what stands at its addresses, which is why it is protected (`guard_classes`): serving (edges of CDNs and applications, resolvers, crawlers) and rented (machines of a cloud's customers, which count from a /24 or a /48), unless others are chosen",
    }),
    ipv4_addresses: Addresses,
    ipv6_addresses: Addresses,
    prefixes: Type.Array(Type.String(), { description: "the first five prefixes of these addresses" }),
    detail: Type.String({
      description: "the same in words",
      examples: ["blocks 256 addresses of GitHub (/saas/github)"],
    }),
  }),
);

/** What responses to writes say about them. */
export const warnings = {
  warnings: Type.Optional(
    Type.Array(Collateral, {
      description:
        "what the rules of the request block that a blocklist should not (guard: warn), or what was left out of them (guard: carve): the first 100, the most addresses first; absent if there is nothing",
    }),
  ),
};

export const CollateralProblem = problemOf("collateral", {
  collateral: Type.Array(Collateral, {
    description: "what the rules would block: the first 100, the most addresses first",
  }),
  carved: Type.Optional(
    Type.Array(Type.String(), {
      description: "with guard: carve, the prefixes to write instead: the first 1,000 of them",
    }),
  ),
});
