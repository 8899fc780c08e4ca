import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { COMMAND_TABLE } from "../../../src/cli/command-table.ts";
import { loadCommands } from "../../../src/cli/runner/command.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { run, temporaryFolder } from "../run-command.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  folder = temporaryFolder();
  const store = await openStore({ file: join(folder.path, "ipsieve.db") }, { create: true });
  const by = { actor: "command:test", at: 1 };
  const { organisation } = await store.write({ kind: "create-organisation", ...by, name: "Example" });
  for (const [name, purpose] of [
    ["Edge", "blocklist"],
    ["Partners", "allowlist"],
  ] as const)
    await store.write({
      kind: "create-deployment",
      ...by,
      organisationId: organisation.id,
      name,
      definition: definitionOf({ purpose, include: [{ prefixes: ["192.0.2.0/24"] }] }),
    });
  await store.close();
});
after(() => folder.remove());

const ipsieve = (...args: string[]) =>
  run(args, { cwd: folder.path, env: { IPSIEVE_HOME: folder.path, IPSIEVE_DB: "", DATABASE_URL: "" } });
const call = (...args: string[]) => ipsieve("bouncer", ...args);

test("a key is printed alone, once; it is listed without its text, and revoked by its first characters", async () => {
  const { stdout, stderr, code } = await call("create", "Edge", "firewall", "--hosts-only");
  assert.equal(code, 0);
  assert.match(stdout, /^ipb_[\w-]{43}\n$/);
  assert.match(stderr, /^bouncer [0-9a-f-]{36} of Edge; its key is not shown again:\n$/);
  const start = stdout.slice(0, 8);
  assert.equal(readFileSync(join(folder.path, "ipsieve.db")).includes(stdout.trim().slice(8)), false);
  const listed = await call("list");
  assert.match(listed.stdout, /^ *id .*state\n/);
  assert.ok(listed.stdout.includes(`${start}...`) && !listed.stdout.includes(stdout.trim()));
  const [bouncer] = JSON.parse((await call("list", "--json")).stdout);
  assert.deepEqual([bouncer.label, bouncer.hostsOnly, bouncer.digest], ["firewall", true, undefined]);
  assert.match((await call("revoke", start)).stdout, /^revoked [0-9a-f-]{36} \(firewall\)\n$/);
  assert.match((await call("list")).stdout, /revoked \d{4}-\d\d-\d\d\n$/);
});

test("no command takes a label that the API would refuse", async () => {
  const labelled = (await loadCommands(COMMAND_TABLE)).filter(({ operands }) => operands.includes("LABEL"));
  assert.deepEqual(labelled.map(({ name }) => name).toSorted(), [
    "bouncer create",
    "edge create",
    "key create",
    "taxii create",
  ]);
  for (const { name, operands } of labelled)
    for (const label of ["a\u001b[31mred", " spaces ", "\u202egpj.exe", "x".repeat(256)]) {
      const given = operands.split(" ").map((operand) => (operand === "LABEL" ? label : "Edge"));
      const { code, stdout, stderr } = await ipsieve(...name.split(" "), ...given);
      assert.deepEqual([code, stdout], [2, ""], `${name} ${JSON.stringify(label)}`);
      assert.match(stderr, /^ipsieve: LABEL: /);
    }
});

test("errors are reported without repeating a key", async () => {
  const rows: readonly (readonly [message: RegExp, ...args: string[]])[] = [
    [/there is no deployment "Egde"; there are: Edge, Partners/, "create", "Egde", "x"],
    [/a bouncer would block what this deployment allows; use a blocklist/, "create", "Partners", "x"],
    [/there is no bouncer "ipb_AAAA\.\.\."/, "revoke", `ipb_${"A".repeat(43)}`],
    [/DEPLOYMENT LABEL/, "create", "Edge"],
  ];
  for (const [message, ...args] of rows) {
    const { code, stdout, stderr } = await call(...args);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /defect of ipsieve|\n {4}at /);
  }
});
