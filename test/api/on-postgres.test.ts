import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { onlyLong } from "../rounds.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { runHistories } from "./histories/run-histories.ts";
import { runSequences } from "./sequences/run-sequences.ts";
import { addKey, addOrganisation, START, startServer, type TestServer, useStores } from "./start-server.ts";

// R13: what writes over HTTP, or depends on what is written, behaves on PostgreSQL as on SQLite. The negative controls
// of the harnesses need no second database.
const SEED = 20_261_121;
const SUITES = [
  "openapi/specification",
  "plugins/authentication",
  "rate-limits",
  "dashboard/undo",
  "conditional-writes",
  "compact-rules",
  "versions",
  "changes",
  "change-streams",
  "feeds",
  "misp-feeds",
  "dashboard/webhooks",
  "rotations",
  "explain",
  "guard",
  "bouncers",
  "edge",
  "taxii",
  "credentials",
  "interrupted-requests",
  "replays",
  "status",
];
/** The suite with the most writes; the long form runs all. */
const SHORT = "conditional-writes";
const ran = SUITES.filter((suite) => suite === SHORT || onlyLong() === false);

describe("the service on PostgreSQL", { skip: await whyNoPostgres() }, () => {
  let postgres: PostgresServer;
  let databases = 0;
  before(async () => {
    postgres = await startPostgres();
    useStores(async () => {
      databases++;
      return { url: await postgres.database() };
    });
  });
  after(() => postgres[Symbol.asyncDispose]());

  for (const suite of SUITES)
    describe(suite, { skip: ran.includes(suite) ? false : onlyLong() }, () => import(`./${suite}.test.ts`));

  describe("generated requests", { skip: onlyLong() }, () => {
    let t: TestServer;
    before(async () => {
      t = await startServer({
        perMinute: 1e9,
        perMonth: 1e12,
        failuresPerMinute: 1e9,
        logLevel: "silent",
      });
    });
    after(() => t.close());

    test("sequences of two organisations get the results of the model", async (c) => {
      const { failure, ...report } = await runSequences({ server: t, seed: SEED, runs: 40 });
      c.diagnostic(JSON.stringify(report));
      assert.equal(failure, undefined);
    });

    test("rules are linearizable under concurrent writes", async (c) => {
      const { text: key } = await addKey(t, await addOrganisation(t, "histories"));
      const { failures, ...report } = await runHistories({
        now: START,
        seed: SEED,
        writers: 12,
        operations: 60,
        url: t.server.url,
        key,
      });
      c.diagnostic(JSON.stringify(report));
      assert.deepEqual(failures, []);
    });
  });

  test("every suite ran on databases of its own", () => assert.ok(databases >= ran.length));
});
