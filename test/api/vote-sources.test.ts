/** What at least so many of several sources list: as sets, as sources of deployments, and in explanations. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rounds } from "../rounds.ts";
import { seededRandom } from "../table/differential.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

let t: TestServer;
let key = "";
before(async () => {
  t = await startServer();
  key = (await addKey(t, await addOrganisation(t, "votes"))).text;
});
after(() => t.close());

const post = (at: string, body: object) => ask(t, "POST", at, { key, body });
const SIZE = 64;
const addressOf = (index: number): string => `20.0.0.${index}`;

async function addRuleset(name: string, members: readonly number[]): Promise<string> {
  const { body, status } = await post("/v1/edl/ip-rulesets", { name, purpose: "blocklist" });
  assert.equal(status, 201, JSON.stringify(body));
  for (const index of members) {
    const added = await post(`/v1/edl/ip-rulesets/${body.id}/rules`, { ip: addressOf(index) });
    assert.ok(added.status < 300, added.text);
  }
  return body.id;
}

/** The addresses of prefixes in 20.0.0.0/24. */
function expanded(prefixes: readonly string[]): number[] {
  return prefixes.flatMap((text) => {
    const [, last, length = "32"] = /\.(\d+)(?:\/(\d+))?$/.exec(text)!;
    return Array.from({ length: 1 << (32 - Number(length)) }, (_, at) => Number(last) + at);
  });
}

test("random votes with weights list what counting lists, as sets and inside other operations", async () => {
  const word = seededRandom(39);
  const random = (): number => word() / 2 ** 32;
  for (let round = 0; round < rounds({ short: 12, long: 200 }); round++) {
    const count = 1 + Math.floor(random() * 5);
    const members = Array.from({ length: count }, () =>
      Array.from({ length: SIZE }, (_, index) => index).filter(() => random() < 0.5),
    ).map((own) => (own.length === 0 ? [0] : own));
    const weights = random() < 0.5 ? undefined : members.map(() => 1 + Math.floor(random() * 3));
    const most = weights?.reduce((sum, weight) => sum + weight, 0) ?? count;
    const atleast = 1 + Math.floor(random() * most);
    const of = members.map((own) => ({ prefixes: own.map(addressOf) }));
    const expected = Array.from({ length: SIZE }, (_, index) => index).filter(
      (index) => members.reduce((sum, own, at) => sum + (own.includes(index) ? (weights?.[at] ?? 1) : 0), 0) >= atleast,
    );
    const source = { atleast, of, ...(weights && { weights }) };
    const { status, body } = await post("/v1/sets:compute", { operation: "union", sets: [source] });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(expanded(body.prefixes), expected, JSON.stringify(source));
    const without = await post("/v1/sets:compute", { operation: "subtract", sets: [source, of[0]!] });
    assert.deepEqual(
      expanded(without.body.prefixes),
      expected.filter((index) => !members[0]!.includes(index)),
    );
  }
});

test("a deployment of a vote follows each of its sources, and explanations name those that vote", async () => {
  const [one, two] = [await addRuleset("one", [1, 2, 3]), await addRuleset("two", [2, 3, 4])];
  const three = { prefixes: [addressOf(3)] };
  const source = { atleast: 3, of: [{ ruleset: one }, { ruleset: two }, three], weights: [2, 1, 1] };
  const { body, status } = await post("/v1/edl/deployments", { name: "voted", include: [source] });
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(body.include, [source]);
  const about = async () => (await ask(t, "GET", `/v1/edl/deployments/${body.id}`, { key })).body;
  await until("the list is published", async () => (await about()).generation > 0);
  assert.equal((await about()).ipv4_entries_count, 1); // .2 and .3 are one prefix
  const explain = async (index: number) =>
    (await post("/v1/edl/ip-rulesets:explain", { ip: addressOf(index) })).body.deployments;
  const [three_] = await explain(3);
  assert.equal(three_.contains, "all");
  assert.deepEqual(three_.votes, [{ atleast: 3, votes: 4, by: source.of }]);
  const [second] = await explain(2);
  assert.deepEqual(second.votes, [{ atleast: 3, votes: 3, by: [{ ruleset: one }, { ruleset: two }] }]);
  assert.deepEqual([await explain(1), await explain(4)], [[], []]);
  const before_ = (await about()).generation;
  await post(`/v1/edl/ip-rulesets/${two}/rules`, { ip: addressOf(1) });
  await until("a source of the vote changed the list", async () => (await about()).generation > before_);
  assert.deepEqual((await explain(1))[0].votes[0].votes, 3);
});

test("votes that cannot be are refused with the place", async () => {
  const voter = { prefixes: ["192.0.2.1"] };
  for (const [source, message] of [
    [{ atleast: 3, of: [voter, voter] }, /no address can have more than 2 votes/],
    [{ atleast: 1, of: [voter], weights: [1, 2] }, /has 2 weights for 1 sources/],
    [{ atleast: 1 }, /is missing: name the sources that vote/],
    [{ of: [voter] }, /exactly one kind of source, not 0/],
    [{ asn: 1, weights: [1] }, /is for a source with `atleast`/],
    [{ asn: 1, country: "FR" }, /exactly one kind of source, not 2/],
    [{ atleast: 1, of: [{ atleast: 1, of: [voter] }] }, /./],
    [{ atleast: 0, of: [voter] }, /./],
    [{ atleast: 1, of: [] }, /./],
    [{ atleast: 1, of: [voter, { prefixes: ["192.0.2.256"] }] }, /sets\[0\]\.of\[1\]\.prefixes\[0\]/],
  ] as const) {
    const { status, text } = await post("/v1/sets:compute", { operation: "union", sets: [source] });
    assert.equal(status, 400, JSON.stringify(source));
    assert.match(text, message, JSON.stringify(source));
  }
});
