import type { BatchItem, Client, Rule, Ruleset } from "../client/client.ts";
import { ProblemError } from "../client/errors.ts";
import { UsageError } from "./usage-error.ts";
import type { RuleChange, RuleResult, RulesetTarget } from "./ruleset-target.ts";

/** A ruleset on a server. */
export class RulesetOnServer implements RulesetTarget {
  readonly name: string;
  readonly #client: Client;
  readonly #path: { readonly ruleset_id: string };

  constructor(client: Client, { id, name }: Ruleset) {
    this.name = name;
    this.#client = client;
    this.#path = { ruleset_id: id };
  }

  async check(texts: readonly string[]): Promise<ReadonlyMap<string, readonly Rule[]>> {
    const answer = await this.#client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules:check", {
      params: { path: this.#path },
      body: { ips: [...texts] },
    });
    const results = answer as Readonly<Record<string, { readonly covering: readonly Rule[] }>>;
    return new Map(texts.map((text) => [text, results[text]!.covering]));
  }

  async change(changes: readonly RuleChange[]): Promise<readonly RuleResult[]> {
    try {
      const { results } = await this.#client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules:batch", {
        params: { path: this.#path },
        body: { items: changes.map(itemOf) },
      });
      return results;
    } catch (error) {
      // Where a change is rejected, the problem has the results of all.
      const results = error instanceof ProblemError ? error.problem["results"] : undefined;
      if (!Array.isArray(results)) throw malformed(error);
      return results as RuleResult[];
    }
  }

  rules(): AsyncIterable<Rule> {
    return this.#client.rules(this.#path.ruleset_id);
  }
}

const ITEM_FIELD = /^items\[\d+\]\.(\w+)$/;

/** What is wrong with the changes, by the option that has it; every other error stays what it is. */
function malformed(error: unknown): unknown {
  if (!(error instanceof ProblemError)) return error;
  const texts = Object.entries(error.validationErrors).flatMap(([field, messages]) => {
    const member = ITEM_FIELD.exec(field)?.[1];
    if (member === undefined) return [];
    // What is said of an address shows it.
    return member === "ip" ? messages : messages.map((message) => `--${member.replaceAll("_", "-")}: ${message}`);
  });
  // The options are the same for all rules.
  return texts.length === 0 ? error : new UsageError(`${[...new Set(texts)].join("; ")}; nothing was changed`);
}

function itemOf(change: RuleChange): BatchItem {
  if (change.op === "delete") return { op: "delete", ip: change.ip, missing: "ignore" };
  const { mode, ...rule } = change;
  return { ...rule, ...(mode !== undefined && { conflict_resolution: mode }) };
}
