import { type TSchema, Type } from "typebox";
import { NODE_CLASSES } from "../../collateral/node-classes.ts";
import type { GuardClasses as Classes } from "../../store/records/guard-policy.ts";
import { named, strict } from "./common.ts";

const NodeClass = named(
  "NodeClass",
  Type.Enum([...NODE_CLASSES], {
    description:
      "what stands at the addresses of a service: serving: edges of CDNs and applications, resolvers, crawlers of search engines; rented: machines of a cloud's customers and of CI, which count from a /24 or a /48; anonymiser: VPNs, relays, Tor; scanner: who probes everybody; access: subscribers of access providers, which count from a /24 or a /48",
  }),
);

/** `otherwise`: what null means. */
export function GuardClasses(otherwise: string) {
  return Type.Unsafe<Classes>({
    type: ["array", "null"],
    items: NodeClass as TSchema,
    uniqueItems: true,
    maxItems: NODE_CLASSES.length,
    description: `the classes of services in the catalogue that the guard protects; addresses of an anonymiser or a scanner are protected only with that class, whatever they are inside; null: ${otherwise}`,
  });
}

/** Of rulesets and deployments. */
export const OwnGuardClasses = GuardClasses("as the organisation's (getGuard)");

export const GuardSchema = named(
  "Guard",
  Type.Object(
    { guard_classes: GuardClasses("serving and rented") },
    {
      description: "what the guards of rulesets and deployments protect that do not say it themselves",
    },
  ),
);

export const UpdateGuardBody = named(
  "UpdateGuardRequest",
  Type.Object({ guard_classes: GuardClasses("serving and rented") }, strict),
);
