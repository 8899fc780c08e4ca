import { Ruleset } from "../rulesets/ruleset.ts";
import type { components } from "./_operations.ts";
import { linesOf } from "./look-up-each.ts";
import { ServiceError } from "./errors.ts";

/** Milliseconds until a failed full read is retried; doubled each time. */
const [AGAIN_AFTER, MAX_AGAIN_AFTER] = [500, 30_000];
const GONE = 410;
/** Statuses for which a retry does not help: the request, the key or the plan is wrong. */
const isFinal = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![408, 429, GONE].includes(error.status);

type Change = components["schemas"]["Change"];
type Rule = components["schemas"]["Rule"];

/** The calls of the service that a mirror needs. */
interface Service {
  snapshot(rulesetId: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  changes(options: { after: number; feed: string; signal: AbortSignal }): AsyncIterable<Change>;
}

/** How a mirror is ended, and what is called when it ends. */
export interface MirrorOptions {
  /** Ends the mirror. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when the mirror stops following for good, for example because its key was revoked; the rules stay as they
   * are.
   */
  readonly onEnd?: ((error: unknown) => void) | undefined;
}

/** A ruleset of the service that is kept in this process. `Client.mirror` makes it. */
export class RulesetMirror {
  readonly #service: Service;
  readonly #id: string;
  readonly #options: MirrorOptions;
  readonly #end = new AbortController();
  #rules = new Ruleset({ allowSpecialPurpose: true });
  #sequence = 0;
  #feed = "";

  constructor(service: Service, id: string, options: MirrorOptions) {
    this.#service = service;
    this.#id = id.toLowerCase();
    this.#options = options;
    const { signal } = options;
    if (signal?.aborted === true) this.close();
    signal?.addEventListener("abort", () => this.close(), { once: true });
  }

  /** The rules as currently known. A full read replaces the object, so read this property each time. */
  get rules(): Ruleset {
    return this.#rules;
  }

  /** The number of the last change that the rules include. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Stops following; the rules stay as they are. */
  close(): void {
    this.#end.abort(new DOMException("the mirror has been closed", "AbortError"));
  }

  /** Reads all rules. Rejects with ServiceError, ConnectionError. */
  async read(): Promise<void> {
    const body = await this.#service.snapshot(this.#id, this.#end.signal);
    const rules = new Ruleset({ allowSpecialPurpose: true });
    let [feed, sequence, count] = ["", 0, -1];
    for await (const text of linesOf(body)) {
      const line = JSON.parse(text) as { feed: string; sequence: number; rules?: number; rule?: Rule };
      if (line.rule !== undefined) put(rules, line.rule);
      else if (line.feed !== undefined) ({ feed, sequence } = line);
      else if (line.rules !== undefined) count = line.rules;
    }
    if (count !== rules.count) throw new Error("the service stopped halfway through the snapshot");
    [this.#rules, this.#feed, this.#sequence] = [rules, feed, sequence];
  }

  /** Follows the changes until the mirror is closed. */
  async follow(): Promise<void> {
    const { signal } = this.#end;
    let wait = AGAIN_AFTER;
    let mustRead = false;
    while (!signal.aborted) {
      try {
        if (mustRead) await this.read();
        mustRead = false;
        wait = AGAIN_AFTER;
        for await (const change of this.#service.changes({ after: this.#sequence, feed: this.#feed, signal }))
          this.#apply(change);
      } catch (error) {
        if (signal.aborted) return;
        if (isFinal(error)) return this.#options.onEnd?.(error);
        mustRead ||= error instanceof ServiceError && error.status === GONE;
        await new Promise((resolve) => setTimeout(resolve, wait));
        wait = Math.min(2 * wait, MAX_AGAIN_AFTER);
      }
    }
  }

  #apply({ sequence, type, ruleset_id: id, rule }: Change): void {
    this.#sequence = sequence;
    if (id !== this.#id) return;
    if (type === "ruleset.deleted") this.#rules.clear();
    // An expired rule stays but no longer counts.
    else if (type === "rule.deleted") this.#rules.delete(rule!.ip);
    else if (type === "rule.created" || type === "rule.updated") put(this.#rules, rule!);
  }
}

function put(rules: Ruleset, { ip, name, expires_at: expiresAt, updated_at: updatedAt }: Rule): void {
  const expiry = expiresAt === null ? null : Date.parse(expiresAt);
  rules.add(ip, { name, expiresAt: expiry, mode: "override" }, Date.parse(updatedAt));
}
