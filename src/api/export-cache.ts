import { exportRules, type RuleExportFormat } from "../rulesets/formats/export-rules.ts";
import { isActive, type Rule } from "../rulesets/rule.ts";
import { rulesetTag } from "./entity-tags.ts";
import { atOneVersion } from "./one-version.ts";
import type { LiveRuleset } from "./service-memory.ts";

/** All exports that are kept, in bytes; the one that was asked for longest ago goes first. */
const MOST_BYTES = 128 << 20;
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
  const written = await atOneVersion(() => current() ?? ruleset, (live) => writing(live, now, request));
  return written!.result;
}

function* writing(ruleset: LiveRuleset, now: number, request: ExportRequest): Generator<undefined, Buffer, undefined> {
  const chunks: Buffer[] = [];
  for (const part of exportRules(wantedRules(ruleset, now, request), request.format)) {
    chunks.push(Buffer.from(part));
    yield;
  }
  return yield* joining(chunks);
}

/** As Buffer.concat, which takes a tenth of a second for 100 MB. */
function* joining(chunks: readonly Buffer[]): Generator<undefined, Buffer, undefined> {
  const whole = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    at += chunk.copy(whole, at);
    yield;
  }
  return whole;
}

function* wantedRules({ rules }: LiveRuleset, now: number, { activeOnly }: ExportRequest): Generator<Rule> {
  for (const rule of rules.rules()) if (!activeOnly || isActive(rule, now)) yield rule;
}
