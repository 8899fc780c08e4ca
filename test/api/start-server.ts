import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLoading } from "../../src/service/store/loading-store.ts";
import { Passwords } from "../../src/service/access/passwords.ts";
import type { ChildCommand } from "../../src/service/datasets/child-command.ts";
import type { FeedTarget } from "../../src/service/datasets/feed-imports.ts";
import { createLog } from "../../src/api/plugins/logging.ts";
import { Server } from "../../src/api/server.ts";
import { readSettings, type Settings } from "../../src/service/settings.ts";
import type { SnapshotPaths } from "../../src/service/datasets/served-dataset.ts";
import { makeApiKey } from "../../src/store/records/api-key.ts";
import type { StoreLocation } from "../../src/store/open-store.ts";
import type { AccessLevel } from "../../src/store/records/credential.ts";
import { type Area, AREAS } from "../../src/store/state.ts";
import { endWithFile } from "../one-process.ts";
import { SMALL_CATALOGUE } from "./harness/small-catalogue.ts";

/** The catalogue that comes with the package: some 240,000 prefixes. */
export const BUNDLED: string = fileURLToPath(new URL("../../data/catalogue.ipsieve", import.meta.url));

/** A server for tests, on a port of its own and with a SQLite file of its own, unless `useStores` says otherwise. */
export interface TestServer {
  server: Server;
  readonly folder: string;
  /** The clock, in milliseconds since 1970; tests set it. */
  readonly clock: { now: number };
  /** The log so far, as text. */
  readonly logged: () => string;
  /** Closes the server and starts another one on the same store. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The cost of a password's hash: less than a millisecond. Test files of hashes and of the real command use the full
 * cost.
 */
const CHEAP = 4;

/** Milliseconds since 1970 at which the clock of a test server starts. */
export const START = Date.UTC(2026, 10, 21, 12);

const inOwnFile = async (folder: string): Promise<StoreLocation> => ({ file: join(folder, "store.db") });
let makeStore = inOwnFile;

/** Makes servers that this test file starts from now on use other stores, each an empty one. */
export function useStores(make: (folder: string) => Promise<StoreLocation>): void {
  makeStore = make;
  endWithFile(() => (makeStore = inOwnFile));
}

/** Uses a small catalogue, unless another one is given. */
export async function startServer(
  settings: Partial<Settings> = {},
  catalogue: string | readonly string[] = SMALL_CATALOGUE,
  threats: string | readonly string[] | null = null,
  updateCommand?: ChildCommand,
  feedTarget?: FeedTarget,
  networks: readonly string[] = [],
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-api-"));
  const store = await makeStore(folder);
  const clock = { now: START };
  const lines: string[] = [];
  const log = createLog(settings.logLevel ?? "debug", { write: (line) => void lines.push(line) });
  const defaults = readSettings({ flag: () => undefined, environment: {}, file: undefined });
  // On a busy machine, turns of the event loop take long: only tests of shedding have a server that sheds.
  const all = { ...defaults, port: 0, specialPurpose: true, eventLoopDelay: 60_000, ...settings };
  const start = (): Promise<Server> =>
    Server.start({
      settings: all,
      store: openLoading(store, all),
      ...snapshotsAt(catalogue, threats),
      networks,
      historyFolder: join(folder, "history"),
      log,
      passwords: new Passwords(CHEAP),
      now: () => clock.now,
      // Announcements caused by moving clocks are not part of other tests. A server also checks when it starts.
      announceEvery: 1e9,
      updateCommand,
      feedTarget,
      secretKeyFile: join(folder, "store.db.key"),
    });
  const test: TestServer = {
    server: await start(),
    folder,
    clock,
    logged: () => lines.join(""),
    restart: async () => {
      await test.server.close();
      test.server = await start();
    },
    close: async () => {
      await test.server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return test;
}

/** The snapshots of a server; null: no threat intelligence. */
export function snapshotsAt(
  catalogue: string | readonly string[],
  threats: string | readonly string[] | null,
): { catalogue: SnapshotPaths; threats: SnapshotPaths } {
  return {
    catalogue: { paths: [catalogue].flat(), mayBeMissing: false },
    threats: { paths: threats === null ? [] : [threats].flat(), mayBeMissing: typeof threats !== "string" },
  };
}

/** An organisation with the plans of these areas. */
export async function addOrganisation(
  { server, clock }: TestServer,
  name: string,
  areas: readonly Area[] = AREAS,
): Promise<string> {
  const about = { actor: "command:test", at: clock.now };
  const { organisation } = await server.store.write({ kind: "create-organisation", ...about, name });
  for (const area of areas) {
    await server.store.write({
      kind: "set-plan",
      ...about,
      organisationId: organisation.id,
      area,
      active: true,
      until: null,
      perMinute: null,
      perMonth: null,
    });
  }
  return organisation.id;
}

/** A key of an organisation, as its text. */
export async function addKey(
  { server, clock }: TestServer,
  organisationId: string,
  access: AccessLevel = "read_write",
  expiresAt: number | null = null,
): Promise<{ id: string; text: string }> {
  const { text, digest, start } = makeApiKey();
  const about = { actor: "command:test", at: clock.now, organisationId };
  const { credential } = await server.store.write({
    kind: "create-credential",
    credential: "api",
    ...about,
    label: "test",
    access,
    digest,
    start,
    expiresAt,
  });
  return { id: credential.id, text };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if there is none. */
  readonly body: any;
}

export interface Question {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a text or bytes. */
  readonly body?: unknown;
}

/** One request, sent over a real connection. */
export async function ask(
  { server }: TestServer,
  method: string,
  path: string,
  { key, headers = {}, body }: Question = {},
): Promise<Answer> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const response = await fetch(server.url + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { "X-API-Key": key }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = text !== "" && /^application\/(problem\+)?json/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}
