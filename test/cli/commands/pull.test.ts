import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { SMALL_CATALOGUE } from "../../api/harness/small-catalogue.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../../api/start-server.ts";
import { makeApiKey } from "../../../src/store/records/api-key.ts";
import { until } from "../../until.ts";
import { outcomeOf, run, start, temporaryFolder } from "../run-command.ts";

const THREATS = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));

let t: TestServer;
let key = "";
let ruleset = "";
let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  folder = temporaryFolder();
  t = await startServer({}, SMALL_CATALOGUE, THREATS);
  key = (await addKey(t, await addOrganisation(t, "pulls"))).text;
  ruleset = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0].id;
  await ask(t, "POST", `/v1/edl/ip-rulesets/${ruleset}/rules`, { key, body: { ip: "192.0.2.0/24", name: "lab" } });
});
after(async () => {
  await t.close();
  folder.remove();
});

const pull = (args: readonly string[], env: NodeJS.ProcessEnv = { IPSIEVE_API_KEY: key }) =>
  run(["pull", ...args], { cwd: folder.path, env: { IPSIEVE_API_KEY: "", ...env } });

test("the three kinds of snapshots are pulled from a server, and again only if they have changed", async () => {
  for (const [path, file, kind] of [
    ["/v1/cbs/snapshot", "catalogue.ipsieve", "catalogue"],
    ["/v1/cti/snapshot", "cti.ipsieve", "cti"],
    [`/v1/edl/ip-rulesets/${ruleset}/snapshot`, "rules.ipsieve", "ruleset"],
  ] as const) {
    const { code, stdout, stderr } = await pull([t.server.url + path, "-o", file]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, new RegExp(`^${file}: the ${kind} of 20.*Z, [\\d.]+ kB, with the server's SHA-256\n$`));
    assert.match(
      (await pull([t.server.url + path, "-o", file])).stdout,
      new RegExp(`^${file}: unchanged; the ${kind} `),
    );
  }
  assert.ok(readFileSync(join(folder.path, "catalogue.ipsieve")).equals(readFileSync(SMALL_CATALOGUE)));
  const { stdout } = await run(["explain", "192.0.2.9", "--rules", "rules.ipsieve"], { cwd: folder.path });
  assert.match(stdout, /192\.0\.2\.0\/24/);
});

test("the report and the progress are JSON", async () => {
  const { stdout, stderr } = await pull([
    `${t.server.url}/v1/cbs/snapshot`,
    "-o",
    "json.ipsieve",
    "--json",
    "--progress",
    "json",
  ]);
  const { outcome, kind, bytes, hasDigest } = JSON.parse(stdout);
  const { length } = readFileSync(SMALL_CATALOGUE);
  assert.deepEqual([outcome, kind, bytes, hasDigest], ["pulled", "catalogue", length, true]);
  assert.deepEqual(JSON.parse(stderr.trimEnd().split("\n").at(-1)!), { bytes: length, total: length });
});

test("errors have a remedy, and no key is shown", async () => {
  const catalogue = `${t.server.url}/v1/cbs/snapshot`;
  const { text: wrong } = makeApiKey();
  const rows: readonly (readonly [message: RegExp, args: readonly string[], env?: NodeJS.ProcessEnv])[] = [
    [/usage: ipsieve pull URL -o FILE/, [catalogue]],
    [/pull needs URL/, ["-o", "x"]],
    [/status 401: it requires a key that it knows; check IPSIEVE_API_KEY/, [catalogue, "-o", "x"], {}],
    [/status 401: /, [catalogue, "-o", "x"], { IPSIEVE_API_KEY: wrong }],
    [/this is not an API key/, [catalogue, "-o", "x"], { IPSIEVE_API_KEY: "nonsense" }],
    [/status 404: check the URL/, [`${t.server.url}/nowhere`, "-o", "x"]],
    [/only https URLs are fetched/, ["http://example.com/x.ipsieve", "-o", "x"]],
    [/is not a URL/, ["catalogue", "-o", "x"]],
    [/a snapshot of the kind "catalogue", not "cti"/, [catalogue, "-o", "x", "--kind", "cti"]],
    [/livez: not a snapshot/, [`${t.server.url}/livez`, "-o", "x"]],
    [/cannot be written/, [catalogue, "-o", "missing/folder/x"]],
  ];
  for (const [message, args, env] of rows) {
    const { code, stdout, stderr } = await pull(args, env);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /defect of ipsieve|\n {4}at /);
    assert.ok(!stderr.includes(wrong) && !stderr.includes(key));
  }
  assert.equal(existsSync(join(folder.path, "x")), false);
});

test("a pull that is killed in the middle leaves the old file, and the next one continues", async () => {
  const bytes = readFileSync(SMALL_CATALOGUE);
  const half = bytes.length >> 1;
  const ranges: (string | undefined)[] = [];
  const server: Server = createServer(({ headers: { range } }, response) => {
    ranges.push(range);
    response.setHeader("etag", '"one"');
    if (range === undefined) {
      response.writeHead(200, { "content-length": bytes.length });
      response.write(bytes.subarray(0, half));
    } else {
      response.writeHead(206, { "content-range": `bytes ${half}-${bytes.length - 1}/${bytes.length}` });
      response.end(bytes.subarray(half));
    }
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const [file, part] = ["killed.ipsieve", ".killed.ipsieve.part"].map((name) => join(folder.path, name));
    const old = readFileSync(join(folder.path, "json.ipsieve"));
    writeFileSync(file!, old);
    const child = start(["pull", url, "-o", file!], { cwd: folder.path, env: { IPSIEVE_API_KEY: "" } });
    const outcome = outcomeOf(child);
    await until("half of the file has arrived", () => existsSync(part!) && statSync(part!).size === half);
    child.kill("SIGKILL");
    assert.equal((await outcome).signal, "SIGKILL");
    assert.ok(readFileSync(file!).equals(old));
    const { code, stdout, stderr } = await pull([url, "-o", file!], {});
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /of them by an earlier pull, with no SHA-256 from the server/);
    assert.deepEqual(ranges, [undefined, `bytes=${half}-`]);
    assert.ok(readFileSync(file!).equals(bytes));
    assert.equal(existsSync(part!), false);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
