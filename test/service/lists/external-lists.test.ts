import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { rm } from "node:fs/promises";
import { after, afterEach, before, beforeEach, mock, test } from "node:test";
import { SecretKey } from "../../../src/service/access/secret-key.ts";
import { ExternalLists } from "../../../src/service/lists/external-lists.ts";
import { ListSecrets } from "../../../src/service/lists/list-secrets.ts";
import { readNewList } from "../../../src/service/lists/read-list-definition.ts";
import { outboundRules } from "../../../src/service/reserved-host.ts";
import type { ServiceError } from "../../../src/service/service-error.ts";
import { HeldLease } from "../../../src/service/store/held-lease.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { ExternalList, ExternalListDefinition } from "../../../src/store/records/external-list.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeFastFolder } from "../../store/harness/fast-folder.ts";
import { by } from "../../store/harness/stores.ts";
import { until } from "../../until.ts";

const START = Date.UTC(2026, 10, 28);
const MINUTE = 60_000;
const GOOD = "192.0.2.0/24\n";

type Page = (response: ServerResponse, request: IncomingMessage) => void;
type Definition = Partial<ExternalListDefinition>;

const folder = makeFastFolder();
const memory = new ServiceMemory();
let store: Store;
let clock = START;
let isFirst = true;
let servers: ExternalLists[] = [];
const logged: unknown[] = [];

/** The lists' host: what it responds by path, otherwise `GOOD`; the paths requested, and the responses not yet ended. */
let publisher: Server;
let origin = "";
const pages = new Map<string, Page>();
const asked: string[] = [];
const held = new Map<string, ServerResponse>();
const hold: Page = (response, { url }) => {
  held.set(url!, response);
  response.once("close", () => held.get(url!) === response && held.delete(url!));
};

before(async () => {
  publisher = createServer((request, response) => {
    asked.push(request.url!);
    (pages.get(request.url!) ?? (() => void response.end(GOOD)))(response, request);
  });
  await new Promise<void>((resolve) => void publisher.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
  store = await openStore({ file: join(folder, "store.db") });
  const state = await store.load((part) => memory.addRules(part));
  await memory.addState(state);
  store.follow(
    state.sequence,
    (changes) => memory.apply(changes),
    (error) => assert.fail(String(error)),
  );
});
beforeEach(() => {
  mock.timers.enable({ apis: ["setInterval"] });
  [clock, isFirst, asked.length, logged.length] = [START, true, 0, 0];
  pages.clear();
});
afterEach(async () => {
  await Promise.all(servers.map((each) => each.stop()));
  servers = [];
  for (const { id: listId, organisationId } of memory.everyExternalList())
    await store.write({ kind: "delete-list", organisationId, listId, ...by(clock) });
  mock.timers.reset();
});
after(async () => {
  await store.close();
  publisher.closeAllConnections();
  publisher.close();
  await rm(folder, { recursive: true });
});

/** A server on the database; its key file is of that name. */
function server(key = "key"): ExternalLists {
  const secrets = new ListSecrets(new SecretKey(join(folder, key)));
  const rules = outboundRules({ outboundAllow: "127.0.0.1" });
  const peers = {
    get isFirst() {
      return isFirst;
    },
  };
  const error = (about: object, message: string) => void logged.push([about, message]);
  const made = new ExternalLists({ store, memory, secrets, rules, peers, now: () => clock }, { error });
  servers.push(made);
  return made;
}

async function addOrganisation(plan: { active?: boolean; until?: number } | null = {}): Promise<string> {
  const name = `organisation ${memory.sequence}`;
  const { organisation } = await store.write({ kind: "create-organisation", name, ...by(START) });
  const { id: organisationId } = organisation;
  const limits = { active: true, until: null, perMinute: null, perMonth: null };
  if (plan !== null)
    await store.write({ kind: "set-plan", organisationId, area: "edl", ...limits, ...plan, ...by(START) });
  return organisationId;
}

async function add(organisationId: string, path: string, fields: Definition = {}): Promise<ExternalList> {
  const definition = readNewList({ url: origin + path, schedule: "60m", ...fields });
  return (await store.write({ kind: "create-list", organisationId, name: path, definition, ...by(START) })).list;
}

const change = ({ id: listId, organisationId }: ExternalList, definition: Definition) =>
  store.write({ kind: "update-list", organisationId, listId, definition, ...by(clock) });
const now = ({ id }: ExternalList) => memory.externalListById(id)!;
const wasAsked = (path: string, times = 1) =>
  until(`${path} is requested`, () => asked.filter((each) => each === path).length >= times);
const isHeld = (...paths: string[]) =>
  until(`${paths.join(", ")} wait`, () => paths.every((each) => held.has(each)) && held.size === paths.length);
const unavailable = (error: ServiceError) => error.code === "unavailable" && error.retryAfter === 1;

/** A check of the clock, until `of` is requested. Returns how many lists it began to fetch. */
async function tick(later: number, of?: ExternalList): Promise<number> {
  clock += later;
  asked.length = 0;
  const leased = mock.method(store, "record");
  mock.timers.tick(1000);
  const begun = leased.mock.callCount();
  leased.mock.restore();
  if (of !== undefined) await wasAsked(new URL(of.definition.url).pathname);
  return begun;
}

test("three lists of an organisation and four of all are fetched at once; four requests of each wait, no more", async () => {
  const lists = server();
  const [many, few] = [await addOrganisation(), await addOrganisation()];
  const own = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((at) => add(many, `/many/${at}`)));
  const others = await Promise.all([0, 1].map((at) => add(few, `/few/${at}`)));
  for (const list of [...own, ...others]) pages.set(new URL(list.definition.url).pathname, hold);
  const fetched = own.slice(0, 7).map((list) => lists.refresh(list, null));
  await assert.rejects(lists.refresh(own[7]!, null), unavailable);
  await isHeld("/many/0", "/many/1", "/many/2");
  fetched.push(...others.map((list) => lists.refresh(list, null)));
  await isHeld("/many/0", "/many/1", "/many/2", "/few/0");
  assert.equal(asked.length, 4);
  held.get("/few/0")!.end(GOOD);
  await isHeld("/many/0", "/many/1", "/many/2", "/few/1");
  const rest = until("all are fetched", () => {
    for (const each of held.values()) each.end(GOOD);
    return asked.length === 9 && held.size === 0;
  });
  const contents = (await Promise.all(fetched)).map(({ content }) => content?.entries);
  assert.deepEqual(
    contents,
    contents.map(() => ({ 4: 1, 6: 0 })),
  );
  await rest;
  assert.deepEqual(asked.slice(5).toSorted(), ["/many/3", "/many/4", "/many/5", "/many/6"], "each once");
});

test("who wants a list that is being fetched gets the same, unless content is to be accepted; another server does not", async () => {
  const [lists, other] = [server(), server()];
  const list = await add(await addOrganisation(), "/a");
  pages.set("/a", hold);
  const first = lists.refresh(list, null);
  await isHeld("/a");
  const [second, accepting] = [lists.refresh(list, null), lists.refresh(list, "digest")];
  await assert.rejects(other.refresh(list, null), {
    code: "conflict",
    message: "another server is fetching the list; check it again in a moment",
  });
  clock += 3 * MINUTE - 1;
  await assert.rejects(other.refresh(list, null), { code: "conflict" });
  held.get("/a")!.end(GOOD);
  assert.equal(await first, await second);
  await wasAsked("/a", 2);
  await isHeld("/a");
  held.get("/a")!.end("192.0.2.0/24\n2001:db8::/32\n");
  assert.deepEqual((await accepting).content!.entries, { 4: 1, 6: 1 });
  pages.delete("/a");
  assert.deepEqual((await lists.refresh(list, null)).content!.entries, { 4: 1, 6: 0 }, "fetched again");
  assert.equal(asked.length, 3);
});

test("a claim whose server is gone ends by itself", async () => {
  const [lists, other] = [server(), server()];
  const list = await add(await addOrganisation(), "/a");
  pages.set("/a", hold);
  const late = lists.refresh(list, null);
  await isHeld("/a");
  const response = held.get("/a")!;
  pages.delete("/a");
  clock += 3 * MINUTE;
  assert.equal((await other.refresh(list, null)).content!.number, 1);
  response.end("198.51.100.0/24\n");
  assert.deepEqual((await late).content, now(list).content, "what comes late has no effect");
  assert.equal(now(list).content!.number, 1);
});

test("at its end a server aborts its fetches without an outcome, and tells those that wait", async () => {
  const [lists, other] = [server(), server()];
  const organisation = await addOrganisation();
  const own = await Promise.all([0, 1, 2, 3, 4].map((at) => add(organisation, `/${at}`)));
  for (const at of [0, 1, 2]) pages.set(`/${at}`, hold);
  const fetched = own.map((list) => lists.refresh(list, null));
  const waiting = fetched.slice(3).map((each) => assert.rejects(each, unavailable));
  await isHeld("/0", "/1", "/2");
  lists.start();
  await lists.stop();
  await Promise.all(waiting);
  for (const [at, each] of fetched.slice(0, 3).entries()) assert.deepEqual(await each, now(own[at]!));
  for (const list of own) assert.deepEqual([now(list).problem, now(list).content], [null, null]);
  await isHeld();
  await tick(MINUTE);
  pages.clear();
  assert.equal((await other.refresh(own[0]!, null)).content!.number, 1, "it may be fetched at once");
  assert.deepEqual(asked, ["/0"], "and no more by the one that has ended");
});

test("lists are fetched when they are due: active ones, under a plan, by the first process, from its start", async () => {
  const lists = server();
  const [organisation, last] = [await addOrganisation(), await addOrganisation()];
  await add(await addOrganisation(null), "/no-plan");
  await add(await addOrganisation({ active: false }), "/inactive-plan");
  await add(await addOrganisation({ until: START }), "/ended-plan");
  await add(organisation, "/inactive", { active: false });
  const often = await add(organisation, "/often", { schedule: "5m" });
  const seldom = await add(organisation, "/seldom", { schedule: "6h" });
  const control = await add(last, "/control");
  const done = async (expected: readonly string[]) => {
    await lists.refresh(control, null);
    await until("all is done", () => now(control).content !== null);
    assert.deepEqual([...new Set(asked)].toSorted(), expected);
  };
  await done(["/control"]);
  lists.start();
  isFirst = false;
  await tick(0);
  await done(["/control"]);
  isFirst = true;
  await tick(0, seldom);
  await until("both are good", () => [often, seldom].every((list) => now(list).content !== null));
  await done(["/control", "/often", "/seldom"]);
  await tick(5 * MINUTE - 1);
  await done(["/control"]);
  await tick(1, often);
  await done(["/control", "/often"]);
  await change(seldom, { format: "csv" });
  await tick(0);
  await done(["/control"]);
  lists.changed(seldom.id);
  await tick(0, seldom);
  await until("it is read anew", () => now(seldom).problem !== null);
  await done(["/control", "/seldom"]);
});

test("after a failure a list is fetched again in five minutes, or on its schedule; after the clock is set back, at once", async () => {
  const lists = server();
  lists.start();
  const list = await add(await addOrganisation(), "/a", { schedule: "6h" });
  pages.set("/a", (response) => void response.writeHead(500).end());
  await tick(0, list);
  await until("it has failed", () => now(list).problem?.code === "status");
  assert.equal(await tick(5 * MINUTE - 1), 0);
  pages.delete("/a");
  await tick(1, list);
  await until("it is good", () => now(list).problem === null);
  await until("its turn is over", async () => (await lists.refresh(list, null)).content !== null);
  assert.equal(await tick(6 * 60 * MINUTE - 1), 0);
  await tick(1, list);
  await lists.refresh(list, null);
  assert.equal(await tick(-24 * 60 * MINUTE, list), 1);
});

test("those that have been due for longest come first, requests before them", async () => {
  const lists = server();
  const organisation = await addOrganisation();
  const own = await Promise.all([0, 1, 2, 3, 4].map((at) => add(organisation, `/${at}`, { schedule: "5m" })));
  for (const at of [3, 1, 4, 0, 2]) {
    clock += 1000;
    await lists.refresh(own[at]!, null);
  }
  for (const at of [0, 1, 2, 3, 4]) pages.set(`/${at}`, hold);
  lists.start();
  const requests = [lists.refresh(own[2]!, null)];
  await isHeld("/2");
  const written = mock.method(store, "write");
  await tick(6 * MINUTE);
  await isHeld("/1", "/2", "/3");
  requests.push(lists.refresh(own[0]!, null));
  held.get("/3")!.end(GOOD);
  await isHeld("/0", "/1", "/2");
  held.get("/1")!.end(GOOD);
  await isHeld("/0", "/2", "/4");
  for (const each of held.values()) each.end(GOOD);
  await Promise.all(requests);
  await lists.refresh(await add(await addOrganisation(), "/due"), null);
  const claimed = written.mock.calls.flatMap(({ arguments: [command] }) =>
    command.kind === "claim-fetch" ? [own.findIndex(({ id }) => id === command.listId)] : [],
  );
  assert.deepEqual(claimed, [3, 1, 0, 4, -1], "a list that is both due and requested is claimed once");
  written.mock.restore();
});

test("a list that is changed while it is fetched is fetched again at once", async () => {
  const lists = server();
  lists.start();
  const list = await add(await addOrganisation(), "/a");
  pages.set("/a", hold);
  await tick(0, list);
  await isHeld("/a");
  clock++;
  await change(list, { min_prefix_v4: 10 });
  pages.delete("/a");
  held.get("/a")!.end(GOOD);
  await until("it is fetched again", () => now(list).content !== null);
  assert.deepEqual(asked, ["/a", "/a"]);
});

test("a server that does not know when a list is due leaves it, and asks the database once", async () => {
  const list = await add(await addOrganisation(), "/a");
  await server().refresh(list, null);
  const lists = server();
  lists.start();
  const written = mock.method(store, "write");
  for (const _ of [1, 2]) {
    await tick(1000);
    await until("the database is asked", () => written.mock.calls[0]?.result !== undefined);
    await written.mock.calls[0]!.result;
    await until("the turn is over", async () => {
      const turn = await HeldLease.take(store, "list-fetch-1", () => {});
      await turn?.release();
      return turn !== undefined;
    });
  }
  assert.deepEqual(
    written.mock.calls.map(({ arguments: [command] }) => [
      command.kind,
      "isRequested" in command && command.isRequested,
    ]),
    [["claim-fetch", false]],
  );
  assert.deepEqual(asked, []);
  written.mock.restore();
});

for (const [whose, nameOf, most] of [
  ["of the organisation", (organisationId: string) => `list-fetch-${organisationId}`, 3],
  ["of all", () => "list-fetch", 4],
] as const)
  test(`while other servers have all turns ${whose}, requests are refused, and wait for the next check of the clock`, async () => {
    const lists = server();
    const organisation = await addOrganisation();
    const list = await add(organisation, "/a");
    const turns = (name: string, count: number) =>
      Promise.all(Array.from({ length: count }, (_, at) => HeldLease.take(store, `${name}-${at + 1}`, () => {})));
    const taken = await turns(nameOf(organisation), most);
    lists.start();
    await assert.rejects(lists.refresh(list, null), unavailable);
    for (const turn of taken) await turn!.release();
    // None was kept, and none is left behind.
    for (const [name, count] of [
      [`list-fetch-${organisation}`, 3],
      ["list-fetch", 4],
    ] as const) {
      const free = await turns(name, count);
      assert.ok(free.every((turn) => turn !== undefined));
      for (const turn of free) await turn!.release();
    }
    const fetched = lists.refresh(list, null);
    // Another organisation has turns, unless none has.
    const other = lists.refresh(await add(await addOrganisation(), "/other"), null);
    if (most === 3) await other;
    assert.equal(asked.includes("/a"), false);
    mock.timers.tick(1000);
    assert.equal((await fetched).content!.number, 1);
    await other;
    assert.deepEqual(logged, []);
  });

test("an unexpected error is logged and the list tried again after 30 seconds, but not what a deleted list causes", async () => {
  const lists = server();
  lists.start();
  const organisationId = await addOrganisation();
  const [broken, deleted] = [await add(organisationId, "/broken"), await add(organisationId, "/deleted")];
  const owned = { organisationId, listId: broken.id };
  const about = { ...owned, basedOn: START, claimedUntil: START + 1, dueAt: START };
  await store.write({ kind: "claim-fetch", ...owned, until: START + 1, isRequested: true, ...by(START) });
  const rejected = { count: 0, lines: [] };
  const content = { digest: "x", entries: { 4: 1, 6: 0 }, rejected, change: null };
  const validators = { ...readNewList({ url: "https://a.example" }), etag: null, lastModified: null };
  await store.write({
    kind: "finish-fetch",
    ...about,
    result: { content, packed: "broken", validators },
    ...by(START),
  });
  pages.set("/deleted", hold);
  await tick(0, deleted);
  await isHeld("/deleted");
  await store.write({ kind: "delete-list", organisationId, listId: deleted.id, ...by(START) });
  const rejection = assert.rejects(lists.refresh(deleted, null), { code: "list-not-found" });
  held.get("/deleted")!.end(GOOD);
  await rejection;
  await until("an error is logged", () => logged.length > 0);
  assert.equal(await tick(29_999), 0);
  assert.equal(await tick(1), 1);
  const [[{ list, err }, message]] = logged as [[{ list: string; err: Error }, string]];
  assert.deepEqual(
    [list, err instanceof Error, message, logged.length],
    [broken.id, true, "an external list was not fetched; it is tried again", 1],
  );
});

test("credentials are sent; those of another key file are a problem of the list that says who can mend it", async () => {
  const list = await add(await addOrganisation(), "/a");
  const { organisationId, id: listId } = list;
  const secrets = new ListSecrets(new SecretKey(join(folder, "key")));
  const given = { type: "header", header: "X-Key", value: "secret" } as const;
  const sealed = secrets.seal(given, { organisationId, listId, origin });
  await store.write({ kind: "set-list-credentials", organisationId, listId, ...sealed, ...by(START) });
  pages.set("/a", (response, { headers }) => void response.end(headers["x-key"] === "secret" ? GOOD : "<html>"));
  assert.equal((await server().refresh(list, null)).problem, null);
  assert.deepEqual((await server("other").refresh(list, null)).problem, {
    kind: "failed",
    code: "credentials",
    message: "its credentials cannot be decrypted with the server's key file; an admin must enter them again",
    digest: null,
    since: START,
  });
});

test("a list is fetched if it has changed, and its content compared with the last; after a refusal, in any case", async () => {
  const lists = server();
  const list = await add(await addOrganisation(), "/a");
  const known: unknown[] = [];
  const serve = (text: string, etag?: string) =>
    pages.set("/a", (response, { headers }) => {
      known.push(headers["if-none-match"]);
      const isSame = etag !== undefined && headers["if-none-match"] === etag;
      response.writeHead(isSame ? 304 : 200, { ...(etag !== undefined && { etag }) }).end(isSame ? undefined : text);
    });
  assert.equal(await lists.contentOf(now(list)), null);
  let connections = 0;
  publisher.on("connection", () => connections++);
  const texts: readonly (readonly [text: string, etag: string | undefined, state: unknown[]])[] = [
    [GOOD, '"1"', [1, undefined, undefined]],
    [GOOD, '"1"', [1, undefined, undefined]],
    ["<html>", '"2"', [1, undefined, "html"]],
    [GOOD, '"1"', [1, undefined, undefined]],
    [GOOD, undefined, [1, undefined, undefined]],
    ["192.0.2.0/24\n2001:db8::/32\n", undefined, [2, 1, undefined]],
  ];
  for (const [text, etag, state] of texts) {
    serve(text, etag);
    const { content, problem } = await lists.refresh(now(list), null);
    assert.deepEqual([content!.number, content!.change?.added, problem?.code], state);
  }
  assert.deepEqual(known, [undefined, '"1"', '"1"', undefined, '"1"', undefined]);
  assert.equal(connections, 1);
  const text = (await lists.contentOf(now(list)))!;
  assert.deepEqual([text[4].toString(), text[6].toString()], [GOOD, "2001:db8::/32\n"]);
});

test("hosts are checked that no name can lead elsewhere later", async () => {
  const lists = server();
  await lists.checkHost(origin);
  await lists.checkHost("https://lists.example/a");
  await assert.rejects(lists.checkHost("https://10.1.2.3/a"), (error: ServiceError) => {
    assert.deepEqual(Object.keys(error.fields!), ["url"]);
    return /--outbound-allow$/.test(error.fields!["url"]![0]!);
  });
});
