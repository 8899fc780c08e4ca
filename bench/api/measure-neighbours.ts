import { type ChildProcess, fork } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/store/open-store.ts";
import { Random } from "../data/random.ts";
import { COSTLIEST, type CostlyRequest, OTHER_PATHS } from "./costliest-requests.ts";
import { writeHistory } from "./earlier-catalogues.ts";
import { addOrganisation, addRuleset, addUser } from "./fill-store.ts";
import type {
  NeighbourAccess,
  NeighbourOrder,
  NeighbourReport,
  OwnParts,
  VictimOrder,
  VictimReport,
} from "./neighbour-messages.ts";
import { type Listener, longestTurn, residentMiB, startService } from "./processes.ts";
import { requestBytes } from "./requests.ts";

export type Scope = "public" | "dashboard";

export interface MeasuredRequest {
  readonly name: string;
  readonly neighbour: NeighbourReport;
  readonly victim: VictimReport;
  /** The server's maximum memory during the request, in MiB; null if it ended. */
  readonly memory: number | null;
  /**
   * The longest turn of the server's event loop meanwhile, in milliseconds of processor time; null where it ended. Not
   * in older records.
   */
  readonly turn?: number | null;
}

export interface MeasuredOperation {
  readonly scope: Scope | "other";
  readonly operation: string;
  readonly requests: readonly MeasuredRequest[];
}

export interface NeighbourOptions {
  /** On the disk that the service writes to. */
  readonly folder: string;
  readonly rules: number;
  readonly milliseconds: number;
  /** `operationId`s, paths of those without one, or either after its scope and a space; all by default. */
  readonly only?: readonly string[] | undefined;
  /** Arguments for node: the negative control loads a module before the service. */
  readonly nodeOptions?: readonly string[];
  readonly progress?: (line: string) => void;
}

export interface NeighbourMeasurements {
  /** Without a neighbour: before all others, and after every tenth operation. */
  readonly alone: readonly VictimReport[];
  readonly operations: readonly MeasuredOperation[];
}

/** The documents, by scope. */
const DOCUMENTS: Readonly<Record<Scope, string>> = {
  public: "/openapi.json",
  dashboard: "/dashboard/api/openapi.json",
};

const METER = new URL("turn-meter.ts", import.meta.url).href;
const CONNECTIONS = 2;
const VICTIM = { connections: 6, perSecond: 200, minServed: 10 } as const;
const VICTIM_RULES = 10_000;
/** Rulesets and users, each, that make lists of the organisation long. */
const MAX_LISTED = 1000;
const ALONE_AFTER_EVERY = 10;
/** How long the server has after each request to be as it was, in milliseconds. */
const SETTLES_WITHIN = 60_000;
const SETTLED = 20;

/**
 * Loads a server by the costliest requests of each operation in turn, while another organisation's cheap requests are
 * timed.
 */
export async function measureNeighbours(options: NeighbourOptions): Promise<NeighbourMeasurements> {
  const bench = await NeighbourBench.start(options);
  try {
    return await bench.run();
  } finally {
    await bench.stop();
  }
}

/** Operations that have no costliest request, and entries that no operation has. */
export function uncovered(operations: Readonly<Record<Scope, readonly string[]>>): string[] {
  const known = new Set([...operations.public, ...operations.dashboard]);
  return [
    ...[...known].filter((id) => COSTLIEST[id] === undefined),
    ...Object.keys(COSTLIEST).filter((id) => !known.has(id)),
  ];
}

export async function operationIds(url: string): Promise<Record<Scope, string[]>> {
  const idsOf = async (path: string): Promise<string[]> => {
    const { paths } = (await (await fetch(url + path)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    return Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  };
  return { public: await idsOf(DOCUMENTS.public), dashboard: await idsOf(DOCUMENTS.dashboard) };
}

class NeighbourBench {
  readonly #options: NeighbourOptions;
  readonly #filled: Filled;
  readonly #args: readonly string[];
  #service: Listener;

  static async start(options: NeighbourOptions): Promise<NeighbourBench> {
    const file = join(options.folder, "neighbours.db");
    const filled = await fill(file, options.rules);
    // Updates of the catalogue and imports of feeds replace what is in the home folder of the server.
    const home = join(options.folder, "home");
    process.env["IPSIEVE_HOME"] = home;
    mkdirSync(home, { recursive: true });
    copyFileSync(new URL("../../data/cti-sample.ipsieve", import.meta.url), join(home, "cti.ipsieve"));
    await writeHistory(home);
    const args = [
      "--db",
      file,
      "--rules-per-ruleset",
      String(Math.round(1.1 * options.rules)),
      "--dataset-organisation",
      NEIGHBOUR,
      "--outbound-allow",
      "127.0.0.1",
      // Tokens of edge components name it.
      "--base-url",
      "http://127.0.0.1",
      "--log-level",
      "error",
    ];
    const nodeOptions = ["--import", METER, ...(options.nodeOptions ?? [])];
    return new NeighbourBench({ ...options, nodeOptions }, filled, args, await startService(args, nodeOptions));
  }

  private constructor(options: NeighbourOptions, filled: Filled, args: readonly string[], service: Listener) {
    this.#options = options;
    this.#filled = filled;
    this.#args = args;
    this.#service = service;
  }

  async run(): Promise<NeighbourMeasurements> {
    const planned = this.#plan(await operationIds(this.#url));
    const [alone, operations]: [VictimReport[], MeasuredOperation[]] = [[], []];
    for (const [index, { scope, operation, requests }] of planned.entries()) {
      if (index % ALONE_AFTER_EVERY === 0)
        alone.push(
          (await this.#measure(() => new Promise((resolve) => setTimeout(resolve, this.#options.milliseconds)))).victim,
        );
      const measured: MeasuredRequest[] = [];
      for (const { name } of requests) measured.push(await this.#measureRequest(scope, operation, name));
      operations.push({ scope, operation, requests: measured });
    }
    return { alone, operations };
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    await this.#service.stop();
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#service.port}`;
  }

  get #hasEnded(): boolean {
    const { exitCode, signalCode } = this.#service.process;
    return exitCode !== null || signalCode !== null;
  }

  #plan(
    ids: Readonly<Record<Scope, readonly string[]>>,
  ): { scope: Scope | "other"; operation: string; requests: readonly CostlyRequest[] }[] {
    const missing = uncovered(ids);
    if (missing.length > 0)
      throw new Error(`bench/api/costliest-requests.ts and the documents differ in: ${missing.join(", ")}`);
    const ofScope = (scope: Scope) =>
      ids[scope].map((operation) => ({ scope, operation, requests: COSTLIEST[operation]! }));
    const others = Object.entries(OTHER_PATHS).map(([operation, requests]) => ({
      scope: "other" as const,
      operation,
      requests,
    }));
    const { only } = this.#options;
    const all = [...ofScope("public"), ...ofScope("dashboard"), ...others];
    if (only === undefined) return all;
    const isNamed = (name: string, { scope, operation }: (typeof all)[number]): boolean =>
      name === operation || name === `${scope} ${operation}`;
    const unknown = only.filter((name) => !all.some((each) => isNamed(name, each)));
    if (unknown.length > 0)
      throw new Error(
        `there is no operation ${unknown.join(", ")}; there are ${all.map(({ scope, operation }) => `${scope} ${operation}`).join(", ")}`,
      );
    return all.filter((each) => only.some((name) => isNamed(name, each)));
  }

  async #measureRequest(scope: Scope | "other", operation: string, request: string): Promise<MeasuredRequest> {
    const access = await this.#access();
    const neighbour = new Child<NeighbourOrder, { report: NeighbourReport } | { error: string }>("neighbour.ts");
    resetMostMemory(this.#service);
    await longestTurn(this.#service);
    const { milliseconds, progress } = this.#options;
    const { victim, result } = await this.#measure(() =>
      neighbour.ask({ access, scope: scope === "other" ? "public" : scope, operation, request, milliseconds }),
    );
    neighbour.stop();
    if ("error" in result) throw new Error(`${operation}, ${request}: ${result.error}`);
    requireAdmitted(`${scope} ${operation}, ${request}`, result.report);
    const memory = this.#hasEnded ? null : residentMiB(this.#service, "VmHWM");
    const turn = this.#hasEnded ? null : await longestTurn(this.#service);
    const measured = { name: request, neighbour: result.report, victim, memory, turn };
    progress?.(`${scope} ${operation}, ${request}: ${JSON.stringify(measured)}`);
    await this.#settle();
    return measured;
  }

  /** The victim's results while something is done. */
  async #measure<Result>(meanwhile: () => Promise<Result>): Promise<{ victim: VictimReport; result: Result }> {
    const victim = new Child<VictimOrder | "stop", VictimReport>("victim.ts");
    victim.send({ port: this.#service.port, ...VICTIM, requests: this.#filled.victim });
    const result = await meanwhile();
    const report = await victim.ask("stop");
    victim.stop();
    return { victim: report, result };
  }

  /** A server that has ended is started again; a running one has finished everything in progress. */
  async #settle(): Promise<void> {
    if (this.#hasEnded) this.#service = await startService(this.#args, this.#options.nodeOptions);
    const deadline = performance.now() + SETTLES_WITHIN;
    for (let quick = 0; quick < 3 && performance.now() < deadline;) {
      const start = performance.now();
      const { status } = await this.#askSession();
      quick = status === 200 && performance.now() - start < SETTLED ? quick + 1 : 0;
    }
  }

  /** With the limits that the server reports. */
  async #access(): Promise<NeighbourAccess> {
    const { key, connections } = this.#filled;
    const { status, text } = await this.#askSession();
    if (status !== 200) throw new Error(`the neighbour's session is answered by ${status} ${text}`);
    const { settings } = JSON.parse(text) as { settings: NeighbourAccess["limits"] };
    return {
      port: this.#service.port,
      key,
      connections,
      limits: { ...settings, rules_per_ruleset: this.#options.rules },
    };
  }

  async #askSession(): Promise<{ status: number; text: string }> {
    const { session } = this.#filled.connections[0]!;
    const answer = await fetch(`${this.#url}/dashboard/api/session`, {
      headers: { Cookie: `ipsieve-session=${session}` },
    });
    return { status: answer.status, text: await answer.text() };
  }
}

/** The organisation of the client that sends the costliest requests; its admins may update the catalogue. */
const NEIGHBOUR = "Neighbour";
/** Of the neighbour's organisation, beside those with rules; the service's default is 1,000. */
const MAX_RULESETS = 900;

interface Filled {
  readonly key: string;
  readonly connections: readonly OwnParts[];
  /** The victim's requests. */
  readonly victim: readonly Uint8Array[];
}

async function fill(file: string, rules: number): Promise<Filled> {
  const store = await openStore({ file }, { rulesPerRuleset: Math.max(2 * rules, VICTIM_RULES) + 1 });
  const random = new Random(11);
  try {
    const victim = await addOrganisation(store, "Victim", VICTIM_RULES, random);
    const { session } = await addUser(store, victim.organisationId, "victim");
    const { organisationId, key, rulesetId, emptyId } = await addOrganisation(store, NEIGHBOUR, rules, random);
    const rulesets = [
      [rulesetId, emptyId],
      [
        await addRuleset(store, organisationId, "full", rules, random),
        await addRuleset(store, organisationId, "scratch", 0, random),
      ],
    ];
    const listed = Math.min(MAX_LISTED, rules / 10);
    // Nearly as many as an organisation may have: some operations make more.
    const rulesetCount = Math.min(listed, MAX_RULESETS);
    await Promise.all(
      Array.from({ length: rulesetCount }, (_, index) =>
        addRuleset(store, organisationId, `ruleset ${index}`, 0, random),
      ),
    );
    const connections = await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, index): Promise<OwnParts> => {
        const { session } = await addUser(store, organisationId, `neighbour ${index}`);
        const others = await Promise.all(
          Array.from({ length: listed / CONNECTIONS }, (_unused, number) =>
            addUser(store, organisationId, `user ${index} ${number}`),
          ),
        );
        return {
          session,
          spareSessions: others.map((other) => other.session),
          fullId: rulesets[index]![0]!,
          scratchId: rulesets[index]![1]!,
          userId: others[0]!.userId,
        };
      }),
    );
    return { key, connections, victim: victimRequests(victim.key, victim.rulesetId, session) };
  } finally {
    await store.close();
  }
}

/** Three of the cheapest, by turns: a lookup, a page of rules, and who has signed in. */
function victimRequests(key: string, rulesetId: string, session: string): Buffer[] {
  return Array.from({ length: 240 }, (_, index) => {
    if (index % 3 === 0) return requestBytes({ path: `/v1/cti/lookup/198.51.100.${index}`, key });
    if (index % 3 === 1)
      return requestBytes({
        path: `/v1/edl/ip-rulesets/${rulesetId}/rules?page=${1 + (index % 100)}&page_size=50`,
        key,
      });
    return Buffer.from(
      `GET /dashboard/api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ipsieve-session=${session}\r\n\r\n`,
    );
  });
}

/**
 * Requests that are always rejected at once cost nothing, which would be a mistake of the bench, except for password
 * guesses.
 */
const SENT_AWAY = ["401", "403", "404", "405", "415"];
const MAY_BE_SENT_AWAY = /^(?:dashboard (?:signIn|signOut|setUp|join|changePassword)|other \/nothing-here),/;

function requireAdmitted(what: string, { statuses }: NeighbourReport): void {
  if (MAY_BE_SENT_AWAY.test(what) || !Object.keys(statuses).every((status) => SENT_AWAY.includes(status))) return;
  throw new Error(`${what}: every answer was one of ${JSON.stringify(statuses)}`);
}

/**
 * From now on the most memory is that of what follows. Where the system does not do that, it is the most there ever
 * was.
 */
function resetMostMemory({ process: { pid } }: Listener): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // A figure that is too high is better than none.
  }
}

/** A process of ours that responds to messages. */
class Child<Order extends object | string, Answer> {
  readonly #child: ChildProcess;

  constructor(name: string) {
    this.#child = fork(fileURLToPath(new URL(name, import.meta.url)), [], { serialization: "advanced" });
  }

  send(order: Order): void {
    this.#child.send(order);
  }

  ask(order: Order): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#child.once("message", (message: Answer) => resolve(message));
      this.#child.once("exit", (code) => reject(new Error(`a process of the bench ended with ${code}`)));
      this.send(order);
    });
  }

  stop(): void {
    this.#child.disconnect();
  }
}
