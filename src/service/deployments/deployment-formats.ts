import { type Format } from "../../formats/format.ts";
import { FORMATS } from "../../formats/formats.ts";
import { trie } from "../../formats/trie.ts";
import { RULE_EXPORT_FORMATS, type RuleExportFormat } from "../../rulesets/export-rules.ts";

/** The formats of deployments: those of rules, and a binary one. */
export const DEPLOYMENT_FORMATS = [...RULE_EXPORT_FORMATS, "trie"] as const;
export type DeploymentFormat = RuleExportFormat | "trie";

/** By the name that a deployment has. */
export function formatNamed(name: string): Format<"rules"> {
  return name === "trie" ? trie : (FORMATS[name as RuleExportFormat] as Format<"rules">);
}
