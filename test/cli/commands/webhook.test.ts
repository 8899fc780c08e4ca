import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { openStore } from "../../../src/store/open-store.ts";
import { WebhookReceiver } from "../../api/harness/webhook-receiver.ts";
import { run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
let receiver: WebhookReceiver;
before(async () => {
  folder = temporaryFolder();
  receiver = await WebhookReceiver.start();
  const store = await openStore({ file: join(folder.path, "ipsieve.db") }, { create: true });
  await store.write({ kind: "create-organisation", actor: "command:test", at: 1, name: "Example" });
  await store.close();
});
after(async () => {
  await receiver.close();
  folder.remove();
});

const environment = () => ({
  IPSIEVE_HOME: folder.path,
  IPSIEVE_DB: "",
  DATABASE_URL: "",
  IPSIEVE_OUTBOUND_ALLOW: "127.0.0.0/8",
});
const call = (...args: string[]) => run(["webhook", ...args], { cwd: folder.path, env: environment() });
const verified = (secret: string): any => {
  const { body, headers } = receiver.received.at(-1)!;
  return new Webhook(secret).verify(body, headers as Record<string, string>);
};

test("an endpoint is created, tested, changed, its secret replaced, and deleted", async () => {
  const url = `${receiver.url}/hook`;
  assert.equal((await call("list")).code, 1);
  const made = await call("create", url, "--kind", "rule.created", "--kind", "key.expiring", "--description", "SIEM");
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^whsec_[\w+/=]{44}\n$/);
  assert.match(made.stderr, /^webhook [0-9a-f-]{36} of Example; its secret is not shown again:\n$/);
  const secret = made.stdout.trim();
  assert.equal(
    readFileSync(join(folder.path, "ipsieve.db")).includes(secret.slice(6)),
    false,
    "it is stored encrypted",
  );
  const [listed] = JSON.parse((await call("list", "--json")).stdout);
  assert.deepEqual(
    [listed.kinds, listed.description, listed.health.status],
    [["rule.created", "key.expiring"], "SIEM", "ok"],
  );

  assert.match((await call("test", url)).stdout, /^delivered with 204 after \d+ ms\n$/);
  assert.equal(verified(secret).type, "webhook.test");
  receiver.respond = (response) => void response.writeHead(500).end();
  const failed = await call("test", listed.id);
  assert.deepEqual([failed.code, /^failed with 500 after \d+ ms: /.test(failed.stdout)], [1, true], failed.stdout);
  receiver.respond = (response) => void response.writeHead(204).end();
  const deliveries = JSON.parse((await call("deliveries", url, "--json")).stdout);
  assert.deepEqual(
    deliveries.map(({ type, outcome, status }: any) => [type, outcome, status]),
    [
      ["webhook.test", "failed", 500],
      ["webhook.test", "delivered", 204],
    ],
  );
  const body = (await call("deliveries", url, deliveries[0].id)).stdout;
  assert.equal((await call("resend", url, deliveries[0].id)).code, 0);
  const { headers, body: sent } = receiver.received.at(-1)!;
  assert.deepEqual([headers["webhook-id"], `${sent}\n`], [deliveries[0].message_id, body]);

  const rotated = (await call("rotate", url, "--grace-hours", "1")).stdout.trim();
  await call("test", url);
  for (const each of [secret, rotated]) assert.equal(verified(each).type, "webhook.test");
  const again = await call("rotate", url, "--grace-hours", "2");
  assert.match(again.stderr, /^replaced secrets also sign, until \S+Z, \S+Z\n/);
  await call("test", url);
  for (const each of [secret, rotated, again.stdout.trim()]) assert.equal(verified(each).type, "webhook.test");
  assert.equal((await call("update", url, "--active", "no", "--kind", "all")).code, 0);
  assert.match((await call("list")).stdout, / inactive /);
  assert.equal((await call("delete", url)).code, 2, "no terminal to confirm at");
  assert.match((await call("delete", url, "--yes")).stdout, /^[0-9a-f-]{36}: deleted\n$/);
  assert.equal((await call("list")).code, 1);
});

test("errors are reported with the remedy", async () => {
  const rows: readonly (readonly [message: RegExp, ...args: string[]])[] = [
    [/give --kind KIND at least once/, "create", "https://example.org/"],
    [/use https/, "create", "http://192.0.2.1/", "--kind", "all"],
    [/write a URL/, "create", "example", "--kind", "all"],
    [/"ftp:\/\/example\.org": write a URL/, "create", "ftp://example.org"],
    [/"ftp:\/\/example\.org": write a URL/, "create", "ftp://example.org", "--db", "none.db"],
    [/"ftp:\/\/example\.org": write a URL/, "update", "nothing", "--url", "ftp://example.org", "--db", "none.db"],
    [/--description: /, "create", "https://example.org/", "--kind", "all", "--description", "a\u0001b"],
    [/did you mean rule\.created\?/, "create", "https://example.org/", "--kind", "rule.craeted"],
    [/there is no webhook endpoint "https:\/\/example\.org\/"; "ipsieve webhook list"/, "test", "https://example.org/"],
    [/say what to change/, "update", "https://example.org/"],
    [/--missed needs --active yes/, "update", "https://example.org/", "--description", "a", "--missed", "skip"],
    [/from 0 to 168/, "rotate", "https://example.org/", "--grace-hours", "169"],
  ];
  for (const [message, ...args] of rows) {
    const { code, stdout, stderr } = await call(...args);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /defect of ipsieve|\n {4}at /);
  }
});

test("a key file other than that of the servers is rejected", async () => {
  const { code, stderr } = await call(
    "create",
    "https://example.org/",
    "--kind",
    "all",
    "--secret-key-file",
    "other.key",
  );
  assert.equal(code, 2);
  assert.match(stderr, /other\.key is missing, the key file that the database has been used with/);
});
