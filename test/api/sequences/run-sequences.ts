import assert from "node:assert/strict";
import fc from "fast-check";
import { makeApiKey } from "../../../src/store/records/api-key.ts";
import { type Received, type Sent, sender, type Send } from "../fuzz/send.ts";
import type { TestServer } from "../start-server.ts";
import { Model, type Asked, type Expected } from "./model.ts";
import { anySteps, type Caller, type Question, type Step } from "./operations.ts";

export interface SequenceReport {
  readonly seed: number;
  sequences: number;
  requests: number;
  /** By kind of question and status of the response. */
  readonly answers: Record<string, number>;
  /** The first sequence whose responses differ from the model's, shrunk as far as possible. */
  failure: string | undefined;
}

export interface SequenceOptions {
  readonly server: TestServer;
  /** Where requests go; by default to the server itself. */
  readonly url?: string;
  readonly seed: number;
  readonly runs: number;
  /** Whether a sequence that fails is shrunk. */
  readonly shrinks?: boolean;
}

const DAY = 86_400_000;

/**
 * Runs sequences of requests of two organisations, each in organisations of its own, and compares every response with
 * the model's.
 */
export async function runSequences({
  server,
  url = server.server.url,
  seed,
  runs,
  shrinks = true,
}: SequenceOptions): Promise<SequenceReport> {
  const report: SequenceReport = { seed, sequences: 0, requests: 0, answers: {}, failure: undefined };
  const { send, close } = sender(url, 1);
  const start = server.clock.now;
  const property = fc.asyncProperty(anySteps(start), async (steps) => {
    server.clock.now = start;
    report.sequences++;
    const world = await World.make(server, send, report);
    for (const step of steps) await world.take(step);
  });
  const details = await fc.check(property, { seed, numRuns: runs, endOnFailure: !shrinks });
  close();
  if (details.failed)
    report.failure = `${(details.errorInstance as Error).message}\nsteps: ${JSON.stringify(details.counterexample?.[0], undefined, 1)}\nseed ${seed}, path ${details.counterexamplePath}`;
  return report;
}

type Keys = Readonly<Record<Caller["key"], string>>;

/** Two organisations, a third one without a plan, and the model's view of them. */
class World {
  readonly #server: TestServer;
  readonly #send: Send;
  readonly #report: SequenceReport;
  readonly #model = new Model();
  readonly #keys: readonly [Keys, Keys];
  /** The last ETag of each answer, and what that was. */
  readonly #tags = new Map<string, { readonly etag: string; readonly tagged: string }>();
  /** The last ETag of each ruleset's rules, and their version at that time. */
  readonly #versions = new Map<string, { readonly etag: string; readonly version: number }>();

  private constructor(server: TestServer, send: Send, report: SequenceReport, keys: readonly [Keys, Keys]) {
    this.#server = server;
    this.#send = send;
    this.#report = report;
    this.#keys = keys;
  }

  static async make(server: TestServer, send: Send, report: SequenceReport): Promise<World> {
    const number = report.sequences;
    const made = await Promise.all(
      ["first", "second", "poor"].map((name) => organisation(server, `${name} ${number} ${Math.random()}`)),
    );
    const [first, second, poor] = made as [Made, Made, Made];
    const without = await keyOf(server, poor.id, "read_write");
    const keys = await Promise.all([first, second].map((each) => keysOf(server, each.id, without)));
    const world = new World(server, send, report, keys as [Keys, Keys]);
    for (const [index, { rulesets }] of [first, second].entries()) {
      for (const { id, name, purpose } of rulesets)
        world.#model.add(index as 0 | 1, { id, name, purpose, now: server.clock.now });
    }
    return world;
  }

  async take({ passes, caller, question }: Step): Promise<void> {
    this.#server.clock.now += passes;
    const sent = this.#request(caller, question);
    const asked: Asked = {
      caller,
      question,
      now: this.#server.clock.now,
      request: JSON.stringify([sent.method, sent.path, sent.body]),
      idempotencyKey: sent.headers["Idempotency-Key"] as string | undefined,
      ifVersion: this.#ifVersion(caller, question),
    };
    const expected = this.#model.answer(asked);
    const answer = await this.#send(sent);
    this.#report.requests++;
    const about = `${question.kind} ${answer.status}`;
    this.#report.answers[about] = (this.#report.answers[about] ?? 0) + 1;
    const shown = `${caller.key} of ${caller.organisation} at ${asked.now}: ${JSON.stringify({ ...sent, headers: { ...sent.headers, "X-API-Key": "" } })}`;
    this.#compare(shown, expected, answer, this.#tagKey(caller, sent));
    this.#searchForOthers(shown, caller, answer);
    this.#keepVersion(caller, question, answer);
  }

  #compare(shown: string, expected: Expected, answer: Received, tagKey: string): void {
    const known = this.#tags.get(tagKey);
    if (answer.status === 304 && expected.tagged !== undefined) {
      assert.equal(known?.tagged, expected.tagged, `${shown}: 304, but the answer has changed`);
      return;
    }
    const actual = { status: answer.status, body: comparable(answer, expected) };
    assert.deepEqual(actual, { status: expected.status, body: expected.body }, shown);
    if (answer.status === 201 && expected.created !== undefined) expected.created(JSON.parse(answer.text).id);
    const { etag } = answer.headers;
    if (expected.tagged === undefined || answer.status !== 200) return;
    assert.ok(etag !== undefined, `${shown}: no ETag`);
    if (known?.etag === etag)
      assert.equal(known.tagged, expected.tagged, `${shown}: the same ETag, but another answer`);
    this.#tags.set(tagKey, { etag, tagged: expected.tagged });
  }

  /**
   * Whatever the model says, no response contains ids of the other organisation's rulesets, unless the request named
   * them.
   */
  #searchForOthers(shown: string, { organisation }: Caller, { text, headers }: Received): void {
    const all = `${text} ${JSON.stringify(headers)}`;
    for (const { id } of this.#model.rulesets[1 - organisation]!) {
      if (!shown.includes(id))
        assert.ok(!all.includes(id), `${shown}: the answer tells of the other organisation's ${id}`);
    }
  }

  #tagKey({ organisation }: Caller, { path }: Sent): string {
    return `${organisation} ${path}`;
  }

  #ifVersion(caller: Caller, question: Question): number | null | undefined {
    if (question.kind !== "replace" || !question.isConditional) return undefined;
    return this.#versions.get(this.#idOf(caller, question.target))?.version ?? null;
  }

  #keepVersion(caller: Caller, question: Question, { status, headers }: Received): void {
    if ((question.kind !== "list-rules" && question.kind !== "get-ruleset") || status !== 200) return;
    const { id, version } = this.#model.find(caller, question.target)!;
    this.#versions.set(id, { etag: headers["etag"]!, version });
  }

  #idOf(caller: Caller, target: Parameters<Model["find"]>[1]): string {
    return this.#model.find(caller, target)?.id ?? NOBODYS;
  }

  #request(caller: Caller, question: Question): Sent {
    const { method, path, query = {}, body, headers = {} } = this.#parts(caller, question);
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    ).toString();
    const url = search === "" ? path : `${path}?${search}`;
    const key = this.#keys[caller.organisation][caller.key];
    // Keys are forgotten after a day: each half day uses other ones.
    const slot: Record<string, string> =
      "slot" in question && question.slot !== undefined
        ? { "Idempotency-Key": `slot-${question.slot}-${Math.floor(this.#server.clock.now / (DAY / 2))}` }
        : {};
    const type: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
    const known =
      "isKnown" in question && question.isKnown ? this.#tags.get(`${caller.organisation} ${url}`) : undefined;
    return {
      method,
      path: url,
      headers: {
        "X-API-Key": key,
        ...type,
        ...slot,
        ...headers,
        ...(known === undefined ? {} : { "If-None-Match": known.etag }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    };
  }

  #parts(
    caller: Caller,
    question: Question,
  ): { method: string; path: string; query?: object; body?: unknown; headers?: Record<string, string> } {
    if (question.kind === "list-rulesets")
      return {
        method: "GET",
        path: BASE,
        query: { purpose: question.purpose, page: question.page, page_size: question.page_size },
      };
    if (question.kind === "create-ruleset")
      return {
        method: "POST",
        path: BASE,
        body: { name: question.name, purpose: question.purpose, description: question.description },
      };
    const id = this.#idOf(caller, question.target);
    const path = `${BASE}${id}`;
    switch (question.kind) {
      case "get-ruleset":
        return { method: "GET", path };
      case "update-ruleset":
        return { method: "PATCH", path, body: question.body };
      case "delete-ruleset":
        return { method: "DELETE", path };
      case "list-rules":
        return {
          method: "GET",
          path: `${path}/rules`,
          query: { active_only: question.active_only, page: question.page, page_size: question.page_size },
        };
      case "export":
        return { method: "GET", path: `${path}/rules:export`, query: { active_only: question.active_only } };
      case "add-rule":
        return { method: "POST", path: `${path}/rules`, body: question.body };
      case "get-rule":
        return { method: "GET", path: `${path}/rules/rule`, query: { ip: question.ip } };
      case "update-rule":
        return { method: "PUT", path: `${path}/rules/rule`, query: { ip: question.ip }, body: question.body };
      case "delete-rule":
        return { method: "DELETE", path: `${path}/rules/rule`, query: { ip: question.ip } };
      case "check":
        return { method: "POST", path: `${path}/rules:check`, body: { ip: question.ip } };
      case "batch":
        return {
          method: "POST",
          path: `${path}/rules:batch`,
          body: { items: question.items, atomic: question.atomic },
        };
      case "replace": {
        const headers: Record<string, string> = question.isConditional
          ? { "If-Match": this.#versions.get(id)?.etag ?? '"nonsense"' }
          : {};
        return {
          method: "PUT",
          path: `${path}/rules`,
          query: { dry_run: question.dry_run, allow_empty: question.allow_empty, max_shrink: question.max_shrink },
          body: { rules: question.rules },
          headers,
        };
      }
    }
  }
}

const BASE = "/v1/edl/ip-rulesets/";
const NOBODYS = "11111111-1111-4111-8111-111111111111";

/**
 * The response, limited to what the model predicts: without ids that the server chooses and its wording, with pages by
 * number.
 */
function comparable({ status, headers, text }: Received, { body }: Expected): unknown {
  if (body === undefined || body === null) return text === "" ? undefined : text;
  if (headers["content-type"]?.startsWith("text/plain") === true) return text;
  // The warnings of a write, about what it blocks, have tests of their own.
  const { warnings: _, ...told } = JSON.parse(text);
  if (status >= 400) return Object.fromEntries(Object.keys(body ?? {}).map((name) => [name, told[name]]));
  if (status === 201 && "purpose" in told)
    return Object.fromEntries(Object.entries(told).filter(([name]) => name !== "id"));
  // For a dry run's rejection, only its status and the number are compared.
  if (told.refusal) return { ...told, refusal: { status: told.refusal.status, removed: told.refusal.removed } };
  if (!("items" in told)) return told;
  const pageOf = (url: string | null): number | null =>
    url === null ? null : Number(new URL(url).searchParams.get("page"));
  return { ...told, next: pageOf(told.next), prev: pageOf(told.prev) };
}

interface Made {
  readonly id: string;
  readonly rulesets: readonly {
    readonly id: string;
    readonly name: string;
    readonly purpose: "allowlist" | "blocklist";
  }[];
}

async function organisation({ server, clock }: TestServer, name: string): Promise<Made> {
  const about = { actor: "user:test", at: clock.now };
  const { organisation, rulesets } = await server.store.write({ kind: "create-organisation", ...about, name });
  const isPoor = name.startsWith("poor");
  await server.store.write({
    kind: "set-plan",
    ...about,
    organisationId: organisation.id,
    area: isPoor ? "cbs" : "edl",
    active: true,
    until: null,
    perMinute: null,
    perMonth: null,
  });
  return { id: organisation.id, rulesets };
}

async function keyOf(
  { server, clock }: TestServer,
  organisationId: string,
  access: "read" | "read_write",
  expiresAt: number | null = null,
): Promise<{ text: string; id: string }> {
  const { text, digest, start } = makeApiKey();
  const { credential } = await server.store.write({
    kind: "create-credential",
    credential: "api",
    actor: "user:test",
    at: clock.now,
    organisationId,
    label: "test",
    access,
    digest,
    start,
    expiresAt,
  });
  return { text, id: credential.id };
}

async function keysOf(server: TestServer, organisationId: string, without: { text: string }): Promise<Keys> {
  const { now } = server.clock;
  const [full, read, expired, revoked] = await Promise.all([
    keyOf(server, organisationId, "read_write"),
    keyOf(server, organisationId, "read"),
    keyOf(server, organisationId, "read_write", now),
    keyOf(server, organisationId, "read_write"),
  ]);
  await server.server.store.write({
    kind: "revoke-credential",
    credential: "api",
    actor: "user:test",
    at: now,
    organisationId,
    credentialId: revoked.id,
  });
  return {
    read_write: full.text,
    read: read.text,
    expired: expired.text,
    revoked: revoked.text,
    unknown: makeApiKey().text,
    "without-plan": without.text,
  };
}
