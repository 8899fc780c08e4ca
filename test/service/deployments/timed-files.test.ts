/** Files of stored lists with end times: what they contain from moment to moment, and when devices see them as new. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { type FeedFile, makeFile } from "../../../src/service/deployments/feed-files.ts";
import { FeedBytes } from "../../../src/service/deployments/feed-bytes.ts";
import { readFeedFolder } from "../../../src/service/deployments/feed-folder.ts";
import { renewalOf } from "../../../src/service/deployments/feed-times.ts";
import {
  digestingList,
  type ListText,
  packList,
  summaryOfTimes,
  timedEntriesOf,
  unpackList,
} from "../../../src/service/sources/list-text.ts";
import type { Deployment, DeploymentDefinition } from "../../../src/store/records/deployment.ts";
import { finished } from "../../../src/turns/finished.ts";
import { formatPrefix } from "../../../src/address/prefix.ts";
import { definitionOf } from "../../deployments/definition-of.ts";
import { timedText } from "./timed-text.ts";

const FILE: FeedFile = { part: "combined", chunk: null, checksum: null };
const NOW = Date.UTC(2026, 5, 1) / 1000;
const MAX_IPSET = 2_147_483;

const timed = (format: string): DeploymentDefinition =>
  definitionOf({ firewall_format: format, options: { timeouts: true } });

/** Seconds left for each entry of the file, by its address; null: no time. */
async function leftIn(text: ListText, now: number, format = "ipset"): Promise<Map<string, number | null>> {
  const file = await makeFile({ name: "edge", definition: timed(format), now: now * 1000 }, text, FILE, 1);
  const lines = [...file.toString().matchAll(/^add \S+ (\S+?)(?: timeout (\d+))? -exist$/gm)];
  return new Map(lines.map(([, prefix, left]) => [prefix!, left === undefined ? null : Number(left)]));
}

/** Hosts with end times, some before and some after the moment. */
const entries = fc
  .array(fc.option(fc.integer({ min: -5, max: 3_000_000 })), { maxLength: 20 })
  .map((ends) => ends.map((end, at): [string, number] => [`192.0.2.${at}`, end === null ? Infinity : NOW + end]));

test("at every moment: what has ended is left out, nothing is longer than the format can say", async () => {
  const property = fc.asyncProperty(entries, fc.nat({ max: 3_000_010 }), async (list, later) => {
    const now = NOW + later;
    const expected = list
      .filter(([, end]) => end > now)
      .map(([prefix, end]) => [prefix, end === Infinity ? null : Math.min(end - now, MAX_IPSET)]);
    const text = timedText(list);
    assert.deepEqual([...(await leftIn(text, now))], expected);
  });
  await fc.assert(property, { numRuns: 200 });
});

/** A device that polls at this interval, and loads the list whenever its tag has changed, drops no entry early. */
function keepsAll(tagOf: typeof renewalOf): void {
  const lasts = fc.integer({ min: 1, max: 20_000_000 });
  const property = fc.property(lasts, fc.integer({ min: 3600, max: 86_400 }), (lasts, every) => {
    const text = timedText([["192.0.2.1", NOW + lasts]]);
    let [loaded, dropped]: [number | null | undefined, number] = [undefined, 0];
    for (let now = NOW; now < NOW + lasts; now += every) {
      const { period, since, until } = tagOf(timed("ipset"), text, now * 1000);
      assert.ok(since <= now * 1000 && now * 1000 < until);
      if (period !== loaded) dropped = now + Math.min(MAX_IPSET, NOW + lasts - now);
      loaded = period;
      assert.ok(Math.min(now + every, NOW + lasts) <= dropped, "dropped early");
    }
  });
  fc.assert(property, { numRuns: 300 });
}

test("a device that loads a list whenever its tag changes never loses an entry early", () => keepsAll(renewalOf));

test("negative control: with one tag for as long as the list is the same, it does", () => {
  const never: typeof renewalOf = () => ({ period: null, since: 0, until: Infinity });
  assert.throws(
    () => keepsAll(never),
    ({ cause }: { cause: Error }) => /dropped early/.test(cause.message),
  );
});

test("only formats that cut a time have files that are new before the list is", () => {
  const periodOf = (format: string, end: number): number | null =>
    renewalOf(timed(format), timedText([["192.0.2.1", end]]), NOW * 1000).period;
  assert.notEqual(periodOf("ipset", NOW + MAX_IPSET + 1), null);
  assert.equal(periodOf("ipset", NOW + MAX_IPSET), null);
  assert.equal(periodOf("nftables", NOW + MAX_IPSET + 1), null);
  assert.equal(periodOf("ipset", Infinity), null);
  // Every decision has an end time.
  assert.notEqual(periodOf("crowdsec-csv", Infinity), null);
});

test("ends are stored with a list, of which the prefixes stay what they were; older ones are read", async () => {
  const all = [
    [
      ["192.0.2.1", NOW + 1],
      ["192.0.2.8/29", Infinity],
      ["2001:db8::/32", NOW + 5],
    ],
    [["2001:db8::/32", NOW + 5]],
    [["192.0.2.1", NOW + 1]],
    [],
  ] as const;
  for (const list of all) {
    const text = timedText(list);
    const read = await unpackList(await packList(text));
    assert.deepEqual(read, text);
    assert.deepEqual(
      [...timedEntriesOf(text, [4, 6])].map(({ prefix, end }) => [formatPrefix(prefix), end]),
      list.map((each) => [...each]),
    );
    assert.deepEqual(
      [...timedEntriesOf(text, [6])].map(({ prefix }) => formatPrefix(prefix)),
      list.map(([prefix]) => prefix).filter((prefix) => prefix.includes(":")),
    );
    const plain = await unpackList(await packList({ 4: text[4], 6: text[6] }));
    assert.deepEqual(plain, { 4: text[4], 6: text[6] });
    assert.notEqual(finished(digestingList(text)), finished(digestingList(plain)));
    const history = Buffer.from("= 1 2\n");
    assert.deepEqual(await unpackList(await packList({ ...plain, history })), { ...plain, history });
  }
  assert.deepEqual(summaryOfTimes(timedText(all[0]).times), { last: NOW + 5, permanent: 1 });
});

test("saved feeds: one from before there were ends is served as it was, one with ends by the clock", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-timed-"));
  try {
    const text = timedText([
      ["192.0.2.1", NOW + 60],
      ["192.0.2.3", Infinity],
    ]);
    const published = {
      generation: 1,
      at: NOW * 1000,
      sequence: 1,
      digest: "d",
      entries: { 4: 2, 6: 0 },
      chunks: 1,
      datasets: {},
    };
    const save = async (id: string, saved: ListText): Promise<void> => {
      const deployment = {
        id,
        organisationId: "o",
        name: "edge",
        definition: timed("ipset"),
        createdAt: 0,
        updatedAt: 0,
      };
      const list = { published, content: await packList(saved) };
      writeFileSync(join(folder, `${id}.json`), JSON.stringify({ deployment, plan: null, list }));
    };
    await save("old", { 4: text[4], 6: text[6] });
    await save("new", text);
    const { deployments, lists } = await readFeedFolder(folder);
    const bytes = new FeedBytes();
    const sent = async (id: string, now: number): Promise<readonly [string, readonly string[]]> => {
      const deployment = deployments.find((each: Deployment) => each.id === id)!;
      const requested = { deployment, list: lists.get(id)!, file: FILE, now: now * 1000 };
      const { tag } = await bytes.state(requested);
      const lines = (await bytes.file(requested)).bytes.toString().match(/192\.0\.2\.\d.*(?= -exist)/g) ?? [];
      return [tag, lines];
    };
    const [old, fresh] = [await sent("old", NOW), await sent("new", NOW)];
    assert.deepEqual(old[1], ["192.0.2.1", "192.0.2.3"]);
    assert.match(old[0], /^"/);
    assert.deepEqual(await sent("old", NOW + 90), old);
    assert.deepEqual(fresh[1], ["192.0.2.1 timeout 60", "192.0.2.3"]);
    assert.match(fresh[0], /^W\/"/);
    assert.deepEqual(await sent("new", NOW + 90), [fresh[0], ["192.0.2.3"]]);
    // Another server, or the same one after a restart.
    assert.equal(
      (
        await new FeedBytes().state({
          deployment: deployments.find(({ id }) => id === "new")!,
          list: lists.get("new")!,
          file: FILE,
          now: NOW * 1000,
        })
      ).tag,
      fresh[0],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
