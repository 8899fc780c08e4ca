import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openStore } from "../../../src/store/open-store.ts";
import { definitionOf } from "../../deployments/definition-of.ts";
import { run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  folder = temporaryFolder();
  const store = await openStore({ file: join(folder.path, "ipsieve.db") }, { create: true });
  const by = { actor: "command:test", at: 1 };
  const { organisation } = await store.write({ kind: "create-organisation", ...by, name: "Example" });
  const definition = definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] });
  const owned = { ...by, organisationId: organisation.id };
  await store.write({ kind: "create-deployment", ...owned, name: "Edge", definition });
  await store.close();
});
after(() => folder.remove());

const ipsieve = (...args: string[]) =>
  run(args, { cwd: folder.path, env: { IPSIEVE_HOME: folder.path, IPSIEVE_DB: "", DATABASE_URL: "" } });
const json = async (...args: string[]) => JSON.parse((await ipsieve(...args, "--json")).stdout);

const URL_OPTION = ["--url", "https://lists.example"];

/** Of each kind: its own group of commands, what creates one there, and how its text begins. */
const KINDS = [
  ["api", "key", ["same", "--access", "read_write", "--scope", "edl", "--scope", "cbs"], /^ips_/],
  ["bouncer", "bouncer", ["Edge", "--label", "same", "--hosts-only"], /^ipb_/],
  ["edge", "edge", ["Edge", "traefik", "--label=same", ...URL_OPTION], /^eyJ/],
  ["taxii", "taxii", ["same", "Edge", "cti"], /^ipt_/],
] as const;

for (const [kind, group, args, beginning] of KINDS)
  test(`of the kind ${kind}: credential does what ${group} does`, async () => {
    const made = [];
    for (const call of [
      ["credential", "create", "--kind", kind, ...args],
      [group, "create", ...args],
    ]) {
      const { code, stdout, stderr } = await ipsieve(...call);
      assert.equal(code, 0, stderr);
      assert.match(stdout, beginning);
      assert.match(stderr, /[0-9a-f-]{36}.* not shown again:\n/);
      made.push(/[0-9a-f-]{36}/.exec(stderr)![0]);
    }
    const listed = await json(group, "list");
    assert.deepEqual(await json("credential", "list", "--kind", kind), listed);
    assert.deepEqual(
      listed.map((each: { id: string; label: string; kind: string }) => [each.id, each.kind, each.label]),
      made.map((id) => [id, kind, "same"]),
    );
    const [one, other] = listed.map(
      ({ id: _id, start: _start, createdAt: _at, ...rest }: Record<string, string>) => rest,
    );
    assert.deepEqual(one, other);
    const all = await json("credential", "list");
    assert.deepEqual(all.filter((each: { kind: string }) => each.kind === kind).length, 2);
    assert.match((await ipsieve("credential", "list")).stdout, new RegExp(`${made[0]} +${kind} .*same +valid`));
    const [first, second] = made as [string, string];
    assert.equal((await ipsieve("credential", "revoke", first, "--kind", kind)).stdout, `revoked ${first} (same)\n`);
    assert.equal((await ipsieve(group, "revoke", second.toUpperCase())).stdout, `revoked ${second} (same)\n`);
    assert.match((await ipsieve("credential", "list", "--kind", kind)).stdout, /(revoked \d{4}-\d\d-\d\d\n.*){2}$/s);
    for (const [of] of KINDS.filter(([of]) => of !== kind)) {
      const { code, stderr } = await ipsieve("credential", "revoke", "--kind", of, first);
      assert.deepEqual([code, stderr.startsWith(`ipsieve: there is no `)], [2, true], stderr);
    }
  });

test("errors say what the kind takes, and never repeat a text", async () => {
  const secret = `ips_${"A".repeat(38)}`;
  const rows: readonly (readonly [message: RegExp, ...args: string[]])[] = [
    [/credential create needs --kind: api, bouncer, edge, taxii\n/, "credential", "create", "x"],
    [/--kind "keys": choose from api, bouncer, edge, taxii\n/, "credential", "create", "--kind", "keys"],
    [
      /unknown option --hosts-only; "ipsieve help admin key create"/,
      "credential",
      "create",
      "--kind=api",
      "--hosts-only",
      "x",
    ],
    [/bouncer create needs DEPLOYMENT LABEL; usage/, "credential", "create", "--kind", "bouncer", "Edge"],
    [/^ipsieve: LABEL: /, "credential", "create", "--kind", "taxii", " x ", "Edge"],
    [/there is no key "ips_AAAA\.\.\."; "ipsieve admin key list"/, "credential", "revoke", "--kind", "api", secret],
    [
      /key create does not take "a" beside --label, which gives that operand; .*usage: ipsieve admin key create LABEL\n/,
      "key",
      "create",
      "a",
      "--label",
      "b",
    ],
    [/unknown option --a; did you mean --access\?\n/, "key", "create", "--a", "--label", "b"],
    [/credential needs a subcommand: create, list, revoke; "ipsieve help admin credential"/, "credential"],
  ];
  for (const [message, ...args] of rows) {
    const { code, stdout, stderr } = await ipsieve(...args);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /defect of ipsieve|\n {4}at /);
  }
});
