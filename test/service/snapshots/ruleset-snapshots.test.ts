/** Servers that start from snapshots have what the database has, whatever has happened to either. */
import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, afterEach, describe, test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { comparePrefixes, formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import { openRules, openRulesetSnapshot, saveRules } from "../../../src/datasets/ruleset-files.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import type { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import { RulesetSnapshots } from "../../../src/service/snapshots/ruleset-snapshots.ts";
import { snapshotFolderOf } from "../../../src/service/store/snapshot-folder.ts";
import { reportStart } from "../../../src/service/snapshots/start-report.ts";
import { type LoadedMemory, openLoading } from "../../../src/service/store/loading-store.ts";
import { Metrics } from "../../../src/service/usage/metrics.ts";
import { openStore, type StoreLocation } from "../../../src/store/open-store.ts";
import { restoreFile } from "../../../src/store/sqlite/restore.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import type { Ruleset } from "../../../src/store/state.ts";
import type { Store } from "../../../src/store/store.ts";
import { columnsOfTexts } from "../../store/harness/columns.ts";
import { makeFastFolder } from "../../store/harness/fast-folder.ts";
import { Memory } from "../../store/harness/memory.ts";
import { runSql } from "../../store/harness/run-sql.ts";
import { adding, by, databases } from "../../store/harness/stores.ts";
import { onlyLong } from "../../rounds.ts";

const LIMITS = {
  rulesPerRuleset: 1_000_000,
  rulesetsPerOrganisation: 1000,
  deploymentsPerOrganisation: 100,
  listsPerOrganisation: 100,
  webhooksPerOrganisation: 20,
  credentialsPerOrganisation: 100,
  auditDays: 400,
  eventDays: 30,
  eventsPerOrganisation: 1e6,
};
/** More than the minimum for a snapshot. */
const RULES = 2500;

/** Services that have not been stopped: a failing test leaves some running. */
const running = new Set<Service>();
afterEach(async () => {
  for (const service of running) await service.stop({ isKilled: true });
});

/** The parts of a server between the database and its routes. */
class Service {
  readonly store: Store;
  readonly memory: ServiceMemory;
  readonly loaded: LoadedMemory;
  readonly lines: string[] = [];
  readonly metrics = new Metrics();
  readonly #snapshots: RulesetSnapshots | undefined;

  private constructor(store: Store, loaded: LoadedMemory, folder: ReturnType<typeof snapshotFolderOf>, every: number) {
    this.store = store;
    this.loaded = loaded;
    this.memory = loaded.memory;
    const write = (_: unknown, line?: string): void => void this.lines.push(line!);
    const log = {
      debug: write,
      info: write,
      warn: (about: object, line: string) => write(0, `${line} ${JSON.stringify(about)}`),
    };
    reportStart(loaded, { log: log as never, metrics: this.metrics });
    if (folder !== undefined)
      this.#snapshots = new RulesetSnapshots({ folder, memory: this.memory, store, log: log as never, every });
    for (const { rulesetId, sequence, changedRules } of loaded.fromSnapshots)
      this.#snapshots?.startedFrom(rulesetId, sequence, changedRules);
    store.follow(
      this.memory.sequence,
      (changes) => {
        this.#snapshots?.apply(changes);
        return this.memory.apply(changes);
      },
      () => {},
    );
    this.#snapshots?.start();
    running.add(this);
  }

  static async start(location: StoreLocation, folder: string, every = 1e9): Promise<Service> {
    const loading = openLoading(location, { ...LIMITS, rulesetSnapshots: folder });
    return new Service(await loading.store, await loading.memory, loading.folder, every);
  }

  get snapshots(): number {
    return this.loaded.fromSnapshots.length;
  }

  get reasons(): string {
    return this.loaded.rejected.map(({ reason }) => reason).join("\n");
  }

  /** Writes what is due, unless the process is killed, and closes the database. */
  async stop({ isKilled = false, patience = 60_000 } = {}): Promise<void> {
    running.delete(this);
    if (!isKilled) await this.#snapshots?.stop(performance.now() + patience);
    await this.store.close();
  }

  /** All rules, ruleset by ruleset, as its routes see them. */
  contents(): Record<string, readonly Rule[]> {
    return Object.fromEntries(
      [...this.memory.everyRuleset()]
        .map(({ about, rules }) => [about.id, [...rules.rules()]] as const)
        .filter(([, rules]) => rules.length > 0)
        .sort(),
    );
  }
}

/** The contents of the database, read entirely into maps. */
async function contentsOf({ store }: Service): Promise<Record<string, readonly Rule[]>> {
  const memory = new Memory();
  memory.start(await store.load((part) => memory.add(part)));
  return Object.fromEntries(
    [...memory.rules]
      .map(([id, rules]) => [id, [...rules.values()].sort((a, b) => comparePrefixes(a.prefix, b.prefix))] as const)
      .filter(([, rules]) => rules.length > 0)
      .sort(),
  );
}

const address = (number: number): string => `198.${18 + (number >>> 16)}.${(number >>> 8) & 255}.${number & 255}`;

async function fill(store: Store, { organisationId, id }: Ruleset, count = RULES, first = 0): Promise<void> {
  const texts = Array.from({ length: count }, (_, at) => address(first + at));
  await store.write({
    kind: "replace-rules",
    organisationId,
    rulesetId: id,
    rules: columnsOfTexts(texts, "büro"),
    shrink: { maxShrink: 100, allowEmpty: true },
    ...by(1),
  });
}

const add = (store: Store, { organisationId, id }: Ruleset, prefix: string, at = 2): Promise<unknown> =>
  store.write({
    kind: "add-rule",
    organisationId,
    rulesetId: id,
    request: adding(prefix, { mode: "override", name: `at ${at}`, expiresAt: 1000 * at }),
    ...by(at),
  });

for (const { name, skip, make, stop } of await databases()) {
  describe(`snapshots of rulesets on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    const parent = makeFastFolder();
    let folders = 0;
    after(stop);
    after(() => rmSync(parent, { recursive: true, force: true }));

    /** A database with a large blocklist and a small allowlist, of which a server has written a snapshot. */
    async function saved() {
      const location = await make();
      const folder = join(parent, String(++folders));
      const service = await Service.start(location, folder);
      const { organisation, rulesets } = await service.store.write({
        kind: "create-organisation",
        name: "One",
        ...by(1),
      });
      const [allowlist, blocklist] = rulesets as [Ruleset, Ruleset];
      await fill(service.store, blocklist);
      await add(service.store, allowlist, "192.0.2.1");
      await service.stop();
      const file = join(folder, `${blocklist.id}.ipsieve`);
      return { location, folder, file, organisation, allowlist, blocklist };
    }

    /** Starts a server, and compares its contents with the database. */
    async function started(location: StoreLocation, folder: string): Promise<Service> {
      const service = await Service.start(location, folder);
      assert.deepEqual(service.contents(), await contentsOf(service));
      return service;
    }

    test("a stopping server writes snapshots of large rulesets, only for its owner; the next starts from them and later changes", async () => {
      const { location, folder, file, blocklist } = await saved();
      assert.deepEqual(readdirSync(folder), [`${blocklist.id}.ipsieve`]);
      if (process.platform !== "win32")
        assert.deepEqual([statSync(folder).mode & 0o777, statSync(file).mode & 0o777], [0o700, 0o600]);
      const written = statSync(file).mtimeMs;
      const service = await started(location, folder);
      assert.equal(service.snapshots, 1);
      assert.match(
        service.lines[0]!,
        /^started from 1 snapshot with 2,500 rules and 0 changes since; 1 rule read from/,
      );
      assert.match(await service.metrics.registry.metrics(), /ipsieve_start_rules\{source="snapshots"\} 2500\n/);
      await add(service.store, blocklist, address(3), 5);
      await add(service.store, blocklist, "2001:db8::/64", 6);
      await service.store.write({
        kind: "delete-rule",
        organisationId: blocklist.organisationId,
        rulesetId: blocklist.id,
        prefix: parsePrefix(address(7)),
        ...by(7),
      });
      await service.stop();
      assert.equal(statSync(file).mtimeMs, written, "three changes are not worth another one");
      const next = await started(location, folder);
      assert.match(next.lines[0]!, /^started from 1 snapshot with 2,500 rules and 3 changes since/);
      const rules = next.memory.rulesetById(blocklist.id)!.rules;
      for (const now of [0, 4999, 5000, 6000, 5999])
        assert.equal(rules.deciding(parsePrefix(address(3)), now)?.name, now < 5000 ? "at 5" : undefined);
      await next.stop();
    });

    test("a running server writes rulesets that changed a lot in the background; a ruleset that keeps changing waits", async () => {
      const { location, folder, file, blocklist } = await saved();
      const service = await Service.start(location, folder, 20);
      const before = statSync(file).mtimeMs;
      await fill(service.store, blocklist, 2 * RULES, 100);
      await until(() => statSync(file).mtimeMs > before && !readdirSync(folder).some((each) => each.endsWith(".tmp")));
      await service.stop({ isKilled: true });
      const next = await started(location, folder);
      assert.equal(next.snapshots, 1);
      await next.stop();
    });

    test("random writes, stops, kills, and two servers that share a folder", async (t) => {
      const { location, folder, blocklist, allowlist } = await saved();
      const random = new Random(16);
      const seen = { snapshots: 0, changes: 0, rejected: 0 };
      for (let round = 0; round < 6; round++) {
        const services = [
          await started(location, folder),
          ...(round % 2 === 0 ? [await started(location, folder)] : []),
        ];
        for (const { loaded } of services) {
          seen.snapshots += loaded.fromSnapshots.length;
          seen.changes += loaded.fromSnapshots.reduce((sum, { changes }) => sum + changes, 0);
          seen.rejected += loaded.rejected.length;
        }
        for (let writes = 3 + random.below(12); writes > 0; writes--) {
          const { store } = services[random.below(services.length)]!;
          const ruleset = random.below(3) === 0 ? allowlist : blocklist;
          const kind = random.below(20);
          if (kind === 0) await fill(store, blocklist, RULES + random.below(1000), random.below(500));
          else if (kind < 10) await add(store, ruleset, address(random.below(4000)), 10 + round);
          else
            await store.write({
              kind: "batch-rules",
              organisationId: ruleset.organisationId,
              rulesetId: ruleset.id,
              atomic: false,
              items: Array.from({ length: random.below(100) }, () => ({
                delete: parsePrefix(address(random.below(3000))),
              })),
              ...by(30 + round),
            });
        }
        // Stops them all at the same time, each cleanly or killed.
        await Promise.all(services.map((service) => service.stop({ isKilled: random.below(3) === 0 })));
      }
      t.diagnostic(JSON.stringify(seen));
      assert.ok(seen.snapshots > 3 && seen.changes > 3, JSON.stringify(seen));
      await (await started(location, folder)).stop({ isKilled: true });
    });

    test("snapshots of another database, or of a history that a restore has ended: all rules are read", async () => {
      const { location, folder, file, blocklist } = await saved();
      const other = await saved();
      // The file of another database's ruleset, under the name of one of this database's.
      copyFileSync(other.file, file);
      const first = await started(location, folder);
      assert.equal(first.snapshots, 0);
      assert.match(first.reasons, /it is not a snapshot of the ruleset/);
      assert.match(first.lines.join("\n"), /read all rules from the database: .*not a snapshot of the ruleset/);
      await first.stop();
      const healed = await started(location, folder);
      assert.equal(healed.snapshots, 1, "it has been written again");
      // The last change in the database has the same number, but belongs to another transaction.
      await healed.stop();
      await runSql(
        location,
        "update changes set \"transaction\" = '00000000-0000-4000-8000-000000000000' where sequence > 0",
      );
      const second = await started(location, folder);
      assert.match(second.reasons, /another database, or before this one was restored/);
      await second.stop({ isKilled: true });
      // The database has fewer changes than the snapshot includes.
      const stored = await openRules(file);
      const { origin } = stored.about;
      await saveRules(file, stored.rules, {
        ...stored.about,
        origin: { ...origin!, mark: { ...origin!.mark, sequence: origin!.mark.sequence + 5 } },
      });
      const third = await started(location, folder);
      assert.match(third.reasons, /saved at change \d+, and the database is at change \d+/);
      await third.stop({ isKilled: true });
      // Negative control: a snapshot with wrong rules under the right mark is accepted, and this test notices.
      const store = await openStore(location);
      const mark = (await store.read("historyMark"))!;
      await store.close();
      stored.rules.delete(parsePrefix(address(9)));
      await saveRules(file, stored.rules, {
        ...stored.about,
        sequence: mark.sequence,
        origin: { rulesetId: blocklist.id, mark },
      });
      await assert.rejects(started(location, folder), /deep/);
    });

    test("snapshots whose changes are no longer kept, or of a deleted ruleset: all rules are read, and the file is removed", async () => {
      const { location, folder, file, blocklist } = await saved();
      const service = await Service.start(location, folder);
      for (let at = 10; at < 14; at++) await add(service.store, blocklist, address(at), at);
      await service.stop({ isKilled: true });
      await runSql(location, "delete from changes where sequence < (select max(sequence) from changes)");
      const later = await started(location, folder);
      assert.match(later.reasons, /changes are kept from \d+ on/);
      await later.store.write({
        kind: "delete-ruleset",
        organisationId: blocklist.organisationId,
        rulesetId: blocklist.id,
        ...by(15),
      });
      await later.stop({ isKilled: true });
      assert.ok(existsSync(file));
      const last = await started(location, folder);
      assert.equal(last.snapshots, 0);
      await last.stop();
      assert.deepEqual(readdirSync(folder), []);
    });

    test("snapshots that are corrupt in any byte, truncated, empty, a folder, or half written: all rules are read", async () => {
      const { location, folder, file } = await saved();
      const bytes = readFileSync(file);
      const random = new Random(3);
      const spoil: (() => void)[] = [
        ...Array.from({ length: 3 }, () => () => {
          const spoiled = Buffer.from(bytes);
          spoiled[random.below(bytes.length)]! ^= 1 << random.below(8);
          writeFileSync(file, spoiled);
        }),
        () => truncateSync(file, random.below(bytes.length)),
        () => truncateSync(file, 0),
        () => {
          rmSync(file);
          mkdirSync(file);
        },
      ];
      // A valid file for the right ruleset and database, but its times cannot be right.
      const { table, metadata } = await openRulesetSnapshot(file);
      const { times } = metadata as { times: object };
      await writeSnapshot(file, {
        table,
        kind: "ruleset",
        metadata: { ...(metadata as object), times: { ...times, moments: new Uint8Array(8).fill(255) } },
      });
      const crafted = readFileSync(file);
      spoil.unshift(() => writeFileSync(file, crafted));
      for (const each of spoil) {
        writeFileSync(file, bytes);
        each();
        const service = await started(location, folder);
        assert.equal(service.snapshots, 0);
        assert.equal(service.loaded.rejected.length, 1);
        await service.stop({ isKilled: true });
      }
      rmSync(file, { recursive: true });
      // What a killed writer has left, and a file that is not the server's.
      const temporary = join(folder, `.${file.slice(folder.length + 1)}.123.0123456789ab.tmp`);
      writeFileSync(temporary, bytes.subarray(0, 1000));
      utimesSync(temporary, 1, 1);
      writeFileSync(join(folder, "notes.txt"), "");
      const service = await started(location, folder);
      assert.deepEqual([service.snapshots, service.reasons], [0, ""]);
      await service.stop();
      assert.deepEqual(readdirSync(folder).sort(), [file.slice(folder.length + 1), "notes.txt"].sort());
      const next = await started(location, folder);
      assert.equal(next.snapshots, 1);
      await next.stop();
    });

    test("snapshots that cannot be written, or for which there is no time: reported once, without other effects", async () => {
      const { location, folder, blocklist } = await saved();
      const blocked = join(parent, `blocked-${++folders}`);
      writeFileSync(blocked, "");
      const service = await started(location, blocked);
      await service.stop();
      assert.match(service.lines.join("\n"), /cannot be written; nothing is lost/);
      assert.equal(readFileSync(blocked, "utf8"), "");
      const hurried = await Service.start(location, folder);
      const before = readdirSync(folder).map((each) => statSync(join(folder, each)).mtimeMs);
      await fill(hurried.store, blocklist, RULES, 3);
      await hurried.stop({ patience: 0 });
      assert.deepEqual(
        readdirSync(folder).map((each) => statSync(join(folder, each)).mtimeMs),
        before,
      );
      await (await started(location, folder)).stop({ isKilled: true });
      const off = await Service.start(location, "off");
      await off.stop();
      assert.match(off.lines.join("\n"), /^read all rules from the database$/);
    });

    test("with the server's clock set back", async () => {
      const { location, folder, blocklist } = await saved();
      const service = await Service.start(location, folder);
      await add(service.store, blocklist, "192.0.2.9", 1000);
      await add(service.store, blocklist, "192.0.2.9", 3);
      await add(service.store, blocklist, "192.0.2.10", 0);
      await service.stop();
      const next = await started(location, folder);
      assert.equal(next.snapshots, 1);
      await next.stop();
    });
  });
}

test("by default they are beside a SQLite file; with PostgreSQL in the home folder, one folder per database", () => {
  const pathOf = (setting: string, location: StoreLocation, home?: string) =>
    snapshotFolderOf(setting, location, home)?.path;
  assert.equal(pathOf("", { file: "/data/ipsieve.db" }, "/home/ipsieve"), "/data/ipsieve.db-rulesets");
  const url = "postgres://user:secret@db/ipsieve";
  assert.equal(pathOf("", { url }), undefined);
  const path = pathOf("", { url }, "/home/ipsieve");
  assert.match(path!, /^\/home\/ipsieve\/postgres-[0-9a-f]{16}-rulesets$/);
  assert.equal(pathOf("", { url: url.replace("secret", "other") }, "/home/ipsieve"), path);
  for (const other of [`${url}2`, url.replace("@db/", "@db2/"), url.replace("user", "user2")])
    assert.notEqual(pathOf("", { url: other }, "/home/ipsieve"), path);
  assert.equal(pathOf("/data/rulesets", { url }, "/home/ipsieve"), "/data/rulesets");
  assert.equal(pathOf("off", { url }, "/home/ipsieve"), undefined);
});

test("a SQLite file that is restored from a backup continues from it, not from newer snapshots", async () => {
  const folder = makeFastFolder();
  try {
    const [file, backup, snapshots] = ["store.db", "backup.db", "rulesets"].map((each) => join(folder, each)) as [
      string,
      string,
      string,
    ];
    const service = await Service.start({ file }, snapshots);
    const { rulesets } = await service.store.write({ kind: "create-organisation", name: "One", ...by(1) });
    const blocklist = rulesets[1]!;
    await fill(service.store, blocklist);
    await service.store.backup(backup);
    for (let at = 0; at < 3; at++) await fill(service.store, blocklist, RULES, 10 + at);
    await service.stop();
    await restoreFile(backup, file, true);
    const restored = await Service.start({ file }, snapshots);
    assert.match(restored.reasons, /another database, or before this one was restored/);
    assert.deepEqual(restored.contents(), await contentsOf(restored));
    // The new changes get larger numbers than the lost ones.
    for (let at = 0; at < 5; at++) await add(restored.store, blocklist, `192.0.2.${at}`);
    await restored.stop({ isKilled: true });
    const later = await Service.start({ file }, snapshots);
    assert.match(later.reasons, /another database, or before this one was restored/);
    assert.deepEqual(later.contents(), await contentsOf(later));
    assert.ok(later.memory.rulesetById(blocklist.id)!.rules.get(parsePrefix("192.0.2.3")));
    assert.equal(formatPrefix(later.contents()[blocklist.id]![0]!.prefix), "192.0.2.0");
    await later.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    assert.ok(tries < 3000, "no snapshot was written within a minute");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
