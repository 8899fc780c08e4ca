/** Imports of feeds that begin at the same moment at two processes of a server, or at two servers of a database. */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addOrganisation, addUser } from "../../bench/api/fill-store.ts";
import { Random } from "../../bench/data/random.ts";
import { PLAIN_NAME } from "../../src/api/access/session-cookie.ts";
import { FeedImports } from "../../src/service/datasets/feed-imports.ts";
import { UploadSlots } from "../../src/service/access/upload-slots.ts";
import { ServiceError } from "../../src/service/service-error.ts";
import { openStore, type StoreLocation } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { onlyLong, rounds } from "../rounds.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { until } from "../until.ts";
import { type Cleaning, ClusteredService, Door, type DoorAnswer } from "./harness/clustered-service.ts";
import { SAMPLE_THREATS, ServiceProcess } from "./harness/service-process.ts";

const ROUNDS = rounds({ short: 4, long: 20 });

/** Two places where a feed can be imported. */
interface Pair {
  /** New connections, each to another of the two: one that is refused ends, and the next one may go to either process. */
  readonly doors: () => Promise<readonly [Door, Door]>;
  readonly port: (door: Door) => number;
  readonly session: string;
  /** Kills what is behind the second door. */
  readonly kill: () => void;
}

type Begin = (body: AsyncIterable<Buffer>) => Promise<"done" | "conflict">;

/**
 * Begins an import at both places at once, many times. Returns how many ran in each round. If none is refused within
 * `patience` milliseconds, both run.
 */
async function begunAtOnce(begins: readonly [Begin, Begin], count: number, patience = 60_000): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round < count; round++) {
    const { promise: refused, resolve: finish } = Promise.withResolvers<void>();
    const body = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from(`9.9.9.${round}\n`);
      await refused;
    };
    const order = round % 2 === 0 ? begins : begins.toReversed();
    const ends = order.map((begin) => begin(body()));
    const isDecided = new AbortController();
    await Promise.race([...ends, sleep(patience, undefined, { signal: isDecided.signal }).catch(() => {})]);
    isDecided.abort();
    finish();
    found.push((await Promise.all(ends)).filter((end) => end === "done").length);
  }
  return found;
}

/** An upload through the dashboard's interface. */
function beginAt({ port, session }: Pair, door: Door): Begin {
  return async (body) => {
    const { status, text } = await importAt(door, port(door), session, textOf(body));
    assert.ok(status === 200 || status === 409, text);
    if (status === 409)
      assert.match(text, /importing a feed; wait until that has ended|another feed is being imported/);
    return status === 200 ? "done" : "conflict";
  };
}

function importAt(
  door: Door,
  port: number,
  session: string,
  body: string | AsyncIterable<string>,
): Promise<DoorAnswer> {
  const headers = {
    Cookie: `${PLAIN_NAME}=${session}`,
    Origin: `http://127.0.0.1:${port}`,
    "Content-Type": "application/octet-stream",
  };
  return door.ask("POST", "/dashboard/api/threats/import?name=new&max_shrink=100", { headers, body });
}

async function isImporting({ port, session }: Pair, door: Door): Promise<boolean> {
  const headers = { Cookie: `${PLAIN_NAME}=${session}` };
  const response = await fetch(`http://127.0.0.1:${port(door)}/dashboard/api/threats/import`, { headers });
  const { last } = (await response.json()) as { last: { state: string } };
  return last.state === "running";
}

async function* textOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const part of body) yield part.toString();
}

function addTests(start: (t: Cleaning, folder: string) => Promise<Pair>): void {
  test("of two imports that begin at the same moment, one runs; after a crash, the next one does", async (t) => {
    const folder = temporaryFolder(t);
    const { IPSIEVE_HOME: earlier } = process.env;
    process.env["IPSIEVE_HOME"] = folder;
    t.after(() => {
      if (earlier === undefined) delete process.env["IPSIEVE_HOME"];
      else process.env["IPSIEVE_HOME"] = earlier;
    });
    copyFileSync(SAMPLE_THREATS, join(folder, "cti.ipsieve"));
    const pair = await start(t, folder);
    const [one, other] = await pair.doors();
    const begun = await begunAtOnce([beginAt(pair, one), beginAt(pair, other)], ROUNDS);
    assert.deepEqual(new Set(begun), new Set([1]));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith(".feed.")),
      [],
    );

    const endless = async function* (): AsyncGenerator<string> {
      yield "9.9.9.9\n";
      await sleep(600_000, undefined, { ref: false });
    };
    const [first, second] = await pair.doors();
    const cut = importAt(second, pair.port(second), pair.session, endless()).catch(() => "cut off");
    const isRefused = async () => (await importAt(first, pair.port(first), pair.session, "9.9.9.9\n")).status === 409;
    await until("the import at the second one runs", () => isImporting(pair, second));
    assert.ok(await isRefused());
    pair.kill();
    assert.equal(await cut, "cut off");
    await until("its lease has ended", async () => !(await isRefused()));
  });
}

async function filled(location: StoreLocation): Promise<string> {
  const store = await openStore(location);
  try {
    const { organisationId } = await addOrganisation(store, "Shared", 0, new Random(1));
    return (await addUser(store, organisationId, "ann")).session;
  } finally {
    await store.close();
  }
}

const argumentsIn = (folder: string) => [`--secret-key-file=${folder}/key`, "--cti", join(folder, "cti.ipsieve")];

async function startProcesses(t: Cleaning, location: StoreLocation, folder: string): Promise<Pair> {
  const session = await filled(location);
  const service = await ClusteredService.start(t, location, argumentsIn(folder));
  const doors = async () => (await service.doors(t)) as [Door, Door];
  return { doors, port: () => service.service.port, session, kill: () => service.signal(2, "SIGKILL") };
}

async function startServers(t: Cleaning, location: StoreLocation, folder: string): Promise<Pair> {
  const session = await filled(location);
  const servers: ServiceProcess[] = [];
  for (let i = 0; i < 2; i++) {
    const server = await ServiceProcess.start(location, argumentsIn(folder), { logTo: "pipe" });
    t.after(() => server.end("SIGKILL"));
    servers.push(server);
  }
  const doors = servers.map(({ port }) => new Door(port)) as [Door, Door];
  t.after(() => doors.forEach((door) => door.close()));
  const port = (door: Door) => servers[doors.indexOf(door)]!.port;
  return { doors: () => Promise.resolve(doors), port, session, kill: () => void servers[1]!.end("SIGKILL") };
}

test("negative control: with a lease that all get, both imports run", async (t) => {
  const begin = (isLeased: () => boolean): Begin => {
    const imports = new FeedImports({
      target: {
        command: { program: process.execPath, args: ["--eval", "console.log('{}')", "--"], environment: process.env },
        output: join(temporaryFolder(t), "cti.ipsieve"),
      },
      threats: { reload: async () => true },
      slots: new UploadSlots({ perOrganisation: 2, inAll: 8, slowBytes: 0, slowAfter: 60_000 }),
      store: { record: (async () => isLeased()) as unknown as Store["record"] },
      limits: { bytes: 64 << 20, freeBytes: 0, compileTime: 60_000 },
      onImported: async () => {},
      now: Date.now,
      log: { info: () => {}, warn: () => {} },
    });
    return async (body) => {
      try {
        await imports.run({ organisationId: "o", startedBy: "ann", source: "list", size: null, body });
        return "done";
      } catch (error) {
        assert.ok(error instanceof ServiceError && error.code === "conflict", String(error));
        return "conflict";
      }
    };
  };
  assert.deepEqual(await begunAtOnce([begin(() => true), begin(() => true)], 1, 1000), [2]);
  assert.deepEqual(await begunAtOnce([begin(() => true), begin(() => false)], 1), [1]);
});

describe("two processes on SQLite", () => {
  addTests((t, folder) => startProcesses(t, { file: join(folder, "store.db") }, folder));
});

describe("on PostgreSQL", { skip: onlyLong() || (await whyNoPostgres()) }, () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres[Symbol.asyncDispose]());
  describe("two processes", () => {
    addTests(async (t, folder) => startProcesses(t, { url: await postgres.database() }, folder));
  });
  describe("two servers", () => {
    addTests(async (t, folder) => startServers(t, { url: await postgres.database() }, folder));
  });
});

function temporaryFolder(t: Cleaning): string {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-imports-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
