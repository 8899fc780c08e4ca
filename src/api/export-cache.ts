import { setImmediate as turn } from "node:timers/promises";
import { exportRules, type RuleExportFormat } from "../rulesets/formats/export-rules.ts";
import { isActive, type Rule } from "../rulesets/rule.ts";
import { rulesetTag } from "./entity-tags.ts";
import type { LiveRuleset } from "./service-memory.ts";

/** All exports that are kept, in bytes; the one that was asked for longest ago goes first. */
const MOST_BYTES = 128 << 20;
/** A ruleset that changes while it is written is begun again so many times; then it is written at once. */
const MOST_TRIES = 3;
/** Chunks of 64 KiB are written before others have their turn. */
const CHUNKS_PER_TURN = 8;

export interface ExportRequest {
  readonly format: RuleExportFormat;
  readonly activeOnly: boolean;
}

/** Whole rulesets as files. Each state of a ruleset is written once: parallel downloads share its bytes. */
export class ExportCache {
  readonly #files = new Map<string, Promise<Buffer>>();
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  /** The file of the ruleset as it is at `now`; `current` gives the ruleset as it is when it is called, undefined once it is gone. */
  get(current: () => LiveRuleset | undefined, ruleset: LiveRuleset, now: number, request: ExportRequest): Promise<Buffer> {
    const key = `${ruleset.about.id} ${rulesetTag(ruleset, now, representationOf(request))}`;
    const known = this.#files.get(key);
    if (known !== undefined) {
      this.#files.delete(key);
      this.#files.set(key, known);
      return known;
    }
    const file = write(current, ruleset, now, request);
    this.#files.set(key, file);
    file.then((bytes) => this.#keep(key, bytes.length), () => this.#files.delete(key));
    return file;
  }

  #keep(key: string, size: number): void {
    this.#sizes.set(key, size);
    this.#bytes += size;
    for (const oldest of this.#files.keys()) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#bytes -= this.#sizes.get(oldest) ?? 0;
      this.#sizes.delete(oldest);
      this.#files.delete(oldest);
    }
  }
}

/** What stands in the tag for how the ruleset is told. */
export function representationOf({ format, activeOnly }: ExportRequest): string {
  return activeOnly ? `${format}-active` : format;
}

async function write(current: () => LiveRuleset | undefined, ruleset: LiveRuleset, now: number, request: ExportRequest): Promise<Buffer> {
  const { version } = ruleset.about;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const chunks: string[] = [];
    let isSame = true;
    for (const part of exportRules(wantedRules(ruleset, now, request), request.format)) {
      chunks.push(part);
      if (chunks.length % CHUNKS_PER_TURN !== 0) continue;
      await turn();
      isSame = current()?.about.version === version;
      if (!isSame) break;
    }
    if (isSame) return Buffer.from(chunks.join(""));
  }
  return Buffer.from([...exportRules(wantedRules(current() ?? ruleset, now, request), request.format)].join(""));
}

function* wantedRules({ rules }: LiveRuleset, now: number, { activeOnly }: ExportRequest): Generator<Rule> {
  for (const rule of rules.rules()) if (!activeOnly || isActive(rule, now)) yield rule;
}
