/** The change feed as server-sent events. */
import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { after, before, test } from "node:test";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";
import { until } from "../until.ts";

let t: TestServer;
let organisation: string;
let key: string;
let rules: string;
before(async () => {
  t = await startServer({ perMinute: 1e9, changeStreams: 20 });
  organisation = await addOrganisation(t, "streams");
  key = (await addKey(t, organisation)).text;
  rules = `/v1/edl/ip-rulesets/${(await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[1].id}/rules`;
});
after(() => t.close());

let next = 0;
const addRule = async (): Promise<void> => {
  const ip = `198.18.${next >> 8}.${next++ & 255}`;
  assert.equal((await ask(t, "POST", rules, { key, body: { ip } })).status, 201);
};
const addRules = (count: number) => {
  const list = Array.from({ length: count }, () => ({ ip: `198.19.${next >> 8}.${next++ & 255}` }));
  return ask(t, "POST", `${rules}:import`, { key, body: { rules: list } });
};
const lastSequence = async (): Promise<number> => (await ask(t, "GET", "/v1/changes?limit=1", { key })).body.sequence;

/** A stream, and what has been read of it. */
class Listener {
  text = "";
  hasEnded = false;
  readonly response: IncomingMessage;

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8");
    response.on("data", (part: string) => (this.text += part));
    response.on("end", () => (this.hasEnded = true));
    response.on("error", () => {});
  }

  static open(path = "", headers: Record<string, string> = {}, by = key): Promise<Listener> {
    return new Promise((resolve, reject) => {
      const all = { "X-API-Key": by, Accept: "text/event-stream", "Accept-Encoding": "gzip", ...headers };
      get(`${t.server.url}/v1/changes${path}`, { headers: all }, (response) => resolve(new Listener(response))).on(
        "error",
        reject,
      );
    });
  }

  /** A stream, once there is room for it: closed ones may still count. */
  static async opened(path = "", headers: Record<string, string> = {}, by = key): Promise<Listener> {
    let listener!: Listener;
    await until("a stream is open", async () => {
      listener = await Listener.open(path, headers, by);
      return listener.response.statusCode === 200;
    });
    return listener;
  }

  get numbers(): number[] {
    return [...this.text.matchAll(/^id: (\d+)\.\w+$/gm)].map(([, id]) => Number(id));
  }

  close(): void {
    this.response.destroy();
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test("a change is an event with its number and the same document as in pages; a stream resumes after a number", async () => {
  const start = await lastSequence();
  const live = await Listener.opened();
  assert.deepEqual(
    [live.response.statusCode, live.response.headers["content-type"], live.response.headers["content-encoding"]],
    [200, "text/event-stream", undefined],
  );
  await until("it has begun", () => live.text.startsWith("retry: 2000\n\n"));
  await addRule();
  await addRule();
  await until("both events", () => live.numbers.length === 2);
  const [first] = (await ask(t, "GET", `/v1/changes?after=${start}&limit=1`, { key })).body.changes;
  const [id] = /(?<=^id: ).+$/m.exec(live.text)!;
  assert.ok(id.startsWith(`${start + 1}.`), id);
  assert.ok(live.text.includes(`id: ${id}\ndata: ${JSON.stringify(first)}\n\n`), live.text);
  const resumed = await Listener.opened("?after=0", { "Last-Event-ID": id });
  const byNumber = await Listener.opened("?after=0", { "Last-Event-ID": String(start + 1) });
  const earlier = await Listener.opened(`?after=${start}`);
  await addRule();
  await until("all have the last event", () =>
    [live, resumed, byNumber, earlier].every(({ numbers }) => numbers.at(-1) === start + 3),
  );
  assert.deepEqual(live.numbers, range(start + 1, start + 3));
  for (const each of [resumed, byNumber]) assert.deepEqual(each.numbers, range(start + 2, start + 3));
  assert.deepEqual(earlier.numbers, range(start + 1, start + 3));
  for (const each of [live, resumed, byNumber, earlier]) each.close();
});

test("a reader that pauses misses nothing when it continues, and the server keeps little for it", async () => {
  const start = await lastSequence();
  const slow = await Listener.opened(`?after=${start}`);
  slow.response.pause();
  const fast = await Listener.opened(`?after=${start}`);
  for (let list = 0; list < 20; list++) assert.equal((await addRules(1000)).status, 200);
  await until("the other reader has all", () => fast.numbers.at(-1) === start + 20_000);
  assert.ok(slow.numbers.length < 20_000);
  slow.response.resume();
  await until("it has all", () => slow.numbers.at(-1) === start + 20_000);
  assert.deepEqual(slow.numbers, range(start + 1, start + 20_000));
  assert.deepEqual(fast.numbers, range(start + 1, start + 20_000));
  slow.close();
  fast.close();
});

test("impossible numbers: 400 and 410; more streams than permitted: 503, until one closes", async () => {
  const status = async (path: string, headers = {}) => {
    const listener = await Listener.open(path, headers);
    listener.close();
    return listener.response.statusCode;
  };
  for (const id of ["x", "1.", ".f", "1.f g", "1.f.f"])
    assert.equal(await status("", { "Last-Event-ID": id }), 400, id);
  assert.equal(await status("?after=999999999"), 410);
  assert.equal(await status("?feed=0123"), 410);
  assert.equal(await status("", { "Last-Event-ID": "0.0123" }), 410);
  const open: Listener[] = [];
  await until("no more are permitted", async () => {
    const listener = await Listener.open();
    if (listener.response.statusCode === 200) open.push(listener);
    return listener.response.statusCode === 503;
  });
  assert.ok(open.length <= 10, `${open.length}`);
  open.pop()!.close();
  // Before the server next writes to a stream: that takes 15 s, and only the second write would notice it.
  await until("one is permitted again", async () => (await status("")) === 200, { within: 14_000 });
  for (const each of open) each.close();
});

test("a stream ends when its key is revoked, and when the server closes", async () => {
  const own = await addKey(t, organisation);
  const revoked = await Listener.opened("", {}, own.text);
  const other = await Listener.opened();
  const at = t.clock.now;
  await t.server.store.write({
    kind: "revoke-credential",
    credential: "api",
    organisationId: organisation,
    credentialId: own.id,
    actor: "command:test",
    at,
  });
  await until("its stream has ended", () => revoked.hasEnded);
  assert.ok(!other.hasEnded);
  await t.restart();
  await until("the other one has ended", () => other.hasEnded);
});
