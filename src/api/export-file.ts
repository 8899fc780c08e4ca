import { exportRules, type RuleExportFormat } from "../rulesets/formats/export-rules.ts";
import { isActive, type Rule } from "../rulesets/rule.ts";
import { encoded } from "./encoded.ts";
import { rulesetTag } from "./entity-tags.ts";
import { atOneVersion } from "./one-version.ts";
import type { LiveRuleset } from "./service-memory.ts";
import type { SharedCache } from "./shared-cache.ts";

export interface ExportRequest {
  readonly format: RuleExportFormat;
  readonly activeOnly: boolean;
}

/** The file of the ruleset as it is at `now`; `current` gives the ruleset as it is when it is called, undefined once it is gone. */
export function exportFile(files: SharedCache<Buffer>, current: () => LiveRuleset | undefined, ruleset: LiveRuleset, now: number, request: ExportRequest): Promise<Buffer> {
  const key = `${ruleset.about.id} ${rulesetTag(ruleset, now, representationOf(request))}`;
  const write = (live: LiveRuleset) => encoded(exportRules(wantedRules(live, now, request), request.format));
  return files.get(key, async () => (await atOneVersion(() => current() ?? ruleset, write))!.result);
}

/** What stands in the tag for how the ruleset is told. */
export function representationOf({ format, activeOnly }: ExportRequest): string {
  return activeOnly ? `${format}-active` : format;
}

function* wantedRules({ rules }: LiveRuleset, now: number, { activeOnly }: ExportRequest): Generator<Rule> {
  for (const rule of rules.rules()) if (!activeOnly || isActive(rule, now)) yield rule;
}
