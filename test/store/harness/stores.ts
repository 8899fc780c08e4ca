import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parsePrefix } from "../../../src/address/prefix.ts";
import type { AddRequest } from "../../../src/rulesets/write-rule.ts";
import type { Change } from "../../../src/store/change.ts";
import type { IfMatch } from "../../../src/store/if-match.ts";
import { openStore, type StoreLocation } from "../../../src/store/open-store.ts";
import type { Outcomes } from "../../../src/store/command.ts";
import { type Organisation, type Ruleset, stateOf } from "../../../src/store/state.ts";
import type { Store } from "../../../src/store/store.ts";
import type { StoreOptions } from "../../../src/store/store-options.ts";
import { until } from "../../until.ts";
import { makeFastFolder } from "./fast-folder.ts";
import { Memory } from "./memory.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "./postgres.ts";

/** A kind of database on which the suite runs. */
export interface Database {
  readonly name: string;
  /** Why it cannot run here. */
  readonly skip: false | string;
  /** Creates an empty one. */
  make(): Promise<StoreLocation>;
  stop(): Promise<void>;
}

/** Both kinds; the PostgreSQL server is started when it is first needed. */
export async function databases(): Promise<Database[]> {
  const folder = makeFastFolder();
  let files = 0;
  let server: PostgresServer | undefined;
  return [
    {
      name: "SQLite",
      skip: false,
      make: async () => ({ file: join(folder, `${++files}.db`) }),
      stop: () => rm(folder, { recursive: true, force: true }),
    },
    {
      name: "PostgreSQL",
      skip: await whyNoPostgres(),
      async make() {
        server ??= await startPostgres();
        return { url: await server.database() };
      },
      async stop() {
        await server?.[Symbol.asyncDispose]();
      },
    },
  ];
}

/** A store with a memory that follows it, as in a server. */
export class Replica {
  readonly store: Store;
  memory: Memory;
  /** The errors that the feed reported. */
  readonly failures: unknown[] = [];

  private constructor(store: Store, memory: Memory) {
    this.store = store;
    this.memory = memory;
  }

  static async open(location: StoreLocation, options: Partial<StoreOptions> = {}): Promise<Replica> {
    const store = await openStore(location, { pollEvery: 50, ...options });
    const memory = await loadMemory(store);
    const replica = new Replica(store, memory);
    store.follow(
      memory.sequence,
      (changes: readonly Change[]) => replica.memory.apply(changes),
      (error) => replica.failures.push(error),
    );
    return replica;
  }

  /** Runs with a store of its own, then compares the memory that followed it with one that is freshly loaded. */
  static async using(
    location: StoreLocation,
    run: (replica: Replica) => Promise<void>,
    options: Partial<StoreOptions> = {},
  ): Promise<void> {
    const replica = await Replica.open(location, options);
    try {
      await run(replica);
      const { memory, store, failures } = replica;
      const loaded = await loadMemory(store);
      // What another replica wrote last is seen at the next poll.
      await until("the replica has what was loaded", () => memory.sequence >= loaded.sequence);
      assert.deepEqual(memory.contents(), loaded.contents());
      assert.deepEqual(failures, []);
    } finally {
      await replica.store.close();
    }
  }

  /** Loads the state again, as a server does that has missed changes. */
  async loadAgain(): Promise<void> {
    this.memory = await loadMemory(this.store);
    this.store.resume(this.memory.sequence);
  }

  /** An organisation with its two rulesets. */
  async organisation(
    name = "Example",
  ): Promise<{ organisation: Organisation; allowlist: Ruleset; blocklist: Ruleset }> {
    const { organisation, rulesets } = await this.store.write({ kind: "create-organisation", name, ...by(1) });
    return { organisation, allowlist: rulesets[0]!, blocklist: rulesets[1]! };
  }

  /** Adds a rule that must not exist: a second attempt would be rejected. */
  addRule(ruleset: Ruleset, prefix: string, name: string | null = null): Promise<Outcomes["add-rule"]> {
    return this.store.write({
      kind: "add-rule",
      organisationId: ruleset.organisationId,
      rulesetId: ruleset.id,
      request: adding(prefix, { mode: "fail", name }),
      ...by(2),
    });
  }
}

async function loadMemory(store: Store): Promise<Memory> {
  const memory = new Memory();
  memory.start(await store.load((part) => memory.add(part)));
  return memory;
}

export function by(at: number): { actor: string; at: number } {
  return { actor: "user:test", at };
}

export function adding(
  prefix: string,
  { name = null, expiresAt = null, mode = "extend" }: Partial<Omit<AddRequest, "prefix">> = {},
): AddRequest {
  return { prefix: parsePrefix(prefix), name, expiresAt, mode };
}

/** By default with a stamp that no change has. */
export function ofVersion(version: number, stamp = "lost"): IfMatch {
  return { versions: [stateOf({ version, stamp })], rules: [], lists: [] };
}
