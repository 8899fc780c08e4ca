import type { Prefix } from "../address/address.ts";
import { AddressError } from "../address/address-error.ts";
import { parsePrefix } from "../address/prefix.ts";
import { carvingRules } from "../collateral/carve-rules.ts";
import { type Collateral, findCollateral, type Protection } from "../collateral/find-collateral.ts";
import type { PrefixList } from "../collateral/protected.ts";
import { protectionOf } from "../collateral/protection-of.ts";
import { prefixesIn, type RuleColumns } from "../rulesets/rule-columns.ts";
import type { Purpose } from "../rulesets/ruleset.ts";
import { type CollateralDocument, collateralDocuments, summaryOf } from "../service/rules/collateral-documents.ts";
import { finished } from "../turns/finished.ts";
import { addressesOf } from "./address-operand.ts";
import type { Arguments, Option } from "./command.ts";
import { SNAPSHOT_OPTION, openTree } from "./catalogue-tree.ts";
import { UsageError } from "./usage-error.ts";

const POLICIES = ["off", "warn", "refuse"] as const;
const LIST_POLICIES = [...POLICIES, "carve"] as const;
type Policy = Exclude<(typeof LIST_POLICIES)[number], "off">;

const NEVER_OPTION: Option = {
  name: "never",
  value: "SET",
  repeats: true,
  help: "with --guard: addresses that must not be blocked, such as an allowlist; may be given several times",
};
const CATALOGUE_OPTION: Option = { ...SNAPSHOT_OPTION, help: `with --guard: ${SNAPSHOT_OPTION.help}` };

/** For commands that write single rules. */
export const GUARD_OPTIONS: readonly Option[] = [
  {
    name: "guard",
    value: "POLICY",
    choices: POLICIES,
    help: "for a file: off (default), or warn of services, special-purpose addresses and --never that would be blocked, or refuse them",
  },
  NEVER_OPTION,
  CATALOGUE_OPTION,
];

/** For commands that write lists. */
export const LIST_GUARD_OPTIONS: readonly Option[] = [
  {
    name: "guard",
    value: "POLICY",
    choices: LIST_POLICIES,
    help: "for a file: off (default), or warn of services, special-purpose addresses and --never that would be blocked, refuse the list, or carve: write it without them",
  },
  NEVER_OPTION,
  CATALOGUE_OPTION,
];

/** Rules, and what they block but should not. */
export interface GuardedRules {
  readonly rules: readonly RuleColumns[];
  readonly warnings: readonly CollateralDocument[];
}

/** What a ruleset in a file must not block. */
export class FileGuard {
  readonly #policy: Policy;
  readonly #args: Arguments;
  readonly #now = Date.now();
  #protection: Promise<Protection> | undefined;

  constructor(policy: Policy, args: Arguments) {
    this.#policy = policy;
    this.#args = args;
  }

  /** What single rules would block. Rejects with UsageError that says it, and those of `--never`. */
  async checkPrefixes(purpose: Purpose, texts: readonly string[]): Promise<readonly CollateralDocument[]> {
    const found = await this.#collateralOf(purpose, () => texts.flatMap(readable));
    if (found === undefined) return [];
    if (this.#policy === "refuse") throw refusalOf(found);
    return collateralDocuments(found, "blocks");
  }

  /** The same for a list; it comes back without what it must not block if the policy says so. */
  async checkList(purpose: Purpose, rules: readonly RuleColumns[]): Promise<GuardedRules> {
    const found = await this.#collateralOf(purpose, () => prefixesIn(rules));
    if (found === undefined) return { rules, warnings: [] };
    if (this.#policy === "refuse") throw refusalOf(found);
    if (this.#policy === "warn") return { rules, warnings: collateralDocuments(found, "blocks") };
    return { rules: finished(carvingRules(rules, found.hits)), warnings: collateralDocuments(found, "leaves out") };
  }

  async #collateralOf(purpose: Purpose, prefixes: () => PrefixList): Promise<Collateral | undefined> {
    if (purpose === "allowlist") return undefined;
    const found = findCollateral(prefixes(), await (this.#protection ??= this.#protectionOf()), this.#now);
    return found.hits.length > 0 || found.tooWide.length > 0 ? found : undefined;
  }

  async #protectionOf(): Promise<Protection> {
    const own = [];
    for (const operand of this.#args.values("never"))
      own.push([operand, await addressesOf(this.#args, operand, this.#now)] as const);
    return protectionOf({
      services: await openTree(this.#args.value("snapshot"), this.#now),
      ownNetworks: Object.fromEntries(own),
    });
  }
}

/** Undefined for off. Throws UsageError for options that are useless without a guard. */
export function fileGuardOf(args: Arguments): FileGuard | undefined {
  const policy = (args.value("guard") ?? "off") as Policy | "off";
  if (policy !== "off") return new FileGuard(policy, args);
  const useless = ["never", "snapshot"].find((option) => args.has(option));
  if (useless !== undefined) throw new UsageError(`--${useless} needs --guard; add --guard warn or refuse`);
  return undefined;
}

/** Whoever writes the rules rejects the others. */
function readable(text: string): Prefix[] {
  try {
    return [parsePrefix(text)];
  } catch (error) {
    if (error instanceof AddressError) return [];
    throw error;
  }
}

/** On a server, a ruleset has a guard of its own. Throws UsageError. */
export function rejectGuardOptions(args: Arguments, ruleset: string): void {
  const given = ["guard", "never", "snapshot"].find((option) => args.has(option));
  if (given !== undefined)
    throw new UsageError(
      `--${given} is for rulesets in files; ${ruleset} is on a server, where each ruleset has a guard of its own; leave it out`,
    );
}

function refusalOf(found: Collateral): UsageError {
  const hits = collateralDocuments(found, "would block");
  return new UsageError(`${summaryOf(hits)}; nothing was written`);
}
