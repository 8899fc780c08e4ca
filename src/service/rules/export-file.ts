import { changesBySecond, exportRules, NAMED_FORMATS, type RuleExportFormat } from "../../rulesets/export-rules.ts";
import { setNameOf } from "../../formats/set-name.ts";
import { isActive, type Rule } from "../../rulesets/rule.ts";
import { encoded } from "../encoded.ts";
import { earlierRules } from "./earlier-rules.ts";
import { rulesetTag } from "./tags.ts";
import { atOneVersion } from "./at-one-version.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { secondOf } from "../../time/second-of.ts";
import { stateOf } from "../../store/state.ts";
import type { Store } from "../../store/store.ts";
import type { LiveRuleset } from "../store/service-memory.ts";

export interface ExportRequest {
  readonly format: RuleExportFormat;
  readonly activeOnly: boolean;
  /** For firewalls; made from the ruleset's name by default. */
  readonly setName?: string | undefined;
}

/** A file that is made on request; the key contains everything it depends on. */
export interface ExportedFile {
  readonly key: string;
  make(): Promise<Buffer>;
}

/**
 * The file of the ruleset as of `now`; `current` returns the ruleset as it is when called, undefined once it is gone.
 */
export function exportFile(
  current: () => LiveRuleset | undefined,
  ruleset: LiveRuleset,
  now: number,
  request: ExportRequest,
): ExportedFile {
  const key = `${ruleset.about.id} ${rulesetTag(ruleset, now, representationOf(ruleset, now, request))}`;
  const write = (live: LiveRuleset) => fileOf(desiredRules(live, now, request), live, now, request);
  return { key, make: async () => (await atOneVersion(() => current() ?? ruleset, write))!.result };
}

/** The version to be exported is not kept. */
export class VersionNotKeptError extends Error {}

/**
 * The file of an earlier version of the ruleset, as of `now`. Making it rejects with VersionNotKeptError if the version
 * is not kept.
 */
export function earlierFile(
  store: Pick<Store, "read">,
  ruleset: LiveRuleset,
  now: number,
  { version, ...request }: ExportRequest & { readonly version: number },
): ExportedFile {
  const second = request.activeOnly || changesBySecond(request.format, true) ? secondOf(now) : 0;
  const representation = representationOf(ruleset, now, request);
  return {
    key: `${ruleset.about.id} ${stateOf(ruleset.about)} version ${version} ${representation} ${second}`,
    make: async () => {
      const earlier = await earlierRules(store, ruleset, version);
      if (earlier === undefined) throw new VersionNotKeptError();
      const rules = earlier.rules(request.activeOnly ? secondOf(now) : undefined);
      return inSlices(fileOf(rules, ruleset, now, request));
    },
  };
}

function fileOf(
  rules: Iterable<Rule>,
  live: LiveRuleset,
  now: number,
  request: ExportRequest,
): Generator<undefined, Buffer, undefined> {
  const options = { setName: setNameIn(live, request), purpose: live.about.purpose, now: secondOf(now) };
  return encoded(exportRules(rules, request.format, options));
}

/**
 * The part of the tag that stands for how the ruleset is represented. Timeouts are counted in seconds from now, and
 * serial numbers are seconds, so files with them differ every second.
 */
export function representationOf(ruleset: LiveRuleset, now: number, request: ExportRequest): string {
  const { format, activeOnly } = request;
  const parts = [format, ...(activeOnly ? ["active"] : [])];
  if (NAMED_FORMATS.has(format)) parts.push(setNameIn(ruleset, request));
  if (changesBySecond(format, ruleset.rules.nextExpiry(now) !== null)) parts.push(String(secondOf(now) / 1000));
  return parts.join("-");
}

function setNameIn({ about: { name, id } }: LiveRuleset, { setName }: ExportRequest): string {
  return setName ?? setNameOf(name, id);
}

function* desiredRules({ rules }: LiveRuleset, now: number, { activeOnly }: ExportRequest): Generator<Rule> {
  for (const rule of rules.rules()) if (!activeOnly || isActive(rule, now)) yield rule;
}
