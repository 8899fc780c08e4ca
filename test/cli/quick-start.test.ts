import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { start, temporaryFolder } from "./run-command.ts";

test("the setup link of a quick start names the organisation that its key and rulesets belong to", async (t) => {
  const folder = temporaryFolder();
  const child = start(["serve", "--quick-start", "--port", "0"], {
    env: { IPSIEVE_HOME: folder.path, IPSIEVE_DB: "", DATABASE_URL: "" },
  });
  t.after(async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
    folder.remove();
  });
  let told = "";
  for await (const part of child.stdout!) if (/setup\?.*\n/.test((told += String(part)))) break;
  const name = /The organisation "(.*)" has two rulesets and this key/.exec(told)![1]!;
  const link = /http:\S+#\/setup\?(\S+)/.exec(told)![1]!;
  assert.equal(new URLSearchParams(link).get("organisation"), name);
  assert.match(new URLSearchParams(link).get("token")!, /^[\w-]{43}$/);
});
