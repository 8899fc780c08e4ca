import assert from "node:assert/strict";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { until } from "../until.ts";
import { start, temporaryFolder } from "./run-command.ts";

/** Starts a server for the test; returns what it prints. */
async function quickStart(t: TestContext): Promise<string> {
  const folder = temporaryFolder();
  const child = start(["serve", "--quick-start", "--port", "0"], {
    env: { IPSIEVE_HOME: folder.path, IPSIEVE_DB: "", DATABASE_URL: "" },
  });
  t.after(async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
    folder.remove();
  });
  let printed = "";
  for await (const part of child.stdout!) if (/setup\?.*\n/.test((printed += String(part)))) break;
  return printed;
}

test("the setup link of a quick start names the organisation that its key and rulesets belong to", async (t) => {
  const printed = await quickStart(t);
  const name = /The organisation "(.*)" has two rulesets and this key/.exec(printed)![1]!;
  const link = /http:\S+#\/setup\?(\S+)/.exec(printed)![1]!;
  assert.equal(new URLSearchParams(link).get("organisation"), name);
  assert.match(new URLSearchParams(link).get("token")!, /^[\w-]{43}$/);
});

test("a rule added as described in the quick start is in the feed that it prints", async (t) => {
  const printed = await quickStart(t);
  const key = /ips_[\w-]+/.exec(printed)![0];
  const rules = /http:\S+\/rules/.exec(printed)![0];
  const feed = /http:\S+\/feeds\/[\w-]+\/combined\.txt/.exec(printed)![0];
  const added = await fetch(rules, {
    method: "POST",
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    body: '{"ip":"1.2.3.0/24"}',
  });
  assert.equal(added.status, 201, await added.text());
  await until("the rule is in the feed", async () => (await (await fetch(feed)).text()) === "1.2.3.0/24\n");
});
