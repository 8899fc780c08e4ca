import { rmSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import type { StoreOptions } from "../../../src/store/store-options.ts";
import type { Organisation, Ruleset } from "../../../src/store/state.ts";
import { makeFastFolder } from "./fast-folder.ts";
import { Replica } from "./stores.ts";

/** What a small test of a SQLite store begins with. */
export interface SmallStore {
  readonly replica: Replica;
  readonly store: Replica["store"];
  readonly organisation: Organisation;
  readonly allowlist: Ruleset;
  readonly blocklist: Ruleset;
  /** Of the blocklist. */
  readonly owned: { readonly organisationId: string; readonly rulesetId: string };
  readonly file: string;
}

/** Runs with a new store of an organisation, then compares what it has sent with what is read from its file. */
export type WithStore = (run: (of: SmallStore) => Promise<void>, options?: Partial<StoreOptions>) => Promise<void>;

/** To be called once by a test file: its folder is removed after the tests. */
export function sqliteStores(): WithStore {
  const folder = makeFastFolder();
  after(() => rmSync(folder, { recursive: true, force: true }));
  let files = 0;
  return (run, options) => {
    const file = join(folder, `${++files}.db`);
    return Replica.using(
      { file },
      async (replica) => {
        const made = await replica.organisation();
        const owned = { organisationId: made.organisation.id, rulesetId: made.blocklist.id };
        await run({ replica, store: replica.store, ...made, owned, file });
      },
      options,
    );
  };
}
