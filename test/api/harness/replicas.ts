import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fillStore } from "../../../bench/api/fill-store.ts";
import { Random } from "../../../bench/data/random.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { ServiceProcess } from "./service-process.ts";
import { until } from "../../until.ts";

const WRITERS = 8;
export const LIMITS = [
  "--allow-special-purpose",
  "true",
  "--rules-per-ruleset",
  "1000000",
  "--event-loop-delay",
  "60000",
  "--log-level",
  "silent",
];

/** A server process, or a proxy to several, and requests to it that concern one ruleset. */
export class ServiceReplica {
  readonly #service: Pick<ServiceProcess, "port" | "end">;
  readonly #rules: string;
  readonly #headers: Record<string, string>;
  #isWriting = true;
  #isPaused = false;
  /** The addresses whose rules were acknowledged with 201. */
  readonly acknowledged = new Set<string>();
  /** The addresses that were sent. */
  readonly sent = new Set<string>();
  /** Other statuses that writes got. */
  readonly refused: number[] = [];

  constructor(service: Pick<ServiceProcess, "port" | "end">, key: string, rulesetId: string) {
    this.#service = service;
    this.#rules = `http://127.0.0.1:${service.port}/v1/edl/ip-rulesets/${rulesetId}/rules`;
    this.#headers = { "X-API-Key": key, "Content-Type": "application/json" };
  }

  async add(ip: string): Promise<number> {
    const { status } = await this.#ask(this.#rules, {
      method: "POST",
      body: JSON.stringify({ ip, conflict_resolution: "fail" }),
    });
    return status;
  }

  async get(ip: string): Promise<number> {
    const { status } = await this.#ask(`${this.#rules}/rule?ip=${ip}`);
    return status;
  }

  /** Requests the rule until the response has the status. */
  async until(ip: string, status: number): Promise<void> {
    await until(`${ip} gets ${status}`, async () => (await this.get(ip)) === status, { every: 5 });
  }

  /** Adds rules, all with the same first two bytes, until `stopWriting` or until the server is gone. */
  async write(firstBytes: string): Promise<void> {
    let count = 0;
    const writers = Array.from({ length: WRITERS }, async () => {
      while (this.#isWriting) {
        if (this.#isPaused) {
          await sleep(5);
          continue;
        }
        const number = count++;
        const ip = `${firstBytes}.${number >> 8}.${number & 255}`;
        this.sent.add(ip);
        const status = await this.add(ip).catch(() => 0);
        if (status === 0) return;
        if (status === 201) this.acknowledged.add(ip);
        else this.refused.push(status);
      }
    });
    await Promise.all(writers);
  }

  pauseWriting(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  stopWriting(): void {
    this.#isWriting = false;
  }

  /**
   * The rules that it reports, once there are at least this many: those of other servers arrive within about a second.
   */
  async rules(least: number): Promise<Set<string>> {
    for (let tries = 0; ; tries++) {
      const { text } = await this.#ask(`${this.#rules}:export?format=text`);
      const told = new Set(text.split("\n").filter((line) => line !== ""));
      if (told.size >= least || tries === 100) return told;
      await sleep(100);
    }
  }

  /** The ETag of the rules as this server knows them. */
  async tag(): Promise<string> {
    const { tag } = await this.#ask(`${this.#rules}?page_size=1`);
    if (tag === null) throw new Error("a page of rules has no ETag");
    return tag;
  }

  /** Whether it regards the tag as that of the current rules. */
  async isFresh(tag: string): Promise<boolean> {
    const { status } = await this.#ask(`${this.#rules}?page_size=1`, { headers: { "If-None-Match": tag } });
    return status === 304;
  }

  /** Adds a rule on condition that the tag is still that of the rules. */
  async addIf(tag: string, ip: string): Promise<number> {
    const { status } = await this.#ask(`${this.#rules}:batch`, {
      method: "POST",
      headers: { "If-Match": tag },
      body: JSON.stringify({ items: [{ op: "add", ip }] }),
    });
    return status;
  }

  kill(): Promise<unknown> {
    return this.#service.end("SIGKILL");
  }

  async #ask(
    url: string,
    { headers = {}, ...init }: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; text: string; tag: string | null }> {
    const response = await fetch(url, { ...init, headers: { ...this.#headers, ...headers } });
    return { status: response.status, text: await response.text(), tag: response.headers.get("etag") };
  }
}

/** Processes on one database, each with its own URL for it; they end with the test. */
export async function startReplicas(t: TestContext, urls: readonly string[]) {
  const url = urls[0]!;
  const { key, emptyId } = await fillStore({ url }, 0, new Random(1));
  const services: ServiceProcess[] = [];
  t.after(() => Promise.all(services.map((service) => service.end("SIGKILL"))));
  const startAnother = async (at: string): Promise<ServiceReplica> => {
    const service = await ServiceProcess.start({ url: at }, LIMITS);
    services.push(service);
    return new ServiceReplica(service, key, emptyId);
  };
  return {
    replicas: await Promise.all(urls.map(startAnother)),
    startAnother,
    /** As `ipsieve admin key revoke` does: with a process of its own. */
    revokeKey: () => revokeKey(url),
  };
}

async function revokeKey(url: string): Promise<void> {
  const store = await openStore({ url });
  const { credentials } = await store.load(null);
  for (const { id: keyId, organisationId } of credentials)
    await store.write({
      kind: "revoke-credential",
      credential: "api",
      actor: "user:test",
      at: Date.now(),
      organisationId,
      credentialId: keyId,
    });
  await store.close();
}
