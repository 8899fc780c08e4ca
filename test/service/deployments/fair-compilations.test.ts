/** S4: when lists are compiled again: for a change of a source of theirs, and each organisation in its turn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../../api/start-server.ts";

const MANY = 12;
/** Milliseconds: more than a list rests between two compilations. */
const BETWEEN = 2500;

interface Owner {
  readonly key: string;
  readonly ruleset: string;
  readonly deployments: readonly string[];
}

async function addOwner(t: TestServer, name: string, count: number): Promise<Owner> {
  const { text: key } = await addKey(t, await addOrganisation(t, name));
  const body = { name: "list", purpose: "blocklist", guard: "off" };
  const { id: ruleset } = (await ask(t, "POST", "/v1/edl/ip-rulesets/", { key, body })).body;
  const rules = Array.from({ length: 200 }, (_, at) => ({ ip: `20.0.${at}.1` }));
  await ask(t, "PUT", `/v1/edl/ip-rulesets/${ruleset}/rules`, { key, body: { rules } });
  const deployments: string[] = [];
  for (let i = 0; i < count; i++) {
    const made = { name: `edge ${i}`, include: [{ ruleset }] };
    const { body: found, text } = await ask(t, "POST", "/v1/edl/deployments/", { key, body: made });
    assert.ok(found.id, text);
    deployments.push(found.id);
  }
  return { key, ruleset, deployments };
}

test("a rule is in its list after few of the lists that another organisation waits for", async (c) => {
  const t = await startServer({ perMinute: 1e9, logLevel: "silent" });
  try {
    const { services, store } = t.server;
    const generation = (id: string): number => services.memory.deploymentById(id)?.published?.generation ?? 0;
    const many = await addOwner(t, "many", MANY);
    const one = await addOwner(t, "one", 1);
    const [own] = one.deployments as [string];
    await until("all lists are published", () => [...many.deployments, own].every((id) => generation(id) > 0));
    const add = async ({ key, ruleset }: Owner): Promise<number> => {
      await ask(t, "POST", `/v1/edl/ip-rulesets/${ruleset}/rules`, { key, body: { ip: "20.1.0.1" } });
      return services.memory.rulesetById(ruleset)!.about.version;
    };
    await delay(BETWEEN); // each may be compiled again at once
    const before = new Map([...many.deployments, own].map((id) => [id, generation(id)]));
    const isNew = (id: string): boolean => generation(id) > before.get(id)!;
    const isOver = (): boolean => many.deployments.every(isNew) && isNew(own);
    await add(many);
    await until("the first of many lists is published", () => many.deployments.some(isNew), { every: 1 });
    const written = await add(one);
    await until("all lists are published again", isOver);
    const published = (await store.changesAfter(written)).flatMap((change) =>
      change.kind === "deployment-list" ? [change.deploymentId] : [],
    );
    const passed = published.indexOf(own);
    c.diagnostic(`${passed} of ${published.length - 1} lists came first`);
    assert.ok(published.length > MANY / 2, "the other organisation had lists that waited");
    assert.ok(passed >= 0 && passed <= 3, `${passed} lists came first`);
  } finally {
    await t.close();
  }
});

test("a change of a ruleset compiles the lists of that ruleset again, and no others", async () => {
  const t = await startServer({ logLevel: "silent" });
  try {
    const { memory } = t.server.services;
    const { lists } = t.server.services.publishing;
    const [unused, used] = [await addOwner(t, "unused", 0), await addOwner(t, "used", 1)];
    const { id: list } = (
      await ask(t, "POST", "/v1/edl/lists/", {
        key: used.key,
        body: { name: "l", url: "https://l.invalid/", active: false },
      })
    ).body;
    const { body: other } = await ask(t, "POST", "/v1/edl/deployments/", {
      key: used.key,
      body: { name: "of a list", include: [{ prefixes: ["20.0.0.0/24"] }], exclude: [{ list }] },
    });
    const stateOf = (id: string) => memory.deploymentById(id)!;
    const [own] = used.deployments as [string];
    await until("both have been compiled", () => stateOf(own).published !== null && stateOf(other.id).refused !== null);
    await delay(BETWEEN); // each may be compiled again at once
    const gathered: string[] = [];
    const { sources } = lists;
    const gather = sources.gather.bind(sources);
    sources.gather = (...args: Parameters<typeof gather>) => {
      gathered.push(Object.keys(args[1]).join());
      return gather(...args);
    };
    const add = ({ key, ruleset }: Owner) =>
      ask(t, "POST", `/v1/edl/ip-rulesets/${ruleset}/rules`, { key, body: { ip: "20.1.0.1" } });
    await add(unused);
    await add(used);
    await until("its list is published again", () => stateOf(own).published!.generation === 2);
    assert.deepEqual(gathered, ["ruleset"]);
    // What no server has compiled yet adds nothing, and nothing was taken out of it.
    assert.deepEqual(
      [lists.served("no such"), lists.takenOut("no such"), lists.times("no such")],
      [undefined, [], undefined],
    );
    assert.ok(lists.added("no such").isEmpty);
  } finally {
    await t.close();
  }
});
