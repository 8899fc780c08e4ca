/** The ClickHouse examples: dictionaries of a server's rules and deployments, and a function built on our kernel. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { formatAddress } from "../../src/address/format-address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import type { Catalogue } from "../../src/cbs/catalogue.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import { addKey, addOrganisation, startServer, type TestServer } from "../api/start-server.ts";
import { catalogueOf } from "../cbs/catalogues.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { edgesOf, isListed } from "../formats/consumers/edges.ts";
import { probes } from "../formats/subjects.ts";
import { until } from "../until.ts";
import { definitionOf } from "../deployments/definition-of.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/clickhouse");
const CONTENDERS = join(import.meta.dirname, "../../bench/package.json");
const missing = existsSync(join(CONTENDERS, "../node_modules/chdb"))
  ? false
  : "chdb is not installed; install it with: npm run bench:setup";

interface Session {
  queryAsync(sql: string, options: { format: string }): Promise<{ text(): string }>;
  cleanup(): void;
}

const RULES: readonly (readonly [prefix: string, name: string | null])[] = [
  ["1.0.0.0/8", "wide"],
  ["1.2.3.0/24", 'a "name", quoted'],
  ["1.2.3.4", null],
  ["223.255.255.254/31", ""],
  ["2400:1:2::/48", "six"],
  ["2400:1:2:3::4", "one of six"],
];
const ADDRESSES = edgesOf(RULES.map(([prefix]) => prefix));

const folder = temporaryFolder();
let session: Session;
let t: TestServer;
let organisationId = "";
let rulesetId = "";
let key = { id: "", text: "" };
/** The same rules in the library. */
const rules = new Ruleset({ name: "rules", allowSpecialPurpose: true });

before(async () => {
  if (missing !== false) return;
  session = openSession();
  t = await startServer();
  organisationId = await addOrganisation(t, "engines");
  key = await addKey(t, organisationId, "read");
  const about = { name: "rules", purpose: "blocklist", description: "" } as const;
  rulesetId = (await t.server.store.write({ kind: "create-ruleset", ...by(), ...about })).ruleset.id;
  for (const [prefix, name] of RULES) await add(prefix, name);
});
after(async () => {
  session?.cleanup();
  await t?.close();
  folder.remove();
});

/** ClickHouse in this process, with the function of the example running in this version of Node. */
function openSession(): Session {
  const scripts = join(folder.path, "user_scripts");
  mkdirSync(scripts);
  const script = join(scripts, "cbs-ids.js");
  writeFileSync(script, `#!/bin/sh\nexec '${process.execPath}' '${join(EXAMPLE, "cbs-ids.js")}'\n`);
  chmodSync(script, 0o755);
  const configuration = join(folder.path, "config.xml");
  writeFileSync(
    configuration,
    `<clickhouse>
       <user_scripts_path>${scripts}/</user_scripts_path>
       <user_defined_executable_functions_config>${EXAMPLE}/*_function.xml</user_defined_executable_functions_config>
     </clickhouse>`,
  );
  const { Session } = createRequire(CONTENDERS)("chdb");
  return new Session(join(folder.path, "data"), { connectionArgs: [`--config-file=${configuration}`] });
}

const by = () => ({ actor: "command:test", at: t.clock.now, organisationId });

async function add(prefix: string, name: string | null): Promise<void> {
  const request = { prefix: parsePrefix(prefix), name, expiresAt: null, mode: "override" } as const;
  await t.server.store.write({ kind: "add-rule", ...by(), rulesetId, request });
  rules.add(prefix, { name });
}

async function query(sql: string): Promise<any[]> {
  const answer = await session.queryAsync(sql, { format: "JSONCompactEachRow" });
  const lines = answer.text().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** A statement of an example with its placeholders replaced. */
function statementOf(file: string, changes: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(EXAMPLE, file), "utf8").replaceAll(/^--.*\n/gm, "");
  for (const [from, to] of Object.entries(changes)) {
    assert.ok(text.includes(from), from);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** A table function with these texts in the column `ip`, and their numbers in `row`. */
function tableOf(texts: readonly string[]): string {
  const path = join(folder.path, "addresses.tsv");
  writeFileSync(path, texts.map((text, row) => `${row}\t${text}\n`).join(""));
  return `file('${path}', 'TSV', 'row UInt32, ip String')`;
}

const ANSWERS = `SELECT ip, dictHas('rules', tuple(toIPv6(ip))), dictGet('rules', 'name', tuple(toIPv6(ip)))`;

/** Asserts that the dictionary `rules` says what the library says about each address. */
async function compareRules(): Promise<void> {
  const rows = await query(`${ANSWERS} FROM ${tableOf(ADDRESSES)}`);
  assert.equal(rows.length, ADDRESSES.length);
  for (const [ip, has, name] of rows) {
    const rule = rules.check(ip);
    assert.deepEqual([has, name], [Number(rule !== null), rule?.name ?? ""], ip);
  }
}

/** Asserts that the services of each row are those of the catalogue; returns how many rows have some. */
function compareServices(rows: readonly any[], texts: readonly string[], catalogue: Catalogue): number {
  assert.equal(rows.length, texts.length);
  let found = 0;
  for (const [index, [row, ids]] of rows.entries()) {
    const text = texts[index]!;
    const nodes = text === "" ? [] : catalogue.nodesOf(catalogue.table.lookupAddress(parseAddress(text)));
    assert.deepEqual([row, ids], [index, nodes.map(({ id }) => id)], text);
    if (nodes.length > 0) found++;
  }
  return found;
}

describe("ClickHouse", { skip: missing }, () => {
  test("a dictionary of rules agrees with the library about every address, and follows changes", async () => {
    const at = { "http://127.0.0.1:8080": t.server.url, RULESET: rulesetId, "'KEY'": `'${key.text}'` };
    await query(statementOf("rules.sql", at));
    await compareRules();
    // The negative control: a change made after the dictionary was loaded is noticed.
    await add("1.2.3.0/28", "narrow");
    await assert.rejects(compareRules(), { name: "AssertionError" });
    await query("SYSTEM RELOAD DICTIONARY rules");
    await compareRules();
  });

  test("once the key is revoked, a refresh fails with the reason, and the last rules stay in use", async () => {
    await t.server.store.write({ kind: "revoke-credential", credential: "api", ...by(), credentialId: key.id });
    await assert.rejects(query("SYSTEM RELOAD DICTIONARY rules"), /401/);
    await compareRules();
  });

  test("a dictionary of a deployment has its addresses", async () => {
    const include = [{ prefixes: ["1.2.3.0/24", "2400:1:2::/48"] }];
    const exclude = [{ prefixes: ["1.2.3.4"] }];
    const { deployment } = await t.server.store.write({
      kind: "create-deployment",
      ...by(),
      name: "listed",
      definition: definitionOf({ firewall_format: "csv", include, exclude }),
    });
    await until("it is published", () => t.server.services.publishing.lists.served(deployment.id) !== undefined);
    const token = t.server.services.publishing.feedTokens.tokenOf(deployment);
    await query(statementOf("deployment.sql", { "http://127.0.0.1:8080": t.server.url, TOKEN: token }));
    const rows = await query(`SELECT ip, dictHas('listed', tuple(toIPv6(ip))) FROM ${tableOf(ADDRESSES)}`);
    for (const [ip, has] of rows) assert.equal(has === 1, isListed(include[0]!.prefixes, ip) && ip !== "1.2.3.4", ip);
    assert.ok(rows.some(([, has]) => has === 1) && rows.some(([, has]) => has === 0));
  });

  test("the function returns all services, chunk by chunk", async (context) => {
    const catalogue = await openCatalogue();
    const addresses = Array.from(probes(catalogue), formatAddress).filter((_, index) => index % 40 === 0);
    const texts = ["", ...addresses];
    const rows = await query(
      `SELECT row, cbs_ids(ip) FROM ${tableOf(texts)} ORDER BY row SETTINGS max_block_size = 5000, output_format_json_escape_forward_slashes = 0`,
    );
    const found = compareServices(rows, texts, catalogue);
    context.diagnostic(`${rows.length} rows, ${found} with services`);
    assert.ok(found > rows.length / 4);
    // The escapes that ClickHouse adds on the way to the function are not part of an address.
    const [[plain, ...escaped]] = await query(
      `SELECT cbs_ids('1.1.1.1'), ${["char(9)", "char(10)", "char(39)", "char(92)", "char(0)"].map((each) => `cbs_ids(concat('x', ${each}, '1.1.1.1', ${each}, 'x'))`).join()}`,
    );
    assert.ok(plain.length > 0);
    for (const each of escaped) assert.deepEqual(each, plain);
    const other = catalogueOf([["1.0.0.0/8", "/cloud/aws"]]);
    assert.throws(() => compareServices(rows, texts, other), { name: "AssertionError" });
  });
});
