import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openStore } from "../../../src/store/open-store.ts";
import { run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  folder = temporaryFolder();
  const store = await openStore({ file: join(folder.path, "ipsieve.db") }, { create: true });
  await store.write({ kind: "create-organisation", actor: "command:test", at: 1, name: "Example" });
  await store.close();
});
after(() => folder.remove());

const call = (...args: string[]) =>
  run(["taxii", ...args], { cwd: folder.path, env: { IPSIEVE_HOME: folder.path, IPSIEVE_DB: "", DATABASE_URL: "" } });

test("a password is printed alone, once; its credential is listed, and revoked by its user name", async () => {
  const { stdout, stderr, code } = await call("create", "OpenCTI", "My Blocklist rules", "cti");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^ipt_[\w-]{43}\n$/);
  const user = stdout.slice(0, 8);
  assert.match(stderr, /^TAXII credential [0-9a-f-]{36}: user ipt_[\w-]{4}; its password is not shown again:\n$/);
  assert.ok(stderr.includes(user));
  assert.equal(readFileSync(join(folder.path, "ipsieve.db")).includes(stdout.trim().slice(8)), false);
  const listed = await call("list");
  assert.ok(listed.stdout.includes(user) && !listed.stdout.includes(stdout.trim()));
  const [credential] = JSON.parse((await call("list", "--json")).stdout);
  assert.deepEqual([credential.label, credential.collections.length, credential.digest], ["OpenCTI", 2, undefined]);
  assert.match((await call("revoke", user)).stdout, /^revoked [0-9a-f-]{36} \(OpenCTI\)\n$/);
  assert.match((await call("list")).stdout, /revoked \d{4}-\d\d-\d\d\n$/);
});

test("errors are reported without repeating a password", async () => {
  const rows: readonly (readonly [message: RegExp, ...args: string[]])[] = [
    [/there is no ruleset or deployment "Blokclist"; there are: .*Blocklist.*cti/, "create", "x", "Blokclist"],
    [/there is no TAXII credential "ipt_AAAA\.\.\."/, "revoke", `ipt_${"A".repeat(43)}`],
    [/LABEL COLLECTION/, "create", "x"],
  ];
  for (const [message, ...args] of rows) {
    const { code, stdout, stderr } = await call(...args);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /defect of ipsieve|\n {4}at /);
  }
});
