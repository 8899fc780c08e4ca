import type { Format } from "../../formats/format.ts";
import { FORMATS } from "../../formats/formats.ts";
import { trie } from "../../formats/data/trie.ts";
import { misp } from "./misp-feed.ts";
import { RULE_EXPORT_FORMATS, type RuleExportFormat } from "../../rulesets/export-rules.ts";

/** The formats that only deployments have: a binary one, and one that consists of several files. */
const ONLY_DEPLOYED = { misp, trie } as const;
type OnlyDeployed = keyof typeof ONLY_DEPLOYED;

/** The formats of deployments: those of rules, and these. */
export const DEPLOYMENT_FORMATS = [...RULE_EXPORT_FORMATS, "misp", "trie"] as const;
export type DeploymentFormat = RuleExportFormat | OnlyDeployed;

/** The format with the name that deployments use. */
export function formatNamed(name: string): Omit<Format<"rules">, "write"> {
  return isOnlyDeployed(name) ? ONLY_DEPLOYED[name] : (FORMATS[name as RuleExportFormat] as Format<"rules">);
}

/** Whether rules cannot be exported in it. */
export function isOnlyDeployed(name: string): name is OnlyDeployed {
  return Object.hasOwn(ONLY_DEPLOYED, name);
}

/** Whether its files say when entries were added and which were removed. */
export function hasHistory(name: string): boolean {
  return name === "misp";
}
