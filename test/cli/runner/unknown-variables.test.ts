import assert from "node:assert/strict";
import { test } from "node:test";
import { variableOf, SETTINGS } from "../../../src/service/settings.ts";
import { rejectUnknownVariables } from "../../../src/cli/runner/unknown-variables.ts";
import { run } from "../run-command.ts";

const REFUSED: readonly [variable: string, value: string, cure: RegExp][] = [
  ["IPSIEVE_PROT", "1", /^the environment variable IPSIEVE_PROT is not known; did you mean IPSIEVE_PORT\?$/],
  ["IPSIEVE_KEY", "1", /^the environment variable IPSIEVE_KEY is not known; did you mean IPSIEVE_API_KEY\?$/],
  ["IPSIEVE_HOM", "/srv", /did you mean IPSIEVE_HOME\?$/],
  ["IPSIEVE_RULES_PER_RULESETS", "5", /did you mean IPSIEVE_RULES_PER_RULESET\?$/],
  [
    "IPSIEVE_DATABASE_URL",
    "postgres://u:secret@db/x",
    /^the environment variable IPSIEVE_DATABASE_URL is not known; [^@]*$/,
  ],
  ["IPSIEVE_XYZZY", "1", /"ipsieve help serve" lists the settings; unset it$/],
  ["IPSIEVE_", "1", /is not known/],
];

for (const [name, value, message] of REFUSED) {
  test(`${name} is rejected with the nearest known one, and without its value`, () =>
    assert.rejects(rejectUnknownVariables({ [name]: value }), { name: "UsageError", message }));
}

test("known, empty and unrelated ones, and those that Kubernetes and Docker set for a service of this name, are accepted", async () => {
  for (const setting of Object.values(SETTINGS)) await rejectUnknownVariables({ [variableOf(setting)]: "1" });
  const links = {
    IPSIEVE_SERVICE_HOST: "10.0.0.1",
    IPSIEVE_SERVICE_PORT: "80",
    IPSIEVE_SERVICE_PORT_HTTP: "80",
    IPSIEVE_PORT: "tcp://10.0.0.1:80",
    IPSIEVE_PORT_80_TCP: "tcp://10.0.0.1:80",
    IPSIEVE_PORT_80_TCP_PROTO: "tcp",
    IPSIEVE_DB_SERVICE_HOST: "10.0.0.2",
    IPSIEVE_DB_PORT: "tcp://10.0.0.2:5432",
  };
  await rejectUnknownVariables({
    IPSIEVE_HOME: "/srv",
    IPSIEVE_SERVER: "https://lists.example.org",
    IPSIEVE_API_KEY: "x",
    IPSIEVE_NOTHING: "",
    ipsieve_prot: "1",
    PATH: "/bin",
    ...links,
  });
});

test("every command ends with 2 and an error before it does anything", async () => {
  for (const args of [
    ["lookup", "1.1.1.1"],
    ["serve", "--port", "0", "--db", "/nowhere/x.db"],
    ["org", "list"],
  ]) {
    const { code, stdout, stderr } = await run(args, { env: { IPSIEVE_PROT: "1" } });
    assert.deepEqual(
      [code, stdout, stderr],
      [2, "", "ipsieve: the environment variable IPSIEVE_PROT is not known; did you mean IPSIEVE_PORT?\n"],
    );
  }
  const { code, stderr } = await run(["serve"], { env: { IPSIEVE_PORT: "tcp://10.0.0.1:80" } });
  assert.deepEqual(
    [code, /Kubernetes sets it for a service called ipsieve; set enableServiceLinks: false/.test(stderr)],
    [2, true],
    stderr,
  );
});
