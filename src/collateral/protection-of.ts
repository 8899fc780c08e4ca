import type { CatalogueTree } from "../cbs/catalogue-tree.ts";
import { indexOf, type Ruleset } from "../rulesets/ruleset.ts";
import type { AddressSet } from "../sets/address-set.ts";
import { finished } from "../turns/finished.ts";
import type { Protection } from "./find-collateral.ts";
import { ANY_LENGTH, type ProtectedGroup } from "./protected.ts";
import { GUARDED_CLASSES, type NodeClass } from "./node-classes.ts";
import { protectingServices } from "./services.ts";
import { specialPurposeGroup } from "./special-purpose.ts";

/** What must not be blocked. */
export interface ProtectedThings {
  /** A catalogue, of which CDNs, applications, crawlers and security services count, and whole networks of clouds. */
  readonly services?: CatalogueTree;
  /** Of which classes services count; `serving` and `rented` unless given. */
  readonly classes?: readonly NodeClass[];
  /** Their active rules count, also those that are written later. */
  readonly allowlists?: readonly Ruleset[];
  /** Own networks, by their names. */
  readonly ownNetworks?: Readonly<Record<string, AddressSet>>;
}

/**
 * For `findCollateral`: these things, and private, local and multicast addresses. O(services x prefixes of the
 * catalogue), a third of a second for a full one, so one is made for many lists.
 * @throws TableError for a corrupt catalogue
 */
export function protectionOf({
  services,
  classes = GUARDED_CLASSES,
  allowlists = [],
  ownNetworks = {},
}: ProtectedThings): Protection {
  return {
    groups: [
      ...(services === undefined ? [] : finished(protectingServices(services, classes))),
      specialPurposeGroup(),
      ...Object.entries(ownNetworks).map(([name, addresses]) => ownGroup(name, addresses)),
    ],
    rulesets: allowlists.map((ruleset) => ({
      kind: "allowed",
      id: null,
      name: ruleset.name,
      rules: indexOf(ruleset),
    })),
  };
}

function ownGroup(name: string, addresses: AddressSet): ProtectedGroup {
  return { members: [{ kind: "own-network", id: null, name, addresses }], all: addresses, longest: ANY_LENGTH };
}
