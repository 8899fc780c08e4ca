import type { Prefix } from "../../address/address.ts";
import { AddressError } from "../../address/address-error.ts";
import { parsePrefix } from "../../address/prefix.ts";
import { carvingRules } from "../../collateral/carve-rules.ts";
import { type Collateral, findCollateral, hasCollateral, type Protection } from "../../collateral/find-collateral.ts";
import type { PrefixList } from "../../collateral/protected.ts";
import { protectionOf } from "../../collateral/protection-of.ts";
import { prefixesIn, type RuleColumns } from "../../rulesets/rule-columns.ts";
import type { Purpose } from "../../rulesets/ruleset.ts";
import { type CollateralDocument, collateralDocuments, summaryOf } from "../../service/guards/collateral-documents.ts";
import type { GuardedRules } from "../../service/guards/guard-writes.ts";
import { GUARD_POLICIES, type GuardPolicy } from "../../store/records/guard-policy.ts";
import { finished } from "../../turns/finished.ts";
import { addressesOf } from "../address-sets/address-operand.ts";
import { guardClassesOf, guardClassesOption } from "./guard-classes.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { SNAPSHOT_OPTION, openTree } from "../snapshots/catalogue-tree.ts";
import { UsageError } from "../runner/usage-error.ts";

type Policy = Exclude<GuardPolicy, "off">;

const CLASSES_OPTION = guardClassesOption("serving and rented");

function guardOptions(choices: readonly GuardPolicy[], meaning: string): readonly Option[] {
  return [
    {
      name: "guard",
      value: "POLICY",
      choices,
      help: `for a file, if services, special-purpose addresses or those of --never would be blocked: ${meaning}`,
    },
    { ...CLASSES_OPTION, help: `with --guard: ${CLASSES_OPTION.help}` },
    {
      name: "never",
      value: "SET",
      repeats: true,
      help: "with --guard: addresses that must not be blocked, such as an allowlist; may be given several times",
    },
    { ...SNAPSHOT_OPTION, help: `with --guard: ${SNAPSHOT_OPTION.help}` },
  ];
}

/** For commands with `--never` that have no option of this name for another reason. */
export const ALLOW_EMPTY_OPTION: Option = {
  name: "allow-empty",
  help: "do not reject a file of --never without addresses",
};

/** For commands that write single rules. */
export const GUARD_OPTIONS = [
  ...guardOptions(["off", "warn", "refuse"], "off (default), warn, or refuse the rules"),
  ALLOW_EMPTY_OPTION,
];

/** For commands that write lists. */
export const LIST_GUARD_OPTIONS = guardOptions(
  GUARD_POLICIES,
  "off (default), warn, refuse the list, or carve (write it without them)",
);

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

  /**
   * What single rules would block. Rejects with UsageError if they would and the policy is refuse, or if a `--never`
   * cannot be read.
   */
  async checkPrefixes(purpose: Purpose, texts: readonly string[]): Promise<readonly CollateralDocument[]> {
    const found = await this.#collateralOf(purpose, () => texts.flatMap(readable));
    if (found === undefined) return [];
    if (this.#policy === "refuse") throw refusalOf(found);
    return collateralDocuments(found, "blocks");
  }

  /** The same for a list; if the policy is carve, it is returned without what it must not block. */
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
    return hasCollateral(found) ? found : undefined;
  }

  async #protectionOf(): Promise<Protection> {
    const own = [];
    const protects = !this.#args.has("allow-empty");
    for (const operand of this.#args.values("never"))
      own.push([operand, await addressesOf(this.#args, operand, this.#now, { protects })] as const);
    const classes = guardClassesOf(this.#args);
    return protectionOf({
      ...(classes != null && { classes }),
      services: await openTree(this.#args.value("snapshot"), this.#now),
      ownNetworks: Object.fromEntries(own),
    });
  }
}

/** Undefined for off. Throws UsageError for options that are useless without a guard. */
export function fileGuardOf(args: Arguments): FileGuard | undefined {
  const policy = (args.value("guard") ?? "off") as GuardPolicy;
  if (policy !== "off") return new FileGuard(policy, args);
  const useless = ["never", "guard-classes", "snapshot"].find((option) => args.has(option));
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
  const given = ["guard", "never", "guard-classes", "snapshot"].find((option) => args.has(option));
  if (given !== undefined)
    throw new UsageError(
      `--${given} is for rulesets in files; ${ruleset} is on a server, where each ruleset has a guard of its own; leave it out`,
    );
}

function refusalOf(found: Collateral): UsageError {
  const hits = collateralDocuments(found, "would block");
  return new UsageError(`${summaryOf(hits)}; nothing was written`);
}
