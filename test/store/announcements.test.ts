/** Events that no write causes: a key is about to expire, or a list is no longer fetched. Each is announced once. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { sql } from "kysely";
import type { Event } from "../../src/store/event.ts";
import { eventsOf } from "../../src/store/packed-events.ts";
import type { Store } from "../../src/store/store.ts";
import { openPool } from "../../src/store/postgres/_database.ts";
import { by, databases, Replica } from "./harness/stores.ts";
import { onlyLong } from "../rounds.ts";
import { definitionOf } from "../deployments/definition-of.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const DEFINITION = definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] });

for (const { name, skip, make, stop } of await databases()) {
  describe(`announcements on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    test("two servers announce a key once, when a week or a quarter of its time remains, unless it is revoked", async () => {
      const { one, other, organisationId, close } = await opened();
      const makeKey = async (digest: string, expiresAt: number | null) => {
        const key = { label: digest, access: "read" as const, digest, start: "s", expiresAt };
        return (
          await one.store.write({ kind: "create-credential", credential: "api", organisationId, ...key, ...by(0) })
        ).credential;
      };
      const [long, short, lasting, revoked] = [
        await makeKey("long", 100 * DAY),
        await makeKey("short", 4 * DAY),
        await makeKey("lasting", null),
        await makeKey("revoked", 4 * DAY),
      ];
      await one.store.write({
        kind: "revoke-credential",
        credential: "api",
        organisationId,
        credentialId: revoked.id,
        ...by(1),
      });
      const announce = (at: number, { store }: Replica = one) =>
        Promise.all(
          [long, short, lasting, revoked, { id: "00000000-0000-0000-0000-000000000000" }].map(async ({ id: keyId }) => {
            const command = { kind: "announce-expiring-key", organisationId, keyId } as const;
            return (await store.write({ ...command, ...by(at) })).isAnnounced;
          }),
        );
      assert.deepEqual(await announce(3 * DAY - 1), [false, false, false, false, false]);
      const answers = await Promise.all([announce(3 * DAY, one), announce(3 * DAY, other), announce(3 * DAY, one)]);
      for (const each of answers) assert.deepEqual(each, [false, true, false, false, false]);
      assert.deepEqual(await announce(93 * DAY - 1), [false, true, false, false, false]);
      await Promise.all([announce(101 * DAY, other), announce(101 * DAY, one)]);
      assert.deepEqual(await announced(one.store, organisationId), [
        { type: "key.expiring", at: 3 * DAY, id: short.id },
        { type: "key.expiring", at: 101 * DAY, id: long.id },
      ]);
      await close();
    });

    test("two servers announce once that a list is not requested, and again only after another request", async () => {
      const { one, other, organisationId, close } = await opened();
      const create = { kind: "create-deployment", organisationId, name: "d", definition: DEFINITION } as const;
      const { id: deploymentId } = (await one.store.write({ ...create, ...by(0) })).deployment;
      const announce = async (at: number) => {
        const command = { kind: "announce-silent-deployment", organisationId, deploymentId, ...by(at) } as const;
        const both = await Promise.all([one.store.write(command), other.store.write(command)]);
        return both.map(({ isAnnounced }) => isAnnounced);
      };
      const change = (active: boolean, at: number) =>
        one.store.write({ kind: "update-deployment", organisationId, deploymentId, definition: { active }, ...by(at) });
      assert.deepEqual(await announce(15 * MINUTE + 1), [false, false], "others may not have recorded a pull yet");
      await change(false, 15 * MINUTE + 2);
      assert.deepEqual(await announce(20 * MINUTE), [false, false], "it is switched off");
      await change(true, 20 * MINUTE + 1);
      assert.deepEqual(await announce(21 * MINUTE), [true, true]);
      assert.deepEqual(await announce(900 * MINUTE), [true, true]);
      const pull = { deploymentId, file: "combined.txt", address: "192.0.2.1", agent: "", status: 200, bytes: 1 };
      await other.store.record("pulls", [{ ...pull, at: 901 * MINUTE, id: "p", earlier: { pulls: 0, bytes: 0 } }]);
      assert.deepEqual(await announce(905 * MINUTE), [false, false]);
      assert.deepEqual(await announce(917 * MINUTE), [true, true]);
      assert.deepEqual(await announced(one.store, organisationId), [
        { type: "deployment.not_pulled", at: 21 * MINUTE, id: deploymentId, pulledAt: null },
        { type: "deployment.not_pulled", at: 917 * MINUTE, id: deploymentId, pulledAt: 901 * MINUTE },
      ]);
      await close();
    });

    test("an update of the catalogue is in the feed of every organisation", async () => {
      const { one, organisationId, close } = await opened();
      const other = (await one.organisation("Other")).organisation.id;
      const update = { kind: "update-catalogue", organisationId, old: null } as const;
      await one.store.write({ ...update, new: { dataset: "catalogue", prefixes: 7 }, ...by(5) });
      await one.store.write({ ...update, kind: "import-feed", new: { dataset: "cti", prefixes: 8 }, ...by(6) });
      for (const id of [organisationId, other]) {
        const found = (await eventsOfAll(one.store, id)).filter(({ type }) => type === "catalogue.updated");
        assert.deepEqual(
          found.map((event) => [event.at, "dataset" in event && event.dataset.prefixes]),
          [[5, 7]],
        );
      }
      await close();
    });

    if (name === "PostgreSQL")
      test("feeds have new ids in a copied database and in restored tables, and the same ids at any other start", async () => {
        const url = ((await make()) as { url: string }).url;
        const feedAt = async (at: string) => {
          const { store } = await Replica.open({ url: at });
          const state = await store.load(null);
          const { id } =
            state.organisations[0] ??
            (await store.write({ kind: "create-organisation", name: "A", ...by(1) })).organisation;
          const { feed } = await store.read("events", id, 0, 10);
          await store.close();
          return feed;
        };
        const feed = await feedAt(url);
        assert.equal(await feedAt(url), feed, "the next start");
        const copy = new URL(url);
        copy.pathname += "_copy";
        const original = new URL(url).pathname.slice(1);
        // PostgreSQL may not have noticed yet that the store was closed, and does not copy a database that is in use.
        await run(url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${original}'`, true);
        await run(url, `create database ${copy.pathname.slice(1)} template ${original}`, true);
        const copied = await feedAt(copy.href);
        assert.notEqual(copied, feed, "another database");
        assert.equal(await feedAt(copy.href), copied);
        assert.equal(await feedAt(url), feed, "the original");
        await run(
          url,
          `create table dumped (like event_heads including all); insert into dumped select * from event_heads;
           drop table event_heads; alter table dumped rename to event_heads`,
        );
        assert.notEqual(await feedAt(url), feed, "tables of the same database that were made again");
      });

    async function opened() {
      const location = await make();
      const one = await Replica.open(location);
      const other = name === "SQLite" ? one : await Replica.open(location);
      const organisationId = (await one.organisation()).organisation.id;
      const close = async () => {
        await one.store.close();
        if (other !== one) await other.store.close();
      };
      return { one, other, organisationId, close };
    }
  });
}

/** Runs statements; in another database of the server if the one in the URL must not be in use. */
async function run(url: string, statements: string, outside = false): Promise<void> {
  const at = new URL(url);
  if (outside) at.pathname = "/postgres";
  const { engine, pool } = openPool(at.href, 1);
  await sql.raw(statements).execute(engine.db);
  await engine.db.destroy();
  if (!pool.ended && !pool.ending) await pool.end();
}

async function eventsOfAll(store: Store, organisationId: string): Promise<Event[]> {
  const { rows } = await store.read("events", organisationId, 0, 1000);
  return rows.flatMap((row) => [...eventsOf(row, 0)]);
}

/** The announced events, without the members that all of them have. */
async function announced(store: Store, organisationId: string): Promise<object[]> {
  return (await eventsOfAll(store, organisationId)).flatMap((event): object[] => {
    const { type, at } = event;
    if (type === "key.expiring") return [{ type, at, id: event.key.id }];
    if (type === "deployment.not_pulled") return [{ type, at, id: event.deployment.id, pulledAt: event.pulledAt }];
    return [];
  });
}
