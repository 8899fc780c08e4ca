/** If-Match wherever a response has an ETag: for keys and in the dashboard, decided by the store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Send, type Senders, sendersOf } from "./rule-senders.ts";
import { addOrganisation, type Answer, startServer, type TestServer } from "./start-server.ts";
import { sampled } from "../rounds.ts";

let t: TestServer;
let senders: Senders;
before(async () => {
  t = await startServer();
  senders = await sendersOf(t, await addOrganisation(t, "conditions"));
});
after(() => t.close());

const IP = "192.0.2.1";
const RULE = `rules/rule?ip=${IP}`;

for (const scope of sampled(["public", "dashboard"] as const, 2)) {
  describe(scope, () => {
    const send: Send = (...question) => senders[scope](...question);

    /** A ruleset with one rule. */
    async function makeRuleset(): Promise<string> {
      const { id } = (await send("POST", "", { name: "conditions", purpose: "blocklist" })).body;
      assert.equal((await send("POST", `${id}/rules`, { ip: IP, name: "first" })).status, 201);
      t.clock.now += 1000;
      return id;
    }
    const tagOf = async (path: string): Promise<string> => (await send("GET", path)).headers.get("etag")!;

    /** Every write, with the resource whose tag it is compared with. Each can be repeated. */
    const writes: [
      name: string,
      resource: string,
      make: (id: string, headers: Record<string, string>) => Promise<Answer>,
    ][] = [
      [
        "addRule",
        "rules",
        (id, headers) => send("POST", `${id}/rules`, { ip: IP, conflict_resolution: "override" }, headers),
      ],
      [
        "addRule, by the rule",
        RULE,
        (id, headers) => send("POST", `${id}/rules`, { ip: IP, conflict_resolution: "override" }, headers),
      ],
      ["updateRule", RULE, (id, headers) => send("PUT", `${id}/${RULE}`, { name: `at ${t.clock.now}` }, headers)],
      [
        "updateRule, by the list",
        "rules?active_only=true",
        (id, headers) => send("PUT", `${id}/${RULE}`, { name: `at ${t.clock.now}` }, headers),
      ],
      [
        "updateRule, by the ruleset",
        "",
        (id, headers) => send("PUT", `${id}/${RULE}`, { name: `at ${t.clock.now}` }, headers),
      ],
      ["deleteRule", RULE, (id, headers) => send("DELETE", `${id}/${RULE}`, undefined, headers)],
      [
        "deleteRule, by an export",
        "rules:export?format=csv",
        (id, headers) => send("DELETE", `${id}/${RULE}`, undefined, headers),
      ],
      [
        "batchRules",
        "rules",
        (id, headers) => send("POST", `${id}/rules:batch`, { items: [{ op: "delete", ip: IP }] }, headers),
      ],
      [
        "importRules",
        "rules",
        (id, headers) =>
          send("POST", `${id}/rules:import?conflict_resolution=override`, { rules: [{ ip: IP }] }, headers),
      ],
      [
        "replaceRules",
        "rules",
        (id, headers) => send("PUT", `${id}/rules`, { rules: [{ ip: IP, name: `at ${t.clock.now}` }] }, headers),
      ],
      [
        "replaceRules, dry",
        "rules",
        (id, headers) =>
          send("PUT", `${id}/rules?dry_run=true`, { rules: [{ ip: IP, name: `at ${t.clock.now}` }] }, headers),
      ],
      ["compactRules", "rules", (id, headers) => send("POST", `${id}/rules:compact`, undefined, headers)],
      ["updateRuleset", "", (id, headers) => send("PATCH", id, { description: `at ${t.clock.now}` }, headers)],
      ["deleteRuleset", "", (id, headers) => send("DELETE", id, undefined, headers)],
    ];

    for (const [name, resource, write] of writes) {
      test(`${name}: 412 and nothing written unless the tag is current; weak tags and malformed tags never match`, async () => {
        const id = await makeRuleset();
        const path = `${id}${resource === "" ? "" : "/"}${resource}`;
        const old = await tagOf(path);
        assert.equal((await send("PUT", `${id}/${RULE}`, { name: "second" })).status, 200);
        t.clock.now += 1000;
        const tag = await tagOf(path);
        const contents = (await send("GET", `${id}/rules`)).text;
        for (const stale of [
          old,
          `W/${tag}`,
          '"nonsense"',
          tag.slice(1, -1),
          "",
          `${old}, "x"`,
          tag.replace(/^"/, '"0'),
        ]) {
          const { status, body, headers } = await write(id, { "If-Match": stale });
          assert.deepEqual(
            [status, body.type, body.title, headers.get("content-type")],
            [412, "/problems/precondition-failed", "Precondition Failed", "application/problem+json"],
            stale,
          );
          assert.match(body.detail, /changed since/);
        }
        assert.equal((await send("GET", `${id}/rules`)).text, contents);
        assert.ok((await write(id, { "If-Match": `W/"a,b", "c,d" ,${old},${tag}` })).status < 300);
        assert.equal((await write(await makeRuleset(), { "If-Match": " * " })).status < 300, true);
      });
    }

    for (const [name, resource, write] of writes.filter(([each]) => !each.endsWith("dry")))
      test(`${name}: with a key, one of two different requests at once is executed, and a repetition gets its response`, async () => {
        const id = await makeRuleset();
        const key = { "Idempotency-Key": `${scope}-${id}` };
        const headers = { "If-Match": await tagOf(`${id}${resource === "" ? "" : "/"}${resource}`), ...key };
        const other = () => send("POST", `${id}/rules`, { ip: "192.0.2.9" }, key);
        const requests = [() => write(id, headers), other];
        const answers = await Promise.all(requests.map((request) => request()));
        const texts = answers.map(({ text }) => text).join();
        // Which arrives first is up to the network and to how long its body takes.
        const won = answers.findIndex(({ status }) => status < 300);
        assert.equal(answers[1 - won]?.status, 422, texts);
        // A repetition requires what the first request has changed.
        const again = await requests[won]!();
        assert.deepEqual([again.status, again.body], [answers[won]!.status, answers[won]!.body]);
        if (name === "deleteRuleset" && won === 0) return;
        assert.equal((await requests[1 - won]!()).status, 422);
        const isAdded = (await send("GET", `${id}/rules/rule?ip=192.0.2.9`)).status === 200;
        assert.equal(isAdded, won === 1);
      });

    test("createRuleset: by the list of rulesets, of all or of one purpose; 412 once another ruleset was created", async () => {
      const create = (tag: string) => send("POST", "", { name: "next", purpose: "allowlist" }, { "If-Match": tag });
      for (const query of ["", "?purpose=allowlist", "?page_size=1"]) {
        const tag = await tagOf(query);
        assert.deepEqual([(await create(tag)).status, (await create(tag)).status], [201, 412]);
      }
      assert.deepEqual([(await create('"nonsense"')).status, (await create("*")).status], [412, 201]);
    });

    test("the tag of a rule, from getRule and updateRule, changes only with the rule; 304 otherwise", async () => {
      const id = await makeRuleset();
      const tag = await tagOf(`${id}/${RULE}`);
      assert.equal((await send("POST", `${id}/rules`, { ip: "192.0.2.2" })).status, 201);
      assert.equal(await tagOf(`${id}/${RULE}`), tag);
      assert.equal((await send("GET", `${id}/${RULE}`, undefined, { "If-None-Match": tag })).status, 304);
      const updated = await send("PUT", `${id}/${RULE}`, { name: "other" }, { "If-Match": tag });
      assert.equal(updated.headers.get("etag"), await tagOf(`${id}/${RULE}`));
      assert.notEqual(updated.headers.get("etag"), tag);
      // In the same millisecond.
      const again = await send("PUT", `${id}/${RULE}`, { name: "third" });
      assert.notEqual(again.headers.get("etag"), updated.headers.get("etag"));
    });

    test("a missing rule gets 404, whatever If-Match says; a repetition gets the first response", async () => {
      const id = await makeRuleset();
      const gone = `${id}/rules/rule?ip=192.0.2.99`;
      for (const tag of ["*", '"nonsense"'])
        assert.deepEqual(
          [
            (await send("PUT", gone, { name: "x" }, { "If-Match": tag })).status,
            (await send("DELETE", gone, undefined, { "If-Match": tag })).status,
          ],
          [404, 404],
        );
      const headers = { "If-Match": await tagOf(`${id}/${RULE}`), "Idempotency-Key": `${scope}-${id}` };
      const remove = () => send("DELETE", `${id}/${RULE}`, undefined, headers);
      assert.deepEqual([(await remove()).status, (await remove()).status], [204, 204]);
    });

    test("addRule with If-None-Match: * adds only missing rules; with a tag it is rejected only for that state", async () => {
      const id = await makeRuleset();
      const add = (ip: string, header: string) =>
        send("POST", `${id}/rules`, { ip, conflict_resolution: "override" }, { "If-None-Match": header });
      assert.equal((await add("192.0.2.2", "*")).status, 201);
      const refused = await add(IP, "*");
      assert.deepEqual(
        [refused.status, refused.body.type, refused.body.existing.name],
        [412, "/problems/precondition-failed", "first"],
      );
      const tag = await tagOf(`${id}/${RULE}`);
      assert.deepEqual(
        [(await add(IP, `"x", W/${tag}`)).status, (await add(IP, '"x"')).status, (await add(IP, tag)).status],
        [412, 200, 200],
      );
    });
  });
}
