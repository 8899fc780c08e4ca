/** R17 and R18: what followers of the change feed and webhook endpoints get from servers that are killed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { onlyLong } from "../rounds.ts";
import { FollowedChanges } from "./harness/followed-changes.ts";
import { type FollowedReport, killFollowedServers } from "./harness/kill-followed-servers.ts";
import { checkMessages } from "./harness/received-messages.ts";

// The longer form is npm run torture -- followers.

const KILLS = 12;

test(
  "kill -9 of a server: its feed neither loses nor repeats anything, and every event arrives in order",
  { skip: onlyLong() },
  (t) =>
    inTemporaryFolder(async (folder) => {
      const report = await killFollowedServers({ folder, seed: 1, servers: 1, kills: KILLS });
      t.diagnostic(countsOf(report));
      assert.ok(report.expiries > 0 && report.messages > 1);
      checkControls(report);
    }),
);

test(
  "kill -9 of one or both of two servers on PostgreSQL",
  { skip: (await whyNoPostgres()) || onlyLong() },
  async (t) => {
    await using postgres = await startPostgres();
    await inTemporaryFolder(async (folder) => {
      const store = { url: await postgres.database() };
      const report = await killFollowedServers({ folder, store, seed: 2, servers: 2, kills: KILLS });
      t.diagnostic(countsOf(report));
      assert.ok(report.expiries > 0 && report.messages > 1);
    });
  },
);

/**
 * Asserts that a change or message that is missing or too late, or a change that is repeated, would have been noticed.
 */
function checkControls({ all, received, start, rulesetId, secret }: FollowedReport): void {
  const follow = (changes: typeof all) => {
    const follower = new FollowedChanges(rulesetId, start);
    for (const change of changes) follower.apply(change);
  };
  follow(all);
  const expired = all.findIndex(({ type }) => type === "rule.expired");
  assert.throws(() => follow(all.toSpliced(expired, 1)), /missing/);
  assert.throws(() => follow(all.toSpliced(expired, 0, all[expired]!)), /twice/);
  const again = all.flatMap((change, at) => (at === expired ? [change, change] : [change]));
  const numbered = again.map((change, at) => ({ ...change, sequence: start + 1 + at }));
  assert.throws(() => follow(numbered), /expires twice/);
  const middle = received.findIndex(
    ({ headers }, at) => at > 0 && headers["webhook-id"] !== received[0]!.headers["webhook-id"],
  );
  const [first, second] = [received[0]!, received[middle]!];
  assert.throws(() => checkMessages(received.toSpliced(0, middle), secret, start), /begins with event/);
  assert.throws(() => checkMessages([second, first], secret, start), /begins with event/);
  assert.throws(() => checkMessages([{ ...first, body: `${first.body} ` }], secret, start), /signature/i);
}

function countsOf({ all: _all, received: _received, secret: _secret, ...counts }: FollowedReport): string {
  return JSON.stringify(counts);
}
