import fc from "fast-check";
import { ApiDocument, type Operation } from "./api-document.ts";
import { anyCase, type Case } from "./cases.ts";
import { CHECKS, FOLLOW_UPS } from "./checks.ts";
import { type Received, type Send, sender } from "./send.ts";

export interface FuzzOptions {
  readonly url: string;
  /** Of an organisation with all plans. */
  readonly key: string;
  readonly seed: number;
  /** Cases of each operation. */
  readonly runs: number;
  /** The operation to keep to; all without one. */
  readonly only?: string;
  /** Of a hostile body, at most. */
  readonly bodyBytes?: number;
}

const BODY_BYTES = 20_000;

export interface FuzzReport {
  readonly seed: number;
  readonly operations: number;
  /** Requests of all cases, and of what prepares and follows them. */
  requests: number;
  readonly byKind: Record<string, number>;
  readonly byStatus: Record<string, number>;
  /** The first failure of each operation, by `check operation`, made as small as can be. */
  readonly failures: Record<string, string>;
}

/** Sends cases of every operation of the server's own document, and holds every answer to it. */
export async function fuzz({ url, key, seed, runs, only, bodyBytes = BODY_BYTES }: FuzzOptions): Promise<FuzzReport> {
  const api = await ApiDocument.of(url);
  const operations = api.operations.filter(({ id }) => only === undefined || id === only);
  const report: FuzzReport = { seed, operations: operations.length, requests: 0, byKind: {}, byStatus: {}, failures: {} };
  const { send, close } = sender(url);
  const counted: Send = (sent) => {
    report.requests++;
    return send(sent);
  };
  await Promise.all(operations.map((operation) => new OperationFuzz(api, operation, key, counted, report).run(runs, bodyBytes)));
  close();
  return report;
}

/** The cases of one operation, one after the other, in a ruleset of its own. */
class OperationFuzz {
  readonly #api: ApiDocument;
  readonly #operation: Operation;
  readonly #key: string;
  readonly #send: Send;
  readonly #report: FuzzReport;
  #rulesetId = "";

  constructor(api: ApiDocument, operation: Operation, key: string, send: Send, report: FuzzReport) {
    this.#api = api;
    this.#operation = operation;
    this.#key = key;
    this.#send = send;
    this.#report = report;
  }

  async run(runs: number, bodyBytes: number): Promise<void> {
    // A case names the ruleset by this; which one it is, is known when it is sent.
    const arbitrary = anyCase(this.#api, this.#operation, { key: this.#key, rulesetId: PLACEHOLDER, bodyBytes });
    const { seed, failures } = this.#report;
    const details = await fc.check(fc.asyncProperty(arbitrary, (one) => this.#try(one)), { seed, numRuns: runs, endOnFailure: false });
    if (!details.failed) return;
    const error = details.errorInstance;
    const name = error instanceof CheckFailure ? error.check : "error";
    failures[`${name} ${this.#operation.id}`] = `${String(error instanceof Error ? error.message : error)}\nseed ${seed}, path ${details.counterexamplePath}`;
  }

  async #try(planned: Case): Promise<void> {
    await this.#prepare();
    const path = planned.sent.path.replaceAll(PLACEHOLDER, this.#rulesetId).replaceAll(PLACEHOLDER.toUpperCase(), this.#rulesetId.toUpperCase());
    const one = { ...planned, sent: { ...planned.sent, path } };
    const answer = await this.#send(one.sent);
    this.#count(one, answer);
    for (const [name, check] of Object.entries(CHECKS)) throwAt(name, one, answer, check(one, answer, this.#api));
    for (const [name, check] of Object.entries(FOLLOW_UPS)) throwAt(name, one, answer, await check(one, answer, this.#send));
    if (this.#operation.id === "createRuleset" && answer.status === 201) await this.#send({ method: "DELETE", path: answer.headers["location"]!, headers: this.#headers });
    if (this.#operation.id === "deleteRuleset" && answer.status === 204) this.#rulesetId = "";
  }

  get #headers(): Record<string, string> {
    return { "X-API-Key": this.#key, "Content-Type": "application/json" };
  }

  /** Sees to it that there is a ruleset with rules to be found. */
  async #prepare(): Promise<void> {
    const headers = this.#headers;
    if (this.#rulesetId === "" && this.#operation.path.includes("{ruleset_id}")) {
      const { text } = await this.#send({ method: "POST", path: "/v1/edl/ip-rulesets/", headers, body: JSON.stringify({ name: "fuzz", purpose: "blocklist" }) });
      this.#rulesetId = JSON.parse(text).id;
      await this.#addRules();
    }
    if (this.#operation.id === "deleteRule") await this.#addRules();
  }

  async #addRules(): Promise<void> {
    const items = Array.from({ length: 41 }, (_, last) => ({ op: "add", ip: `192.0.2.${last}`, expires_in_days: 1 + (last % 3) }));
    await this.#send({ method: "POST", path: `/v1/edl/ip-rulesets/${this.#rulesetId}/rules:batch`, headers: this.#headers, body: JSON.stringify({ items }) });
  }

  #count({ kind }: Case, { status }: Received): void {
    const { byKind, byStatus } = this.#report;
    byKind[kind] = (byKind[kind] ?? 0) + 1;
    byStatus[status] = (byStatus[status] ?? 0) + 1;
  }
}

const PLACEHOLDER = "cafecafe-cafe-4afe-8afe-cafecafecafe";

class CheckFailure extends Error {
  readonly check: string;

  constructor(check: string, message: string) {
    super(message);
    this.check = check;
  }
}

function throwAt(name: string, { kind, fault, sent }: Case, { status, text }: Received, verdict: string | undefined): void {
  if (verdict === undefined) return;
  const shown = { ...sent, headers: { ...sent.headers, "X-API-Key": "…" }, body: sent.body === undefined ? undefined : String(sent.body).slice(0, 2000) };
  throw new CheckFailure(name, `${name}: ${verdict}\n${kind} ${fault}\n${JSON.stringify(shown)}\n${status} ${text.slice(0, 1000)}`);
}
