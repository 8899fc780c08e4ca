import { Random } from "../../snapshot/harness/sample.ts";
import { type Received, type Send, sender } from "../fuzz/send.ts";
import { type Entry, linearize } from "./linearize.ts";

export interface HistoryOptions {
  readonly url: string;
  /** The key of an organisation with the plan for rulesets. */
  readonly key: string;
  /** The time of the server's clock, which stands still. */
  readonly now: number;
  readonly seed: number;
  readonly writers: number;
  /** The number of operations of each writer. */
  readonly operations: number;
}

export interface HistoryReport {
  readonly seed: number;
  /** Operations on rules that were put into an order. */
  ordered: number;
  /** Reads of a ruleset or its list while others wrote. */
  reads: number;
  readonly failures: string[];
}

/** What identifies a rule's state, in addition to its times; null: there is none. */
type RuleState = { readonly name: string | null; readonly expires_at: string | null } | null;

const BASE = "/v1/edl/ip-rulesets/";
const MODES = ["extend", "override", "skip", "fail"] as const;
const PREFIXES = ["198.18.0.1", "198.18.0.0/24", "2001:db8:1::/48"];
const EXTENDED = "203.0.113.9";

/** Many clients write a few rules at once, and read them; then looks for an order that explains all results. */
export async function runHistories({
  url,
  key,
  now,
  seed,
  writers,
  operations,
}: HistoryOptions): Promise<HistoryReport> {
  const { send, close } = sender(url, 64);
  const report: HistoryReport = { seed, ordered: 0, reads: 0, failures: [] };
  const rulesetId = await createRuleset(send, key);
  const history = new History(send, key, rulesetId, now, report);
  const running = { writers: writers + 1 };
  const write = async (who: number): Promise<void> => {
    const random = new Random(seed * 1000 + who);
    for (let i = 0; i < operations; i++) await history.operate(random);
    running.writers--;
  };
  const pair = async (): Promise<void> => {
    for (let i = 0; i < operations; i++) await history.writePair(i);
    running.writers--;
  };
  const read = async (): Promise<void> => {
    let longest: string | null = "";
    while (running.writers > 0) longest = await history.read(longest);
  };
  await Promise.all([...Array.from({ length: writers }, (_, who) => write(who)), pair(), read(), read(), read()]);
  history.judge();
  close();
  return report;
}

async function createRuleset(send: Send, key: string): Promise<string> {
  const { text } = await send({
    method: "POST",
    path: BASE,
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    body: '{"name":"history","purpose":"blocklist"}',
  });
  return JSON.parse(text).id;
}

class History {
  readonly #send: Send;
  readonly #key: string;
  readonly #path: string;
  readonly #now: number;
  readonly #report: HistoryReport;
  readonly #entries = new Map<string, Entry<RuleState>[]>();
  #tick = 0;

  constructor(send: Send, key: string, rulesetId: string, now: number, report: HistoryReport) {
    this.#send = send;
    this.#key = key;
    this.#path = `${BASE}${rulesetId}`;
    this.#now = now;
    this.#report = report;
  }

  /** One operation on one of the rules. */
  async operate(random: Random): Promise<void> {
    const ip = PREFIXES[random.below(PREFIXES.length)]!;
    const name = random.below(2) === 0 ? null : `n${random.below(4)}`;
    const expires_at = random.below(5) === 0 ? null : new Date(this.#now + random.below(100) * 1000).toISOString();
    switch (random.below(6)) {
      case 0:
        return this.#record(ip, await this.#timed("DELETE", `/rules/rule?ip=${ip}`), deletion);
      case 1:
        return this.#record(ip, await this.#timed("PUT", `/rules/rule?ip=${ip}`, { name }), update({ name }));
      case 2:
        return this.#record(ip, await this.#timed("GET", `/rules/rule?ip=${ip}`), reading);
      case 3:
        await this.#timed("POST", "/rules", { ip: EXTENDED, expires_at });
        return;
      default: {
        const conflict_resolution = MODES[random.below(4)]!;
        return this.#record(
          ip,
          await this.#timed("POST", "/rules", { ip, name, expires_at, conflict_resolution }),
          addition({ name, expires_at }, conflict_resolution),
        );
      }
    }
  }

  /** Adds or deletes, all or nothing, a rule that is active and one that has expired. */
  async writePair(number: number): Promise<void> {
    const block = `192.0.2.${(number >> 1) % 100}`;
    const other = `192.0.2.${100 + ((number >> 1) % 100)}`;
    const expired = new Date(this.#now - 1).toISOString();
    const items =
      number % 2 === 0
        ? [
            { op: "add", ip: block },
            { op: "add", ip: other, expires_at: expired },
          ]
        : [
            { op: "delete", ip: block },
            { op: "delete", ip: other },
          ];
    const { answer } = await this.#timed("POST", "/rules:batch", { items });
    if (answer.status !== 200)
      this.#report.failures.push(`a batch that cannot fail got ${answer.status} ${answer.text}`);
  }

  /**
   * Reads counts and lists, and the one rule that is only ever extended. Returns its expiry, which must not be before
   * the given one.
   */
  async read(longest: string | null): Promise<string | null> {
    const fail = (what: string, answer: Received): void =>
      void this.#report.failures.push(`${what}: ${answer.status} ${answer.text.slice(0, 500)}`);
    const { answer: all } = await this.#timed("GET", "/rules?page_size=1000");
    const { items, count } = JSON.parse(all.text) as {
      items: { ip: string; expires_at: string | null }[];
      count: number;
    };
    if (items.length !== count) fail(`${items.length} rules are listed`, all);
    const now = new Date(this.#now).toISOString();
    const pairs = items.filter(({ ip }) => ip.startsWith("192.0.2."));
    const expired = pairs.filter(({ expires_at }) => expires_at !== null && expires_at <= now);
    if (expired.length * 2 !== pairs.length)
      fail(`${expired.length} of ${pairs.length} rules have expired, which come and go in pairs`, all);
    const { answer: active } = await this.#timed("GET", "/rules?page_size=1000&active_only=true");
    const listed = JSON.parse(active.text) as { items: { expires_at: string | null }[]; count: number };
    if (
      listed.items.length !== listed.count ||
      listed.items.some(({ expires_at }) => expires_at !== null && expires_at <= now)
    )
      fail("the active rules are not", active);
    const { answer: ruleset } = await this.#timed("GET", "");
    const { total_rules: total, active_rules: some } = JSON.parse(ruleset.text);
    if (!(some >= 0 && some <= total && total - some <= total / 2 + PREFIXES.length + 1))
      fail("the counts cannot be", ruleset);
    const { answer } = await this.#timed("GET", `/rules/rule?ip=${EXTENDED}`);
    this.#report.reads += 4;
    if (answer.status !== 200) return longest;
    const { expires_at } = JSON.parse(answer.text) as { expires_at: string | null };
    if (longest === null ? expires_at !== null : expires_at !== null && expires_at < longest)
      fail(`extend has shortened ${longest}`, answer);
    return expires_at;
  }

  /** Looks for the orders. */
  judge(): void {
    for (const [ip, entries] of this.#entries) {
      const explained = linearize(entries, null);
      this.#report.ordered += explained;
      if (explained < entries.length)
        this.#report.failures.push(
          `no order explains more than ${explained} of the ${entries.length} operations on ${ip}`,
        );
    }
  }

  async #timed(method: string, path: string, body?: object): Promise<Timed> {
    const began = this.#tick++;
    const type: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
    const answer = await this.#send({
      method,
      path: this.#path + path,
      headers: { "X-API-Key": this.#key, ...type },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { began, ended: this.#tick++, answer };
  }

  #record(ip: string, { began, ended, answer }: Timed, operation: Operation): void {
    const told = answer.text === "" ? undefined : JSON.parse(answer.text);
    const entries = this.#entries.get(ip) ?? [];
    this.#entries.set(ip, entries);
    entries.push({ began, ended, apply: (state) => operation(state, answer.status, told) });
  }
}

interface Timed {
  readonly began: number;
  readonly ended: number;
  readonly answer: Received;
}

/** The state after an operation that had this response; undefined: it cannot have had it. */
type Operation = (state: RuleState, status: number, told: any) => RuleState | undefined;

function isSame(state: RuleState, told: any): boolean {
  return state !== null && state.name === told.name && state.expires_at === told.expires_at;
}

const reading: Operation = (state, status, told) =>
  (status === 404 ? state === null : status === 200 && isSame(state, told)) ? state : undefined;

const deletion: Operation = (state, status) => (status === (state === null ? 404 : 204) ? null : undefined);

function update(changes: { name: string | null }): Operation {
  return (state, status, told) => {
    if (state === null) return status === 404 ? null : undefined;
    const after = { ...state, ...changes };
    return status === 200 && isSame(after, told) ? after : undefined;
  };
}

function addition(wanted: { name: string | null; expires_at: string | null }, mode: (typeof MODES)[number]): Operation {
  return (state, status, told) => {
    const answers = (code: number, action: string, after: RuleState): RuleState | undefined =>
      status === code && told.action === action && isSame(after, told.rule) ? after : undefined;
    if (state === null) return answers(201, "created", wanted);
    if (mode === "fail") return status === 409 && isSame(state, told.existing) ? state : undefined;
    if (mode === "skip") return answers(200, "skipped", state);
    if (mode === "override") return answers(200, "updated", wanted);
    const isLonger = state.expires_at !== null && (wanted.expires_at === null || wanted.expires_at > state.expires_at);
    const after = { name: state.name ?? wanted.name, expires_at: isLonger ? wanted.expires_at : state.expires_at };
    return answers(200, isSame(state, after) ? "skipped" : "updated", after);
  };
}
