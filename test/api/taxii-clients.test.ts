/** OASIS's TAXII client, its STIX library and its validator, as they come from PyPI, read a collection. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { makeCredentialText } from "../../src/service/access/credential-text.ts";
import { onlyLong } from "../rounds.ts";
import { missingTools, PYTHON, run, STIX_VALIDATOR } from "../tools.ts";
import { addOrganisation, startServer, type TestServer } from "./start-server.ts";

const SCRIPT = join(import.meta.dirname, "clients/taxii-client.py");
const RULES = 40;
const PAGE = 9;

let t: TestServer;
before(async () => {
  t = await startServer();
});
after(() => t.close());

test(
  "real clients page through a collection; every object is valid STIX 2.1",
  { skip: missingTools(STIX_VALIDATOR) || onlyLong() },
  async () => {
    const organisationId = await addOrganisation(t, "Example");
    const by = () => ({ actor: "command:test", at: t.clock.now, organisationId });
    const about = { name: "attackers", description: "", purpose: "blocklist" } as const;
    const { ruleset } = await t.server.store.write({ kind: "create-ruleset", ...by(), ...about });
    const rulesetId = ruleset.id;
    const texts = [
      ...Array.from({ length: RULES - 2 }, (_, host) => `192.0.2.${host}`),
      "198.51.100.0/24",
      "2001:db8::/32",
    ];
    for (const [index, text] of texts.entries()) {
      const expiresAt = index % 3 === 0 ? t.clock.now + 3_600_000 : null;
      const request = { prefix: parsePrefix(text), name: `rule "${index}"`, expiresAt, mode: "override" } as const;
      await t.server.store.write({ kind: "add-rule", ...by(), rulesetId, request });
    }
    const { text: password, digest, start } = makeCredentialText("taxii");
    const credential = { label: "x", digest, start, collections: [rulesetId] };
    await t.server.store.write({ kind: "create-credential", credential: "taxii", ...by(), ...credential });
    const read = async () => {
      const args = [SCRIPT, `${t.server.url}/taxii2/`, start, password, String(PAGE)];
      const { code, stdout, output } = await run(PYTHON, args);
      assert.equal(code, 0, output);
      return JSON.parse(stdout);
    };
    const first = await read();
    assert.deepEqual([first.title, first.pages, first.revoked], ["attackers", Math.ceil((RULES + 1) / PAGE), []]);
    t.clock.now += 1000;
    for (const text of texts.slice(0, 3))
      await t.server.store.write({ kind: "delete-rule", ...by(), rulesetId, prefix: parsePrefix(text) });
    const found = await read();
    assert.deepEqual([found.revoked, found.versions], [Array(3).fill(true), Array(3).fill(2)]);
    assert.deepEqual(
      found.patterns,
      texts.map((text) => `[ipv${text.includes(":") ? 6 : 4}-addr:value = '${text}']`).toSorted(),
    );
    assert.deepEqual(found.manifest, found.manifest.toSorted());
    assert.equal(new Set(found.manifest).size, RULES + 1);
    assert.deepEqual([first.errors, found.errors], [[], []]);
    assert.deepEqual(
      found.controls.map((errors: number) => errors > 0),
      [true, true],
      "the validator must find what is wrong",
    );
  },
);
