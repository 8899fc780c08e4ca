import { exportRules, FIREWALL_FORMATS, type RuleExportFormat } from "../../rulesets/export-rules.ts";
import { setNameOf } from "../../formats/set-name.ts";
import { isActive, type Rule } from "../../rulesets/rule.ts";
import { encoded } from "../encoded.ts";
import { rulesetTag } from "./tags.ts";
import { atOneVersion } from "./at-one-version.ts";
import type { LiveRuleset } from "./service-memory.ts";

export interface ExportRequest {
  readonly format: RuleExportFormat;
  readonly activeOnly: boolean;
  /** Of firewalls; made from the ruleset's name unless given. */
  readonly setName?: string | undefined;
}

/** A file that is made when it is asked for; the key says all that it depends on. */
export interface ExportedFile {
  readonly key: string;
  make(): Promise<Buffer>;
}

/**
 * The file of the ruleset as it is at `now`; `current` gives the ruleset as it is when it is called, undefined once it
 * is gone.
 */
export function exportFile(
  current: () => LiveRuleset | undefined,
  ruleset: LiveRuleset,
  now: number,
  request: ExportRequest,
): ExportedFile {
  const key = `${ruleset.about.id} ${rulesetTag(ruleset, now, representationOf(ruleset, now, request))}`;
  const write = (live: LiveRuleset) =>
    encoded(
      exportRules(desiredRules(live, now, request), request.format, {
        setName: setNameIn(live, request),
        now: secondOf(now),
      }),
    );
  return { key, make: async () => (await atOneVersion(() => current() ?? ruleset, write))!.result };
}

/**
 * What stands in the tag for how the ruleset is represented. Timeouts are counted in seconds from now on, so that a
 * file with any is another one each second.
 */
export function representationOf(ruleset: LiveRuleset, now: number, request: ExportRequest): string {
  const { format, activeOnly } = request;
  const parts = [format, ...(activeOnly ? ["active"] : [])];
  if (!FIREWALL_FORMATS.has(format)) return parts.join("-");
  const second = ruleset.rules.nextExpiry(now) === null ? [] : [String(secondOf(now) / 1000)];
  return [...parts, setNameIn(ruleset, request), ...second].join("-");
}

function secondOf(now: number): number {
  return now - (now % 1000);
}

function setNameIn({ about: { name, id } }: LiveRuleset, { setName }: ExportRequest): string {
  return setName ?? setNameOf(name, id);
}

function* desiredRules({ rules }: LiveRuleset, now: number, { activeOnly }: ExportRequest): Generator<Rule> {
  for (const rule of rules.rules()) if (!activeOnly || isActive(rule, now)) yield rule;
}
