/** A MISP instance that follows its importer's rules reads feeds of lists that change at random. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { comparePrefixes, formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import { continuingHistory } from "../../../src/service/deployments/list-history.ts";
import {
  type FileContext,
  fileName,
  filesOf,
  makeFile,
  readFileName,
} from "../../../src/service/deployments/feed-files.ts";
import { type ListText, packList, unpackList, writingList } from "../../../src/service/sources/list-text.ts";
import { inSlices } from "../../../src/turns/in-slices.ts";
import { seededRandom } from "../../address/address-texts.ts";
import { rounds } from "../../rounds.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const ID = "9b2f7c1e-8f1d-4c55-9a77-0f2e6b1c3d4e";
const STEPS = rounds({ short: 40, long: 1000 });

const DEFINITION = definitionOf({ firewall_format: "misp" });

interface Attribute {
  readonly uuid: string;
  readonly value: string;
  readonly timestamp: number;
  readonly deleted: boolean;
}

/** What MISP does with an event of a feed: it ignores an event that is not later than the one it has. */
class Instance {
  readonly #events = new Map<string, number>();
  readonly #attributes = new Map<string, Attribute & { readonly event: string }>();
  fetched = 0;

  async poll(read: (file: string) => Promise<string>): Promise<void> {
    const manifest: Record<string, { timestamp: number }> = JSON.parse(await read("manifest.json"));
    for (const [uuid, { timestamp }] of Object.entries(manifest)) {
      if ((this.#events.get(uuid) ?? -1) >= timestamp) continue;
      const { Event: event } = JSON.parse(await read(`${uuid}.json`));
      assert.deepEqual([event.uuid, event.timestamp], [uuid, timestamp]);
      this.fetched++;
      this.#events.set(uuid, timestamp);
      for (const attribute of event.Attribute as Attribute[]) this.#take(attribute, uuid);
    }
  }

  #take(attribute: Attribute, event: string): void {
    const known = this.#attributes.get(attribute.uuid);
    assert.ok(known === undefined || known.event === event, "MISP refuses a UUID of another event");
    if (known === undefined || attribute.timestamp > known.timestamp)
      this.#attributes.set(attribute.uuid, { ...attribute, event });
  }

  get values(): string[] {
    return [...this.#attributes.values()].filter(({ deleted }) => !deleted).map(({ value }) => value);
  }

  get hashes(): string[] {
    const listed = [...this.#attributes.values()].filter(({ deleted }) => !deleted);
    return listed.map(({ value, event }) => `${hash("md5", value, "hex")},${event}`);
  }
}

interface Generation {
  readonly text: ListText;
  readonly chunks: number;
}

function textOf(prefixes: ReadonlySet<string>): Promise<ListText> {
  const sorted = [...prefixes].map((text) => parsePrefix(text)).toSorted(comparePrefixes);
  return inSlices(writingList((family) => sorted.filter((prefix) => prefix.family === family)));
}

function readerOf({ text, chunks }: Generation, context: FileContext): (file: string) => Promise<string> {
  return async (name) => {
    const file = readFileName(name, context, chunks);
    assert.ok(file, name);
    assert.equal(fileName(file, context), name);
    return (await makeFile(context, text, file, chunks)).toString();
  };
}

type Times = Parameters<typeof continuingHistory>[2];
type Tell = (before: Generation | undefined, now: Generation, times: Times) => Promise<ListText>;

/** Follows a list through changes; `tell` makes what is stored of a generation. */
async function follow(tell: Tell): Promise<void> {
  const random = seededRandom(20);
  const [instance, prefixes] = [new Instance(), new Set<string>()];
  let generation: Generation | undefined;
  let [chunks, updatedAt] = [1, 1_700_000_000_500];
  for (let step = 0; step < STEPS; step++) {
    for (let change = random(6); change >= 0; change--) {
      const text = random(4) === 0 ? `2001:db8:${(1 + random(40)).toString(16)}::/48` : `192.0.2.${random(60)}`;
      if (!prefixes.delete(text)) prefixes.add(text);
    }
    if (step % 13 === 12 && chunks < 16) chunks *= 2;
    if (step % 17 === 16) updatedAt += 30_000;
    // Half of the time within the same second as the one before.
    const at = 1_700_000_000 + (step >> 1);
    const now = { text: await textOf(prefixes), chunks };
    generation = { chunks, text: await tell(generation, now, { at, after: Math.floor(updatedAt / 1000) }) };
    const context = { id: ID, name: "edge", definition: DEFINITION, at: at * 1000, updatedAt };
    const read = readerOf(generation, context);
    // An instance that misses generations in between still reaches the right state.
    if (random(3) === 0) continue;
    await instance.poll(read);
    const { fetched } = instance;
    await instance.poll(read);
    assert.equal(instance.fetched, fetched, "unchanged events are not fetched again");
    assert.deepEqual(instance.values.toSorted(), [...prefixes].toSorted(), `step ${step}`);
    assert.deepEqual(instance.hashes.toSorted(), (await read("hashes.csv")).split("\n").slice(0, -1).toSorted());
  }
}

/** The list as stored and read back. */
async function remembered(before: Generation | undefined, now: Generation, times: Times): Promise<ListText> {
  const history = await inSlices(continuingHistory(before, now, times));
  const read = await unpackList(await packList({ ...now.text, history }));
  assert.deepEqual([read[4], read[6], read.history], [now.text[4], now.text[6], history]);
  return read;
}

test("a polling instance has the listed entries, even after entries were removed and restored, and lists were divided", async () => {
  await follow(remembered);
});

test("negative control: without a history, removed entries stay in the instance", async () => {
  await assert.rejects(
    follow((_before, now) => Promise.resolve(now.text)),
    /step \d+/,
  );
});

test("an unchanged list has the same history, and removed entries are forgotten after 90 days", async () => {
  const [one, both] = [await textOf(new Set(["192.0.2.1"])), await textOf(new Set(["192.0.2.1", "192.0.2.2"]))];
  const [DAYS, first] = [86_400, 1_700_000_000];
  const next = async (before: ListText | undefined, now: ListText, at: number): Promise<ListText> => {
    const old = before && { text: before, chunks: 1 };
    const history = await inSlices(continuingHistory(old, { text: now, chunks: 1 }, { at, after: 0 }));
    return { ...now, history };
  };
  const begun = await next(undefined, both, first);
  assert.equal(String(begun.history), `= ${first} ${first}\n`);
  assert.equal((await next(begun, both, first + 5)).history, begun.history);
  const shorter = await next(begun, one, first);
  assert.equal(String(shorter.history), `= ${first} ${first + 1}\n- 192.0.2.2 ${first + 1} 0\n`);
  const third = new Set(["192.0.2.1", "192.0.2.3"]);
  const kept = await next(shorter, await textOf(third), first + 90 * DAYS);
  assert.match(String(kept.history), /\+ 192\.0\.2\.3 \d+\n- 192\.0\.2\.2 /);
  const forgot = await next(shorter, await textOf(third), first + 91 * DAYS);
  assert.doesNotMatch(String(forgot.history), /^-/m);
});

/** The addresses that are remembered as removed, after a list with this history has lost one more. */
async function rememberedAfter(history: string, before: Set<string>, at: number): Promise<string[]> {
  const [lost, ...rest] = before;
  const old = { text: { ...(await textOf(before)), history: Buffer.from(history) }, chunks: 1 };
  const now = { text: await textOf(new Set(rest)), chunks: 1 };
  const stored = String(await inSlices(continuingHistory(old, now, { at, after: 0 })));
  const removed = [...stored.matchAll(/^- (\S+)/gm)].map(([, address]) => address!);
  assert.equal(removed.at(-1), lost);
  return removed;
}

test("90 days to the second and the latest 100,000 are remembered, and as many as a longer list has entries", async () => {
  const [at, kept] = [1_800_000_000, 90 * 86_400];
  const two = new Set(["192.0.2.1", "192.0.2.2"]);
  const old = `= ${at - kept - 9} ${at - 9}\n- 10.0.0.1 ${at - kept - 1} 0\n- 10.0.0.2 ${at - kept} 0\n`;
  assert.deepEqual(await rememberedAfter(old, two, at), ["10.0.0.2", "192.0.2.1"]);
  const address = (first: number) => (number: number) =>
    `${first}.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
  const many = Array.from({ length: 100_000 }, (_, number) => address(10)(number));
  const full = `= ${at - 9} ${at - 9}\n${many.map((each) => `- ${each} ${at - 9} 0\n`).join("")}`;
  const removed = await rememberedAfter(full, two, at);
  assert.deepEqual([removed.length, removed[0]], [100_000, many[1]]);
  // Every second address, none of which is joined with another.
  const long = new Set(Array.from({ length: 100_001 }, (_, number) => address(20)(2 * number)));
  assert.equal((await rememberedAfter(full, long, at)).length, 100_001);
});

test("each event has a file, and no other name does", () => {
  const context = { id: ID, definition: DEFINITION };
  const events = filesOf("combined", 4).map((file) => fileName(file, context));
  assert.equal(new Set(events).size, 4);
  for (const name of events) assert.match(name, /^[0-9a-f-]{14}5[0-9a-f-]{21}\.json$/);
  assert.deepEqual(readFileName(`${events[3]}.sha256`, context, 4), { part: "combined", chunk: 3, checksum: "sha256" });
  assert.equal(readFileName(events[3]!, context, 2), undefined);
  for (const name of [
    "combined.json",
    "ipv4.json",
    "manifest.csv",
    "hashes.json",
    "unprocessable.txt",
    "manifest.json.sha1",
  ])
    assert.equal(readFileName(name, context, 4), undefined, name);
  assert.equal(formatPrefix(parsePrefix("192.0.2.1/32")), "192.0.2.1");
});
