import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { ApiDocument, type Operation } from "./api-document.ts";
import { anyCase, type Case, FRESH_TOKEN } from "./cases.ts";
import { CHECKS, FOLLOW_UPS } from "./checks.ts";
import { catalogueNodes, expectedStatuses, ruleExists } from "./expectations.ts";
import { type Received, type Send, sender } from "./send.ts";

export interface FuzzOptions {
  readonly url: string;
  /** The key of an organisation with all plans. */
  readonly key: string;
  readonly seed: number;
  /** The number of cases of each operation. */
  readonly runs: number;
  /** The only operation to use; all by default. */
  readonly only?: string;
  /** The maximum length of a hostile body. */
  readonly bodyBytes?: number;
  /** The server is overloaded: 503 with the time to wait is a valid response. Preparatory requests wait that long. */
  readonly sheds?: boolean;
}

const BODY_BYTES = 20_000;

export interface FuzzReport {
  readonly seed: number;
  readonly operations: number;
  /** The number of requests: those of all cases, and those that prepare and follow them. */
  requests: number;
  readonly byKind: Record<string, number>;
  readonly byStatus: Record<string, number>;
  /** The first failure of each operation, by `check operation`, shrunk as far as possible. */
  readonly failures: Record<string, string>;
}

/** Sends cases of every operation of the server's own document, and checks every response against it. */
export async function fuzz({
  url,
  key,
  seed,
  runs,
  only,
  bodyBytes = BODY_BYTES,
  sheds = false,
}: FuzzOptions): Promise<FuzzReport> {
  const api = await ApiDocument.of(url);
  const operations = api.operations.filter(({ id }) => only === undefined || id === only);
  const report: FuzzReport = {
    seed,
    operations: operations.length,
    requests: 0,
    byKind: {},
    byStatus: {},
    failures: {},
  };
  const { send, close } = sender(url);
  const counted: Send = (sent) => {
    report.requests++;
    return send(sent);
  };
  const nodes = await catalogueNodes(patient(counted), key);
  await Promise.all(
    operations.map((operation) =>
      new OperationFuzz({ api, operation, key, send: counted, report, nodes, sheds }).run(runs, bodyBytes),
    ),
  );
  close();
  return report;
}

interface OperationFuzzOptions {
  readonly api: ApiDocument;
  readonly operation: Operation;
  readonly key: string;
  readonly send: Send;
  readonly report: FuzzReport;
  readonly nodes: ReadonlySet<string>;
  readonly sheds: boolean;
}

/** Sends again, after a moment, what was shed. */
function patient(send: Send): Send {
  return async (sent) => {
    for (;;) {
      const answer = await send(sent);
      if (answer.status !== 503) return answer;
      await sleep(SHORTLY);
    }
  };
}

/** Milliseconds; the server asks clients to wait for a second. */
const SHORTLY = 20;

/** The cases of one operation, one after the other, in a ruleset of its own. */
class OperationFuzz {
  readonly #api: ApiDocument;
  readonly #operation: Operation;
  readonly #key: string;
  readonly #send: Send;
  /** For requests that prepare and follow a case: repeated until they are not shed. */
  readonly #sendSurely: Send;
  readonly #report: FuzzReport;
  readonly #nodes: ReadonlySet<string>;
  readonly #sheds: boolean;
  #rulesetId = "";
  #deploymentId = "";
  #listId = "";

  constructor({ api, operation, key, send, report, nodes, sheds }: OperationFuzzOptions) {
    this.#api = api;
    this.#operation = operation;
    this.#key = key;
    this.#send = send;
    this.#sendSurely = patient(send);
    this.#report = report;
    this.#nodes = nodes;
    this.#sheds = sheds;
  }

  async run(runs: number, bodyBytes: number): Promise<void> {
    // A placeholder for the ruleset, whose id is known when the case is sent.
    const arbitrary = anyCase(this.#api, this.#operation, {
      key: this.#key,
      rulesetId: PLACEHOLDER,
      deploymentId: DEPLOYMENT,
      listId: LIST,
      bodyBytes,
    });
    const { seed, failures } = this.#report;
    const details = await fc.check(
      fc.asyncProperty(arbitrary, (one) => this.#try(one)),
      { seed, numRuns: runs, endOnFailure: false },
    );
    if (!details.failed) return;
    const error = details.errorInstance;
    const name = error instanceof CheckFailure ? error.check : "error";
    failures[`${name} ${this.#operation.id}`] =
      `${String(error instanceof Error ? error.message : error)}\nseed ${seed}, path ${details.counterexamplePath}`;
  }

  async #try(planned: Case): Promise<void> {
    await this.#prepare();
    const path = planned.sent.path
      .replaceAll(PLACEHOLDER, this.#rulesetId)
      .replaceAll(PLACEHOLDER.toUpperCase(), this.#rulesetId.toUpperCase())
      .replaceAll(DEPLOYMENT, this.#deploymentId)
      .replaceAll(LIST, this.#listId);
    const sent: Case = { ...planned, sent: { ...planned.sent, path, headers: withFreshToken(planned.sent.headers) } };
    const one =
      planned.kind === "positive"
        ? {
            ...sent,
            expected: expectedStatuses(sent, {
              nodes: this.#nodes,
              ruleExists: await ruleExists(sent, this.#sendSurely),
            }),
          }
        : sent;
    const answer = await this.#send(one.sent);
    this.#count(one, answer);
    const isShed = this.#sheds && answer.status === 503;
    for (const [name, check] of Object.entries(CHECKS))
      if (!isShed || OF_ANY_ANSWER.has(name)) throwAt(name, one, answer, check(one, answer, this.#api));
    if (isShed) return;
    for (const [name, check] of Object.entries(FOLLOW_UPS))
      throwAt(name, one, answer, await check(one, answer, this.#sendSurely));
    if (/^create(Ruleset|Deployment|ExternalList)$/.test(this.#operation.id) && answer.status === 201)
      await this.#sendSurely({ method: "DELETE", path: answer.headers["location"]!, headers: this.#headers });
    if (this.#operation.id === "deleteRuleset" && answer.status === 204) this.#rulesetId = "";
    if (this.#operation.id === "deleteDeployment" && answer.status === 204) this.#deploymentId = "";
    if (this.#operation.id === "deleteExternalList" && answer.status === 204) this.#listId = "";
  }

  get #headers(): Record<string, string> {
    return { "X-API-Key": this.#key, "Content-Type": "application/json" };
  }

  /** Makes sure that a ruleset with rules, a deployment or an external list exists. */
  async #prepare(): Promise<void> {
    const headers = this.#headers;
    if (this.#deploymentId === "" && this.#operation.path.includes("{deployment_id}")) {
      const { text } = await this.#sendSurely({
        method: "POST",
        path: "/v1/edl/deployments/",
        headers,
        body: JSON.stringify({ name: "fuzz", include: [{ prefixes: ["192.0.2.0/24"] }] }),
      });
      this.#deploymentId = JSON.parse(text).id;
    }
    if (this.#listId === "" && this.#operation.path.includes("{list_id}")) {
      const { text } = await this.#sendSurely({
        method: "POST",
        path: "/v1/edl/lists/",
        headers,
        // URLs of this machine are not fetched but refused at once.
        body: JSON.stringify({ name: "fuzz", url: "https://lists.invalid/", active: false }),
      });
      this.#listId = JSON.parse(text).id;
    }
    if (this.#rulesetId === "" && needsRuleset(this.#operation)) {
      const { text } = await this.#sendSurely({
        method: "POST",
        path: "/v1/edl/ip-rulesets/",
        headers,
        body: JSON.stringify({ name: "fuzz", purpose: "blocklist" }),
      });
      this.#rulesetId = JSON.parse(text).id;
      await this.#addRules();
    }
    if (this.#operation.id === "deleteRule") await this.#addRules();
  }

  async #addRules(): Promise<void> {
    const items = Array.from({ length: 41 }, (_, last) => ({
      op: "add",
      ip: `192.0.2.${last}`,
      expires_in_days: 1 + (last % 3),
    }));
    await this.#sendSurely({
      method: "POST",
      path: `/v1/edl/ip-rulesets/${this.#rulesetId}/rules:batch`,
      headers: this.#headers,
      body: JSON.stringify({ items }),
    });
  }

  #count({ kind }: Case, { status }: Received): void {
    const { byKind, byStatus } = this.#report;
    byKind[kind] = (byKind[kind] ?? 0) + 1;
    byStatus[status] = (byStatus[status] ?? 0) + 1;
  }
}

function withFreshToken(headers: Case["sent"]["headers"]): Case["sent"]["headers"] {
  return headers["Idempotency-Key"] === FRESH_TOKEN ? { ...headers, "Idempotency-Key": crypto.randomUUID() } : headers;
}

/** Checks that also apply to shed requests. */
const OF_ANY_ANSWER: ReadonlySet<string> = new Set([
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "response_headers_conformance",
  "problem_conformance",
  "no_key_in_answers",
]);

const PLACEHOLDER = "cafecafe-cafe-4afe-8afe-cafecafecafe";
const DEPLOYMENT = "deadbeef-cafe-4afe-8afe-cafecafecafe";
const LIST = "facade00-cafe-4afe-8afe-cafecafecafe";

class CheckFailure extends Error {
  readonly check: string;

  constructor(check: string, message: string) {
    super(message);
    this.check = check;
  }
}

function throwAt(
  name: string,
  { kind, fault, sent }: Case,
  { status, text }: Received,
  verdict: string | undefined,
): void {
  if (verdict === undefined) return;
  const shown = {
    ...sent,
    headers: { ...sent.headers, "X-API-Key": "…" },
    body: sent.body === undefined ? undefined : String(sent.body).slice(0, 2000),
  };
  throw new CheckFailure(
    name,
    `${name}: ${verdict}\n${kind} ${fault}\n${JSON.stringify(shown)}\n${status} ${text.slice(0, 1000)}`,
  );
}

/** Whether its requests name a ruleset. */
function needsRuleset({ path, parameters }: Operation): boolean {
  return path.includes("{ruleset_id}") || parameters.some(({ name, required }) => name === "ruleset_id" && required);
}
