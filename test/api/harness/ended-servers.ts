/**
 * Starts servers of which one area fails, after it has done its work, and prints what was closed and what is left:
 * `node ended-servers.ts METHOD`, of `start`, `close`, and `leak` for one that is not closed. The process must end by
 * itself.
 */
import { createHook } from "node:async_hooks";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Access } from "../../../src/service/areas/access.ts";
import type { Area } from "../../../src/service/areas/area.ts";
import { Data } from "../../../src/service/areas/data.ts";
import { Events } from "../../../src/service/areas/events.ts";
import { Logs } from "../../../src/service/areas/logs.ts";
import { Publishing } from "../../../src/service/areas/publishing.ts";
import { Rules } from "../../../src/service/areas/rules.ts";
import { GuardedStore } from "../../../src/service/store/guarded-store.ts";
import { startServer } from "../start-server.ts";

/** What was done in one server. */
export interface EndedServer {
  readonly failing: string;
  readonly error: string;
  readonly closed: readonly string[];
  /** Timers that still run, whether or not they keep the process. */
  readonly timers: readonly string[];
}

const AREAS = { Access, Rules, Publishing, Events, Logs, Data } as const;
type AreaName = keyof typeof AREAS;

const timers = new Map<number, string>();
createHook({
  init(id, type) {
    if (type === "Timeout") timers.set(id, String(new Error().stack));
  },
  destroy: (id) => void timers.delete(id),
}).enable();

let closed: string[] = [];
const noted: Record<string, { close(): Promise<unknown> }> = {
  ...Object.fromEntries(Object.entries(AREAS).map(([name, area]) => [name, area.prototype as Area])),
  Store: GuardedStore.prototype,
};
for (const [name, prototype] of Object.entries(noted)) {
  const { close } = prototype;
  prototype.close = function (...given: []) {
    closed.push(name);
    return close.apply(this, given);
  };
}

/** Has a method of the area do something else while `run` runs. */
async function replacing(name: AreaName, method: "start" | "close", by: Broken, run: () => Promise<unknown>) {
  const prototype = AREAS[name].prototype as Area;
  const original = prototype[method];
  prototype[method] = function (...given: []) {
    return by(() => original.apply(this, given), name);
  };
  const ended = await ending(name, run);
  prototype[method] = original;
  return ended;
}

async function ending(failing: string, run: () => Promise<unknown>): Promise<EndedServer> {
  closed = [];
  timers.clear();
  const error = await run().then(
    () => "none",
    (reason: Error) => reason.message,
  );
  // Timers that were cleared are gone some turns later.
  for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
  return { failing, error, closed, timers: [...timers.values()] };
}

type Broken = (work: () => Promise<void>, name: string) => Promise<void>;

const fails: Broken = async (work, name) => {
  await work();
  throw new Error(`${name} fails`);
};
const start = () => startServer({ logLevel: "silent", feedsDir: join(tmpdir(), "feeds") });
const startAndClose = async () => (await start()).server.close();

async function onTakenPort(): Promise<EndedServer> {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const ended = await ending("listening", () => startServer({ logLevel: "silent", host: "127.0.0.1", port }));
  taken.close();
  return ended;
}

const BY_METHOD: Readonly<Record<string, (name: AreaName) => Promise<EndedServer>>> = {
  start: (name) => replacing(name, "start", fails, start),
  close: (name) => replacing(name, "close", fails, startAndClose),
  leak: (name) => replacing(name, "close", async () => {}, startAndClose),
};
const method = process.argv[2]!;
const servers: EndedServer[] = [];
const names = method === "leak" ? (["Events"] as const) : (Object.keys(AREAS) as AreaName[]);
for (const name of names) servers.push(await BY_METHOD[method]!(name));
if (method === "start") servers.push(await onTakenPort());
process.stdout.write(JSON.stringify(servers));
