import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SMALL_CATALOGUE } from "../../api/harness/small-catalogue.ts";
import { keyPair, rsaKeyPair } from "../../snapshot/harness/key-pair.ts";
import { outcomeOf, run, start, temporaryFolder } from "../run-command.ts";

const own = keyPair();
const foreign = keyPair();
let folder: ReturnType<typeof temporaryFolder>;
before(() => {
  folder = temporaryFolder({
    "own.pem": own.privateKey,
    "own.pub": own.publicKey,
    "foreign.pub": foreign.publicKey,
    "both.pub": foreign.publicKey + own.publicKey,
    "rsa.pem": rsaKeyPair().privateKey,
  });
});
after(() => folder.remove());

const path = (name: string) => join(folder.path, name);
const ipsieve = (...args: readonly string[]) =>
  run(args, { cwd: folder.path, env: { IPSIEVE_API_KEY: "", IPSIEVE_DB: "", DATABASE_URL: "" } });

test("a file is signed, shown and verified, with keys in one file or several", async () => {
  copyFileSync(SMALL_CATALOGUE, path("catalogue.ipsieve"));
  const signed = await ipsieve("sign", "--private-key", "own.pem", "catalogue.ipsieve");
  assert.match(signed.stdout, /^catalogue\.ipsieve: signed by the key [\w+/]{43}=\n$/);
  const key = /key (\S+)/.exec(signed.stdout)![1]!;
  const { stdout } = await ipsieve("info", "catalogue.ipsieve");
  assert.ok(stdout.includes(`signed by   ${key}, not checked`), stdout);
  assert.equal(JSON.parse((await ipsieve("info", "--json", "catalogue.ipsieve")).stdout).signedBy, key);
  for (const keys of [
    ["--trusted-key", "own.pub"],
    ["--trusted-key", "both.pub"],
    ["--trusted-key", "foreign.pub", "--trusted-key", "own.pub"],
  ]) {
    const { code, stdout } = await ipsieve("verify", ...keys, "catalogue.ipsieve");
    assert.equal(code, 0);
    assert.match(stdout, /^catalogue\.ipsieve: intact, signed by a trusted key; /);
  }
  const looked = await ipsieve("lookup", "--snapshot", "catalogue.ipsieve", "192.0.2.1");
  assert.ok(looked.code! < 2, looked.stderr);
});

test("sign accepts keys made by openssl", { skip: openssl() }, async () => {
  execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", path("openssl.pem")]);
  execFileSync("openssl", ["pkey", "-in", path("openssl.pem"), "-pubout", "-out", path("openssl.pub")]);
  const signed = await ipsieve("sign", "--private-key", "openssl.pem", "-o", "openssl.ipsieve", SMALL_CATALOGUE);
  assert.equal(signed.code, 0, signed.stderr);
  assert.equal((await ipsieve("verify", "--trusted-key", "openssl.pub", "openssl.ipsieve")).code, 0);
});

function openssl(): string | false {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return false;
  } catch {
    return "openssl is not installed";
  }
}

test("errors have a remedy, and no private key is shown", async () => {
  copyFileSync(SMALL_CATALOGUE, path("unsigned.ipsieve"));
  await ipsieve("sign", "--private-key", "own.pem", "-o", "signed.ipsieve", "unsigned.ipsieve");
  const forged = readFileSync(path("signed.ipsieve"));
  forged[forged.length - 60]! ^= 1;
  writeFileSync(path("forged.ipsieve"), forged);
  const rows: readonly (readonly [RegExp, ...string[]])[] = [
    [/usage: ipsieve sign --private-key PEM FILE/, "sign", "unsigned.ipsieve"],
    [/sign needs/, "sign", "--private-key", "own.pem"],
    [/--private-key none\.pem: cannot be read \(ENOENT\)/, "sign", "--private-key", "none.pem", "unsigned.ipsieve"],
    [/own\.pub: is not a key.*openssl genpkey/, "sign", "--private-key", "own.pub", "unsigned.ipsieve"],
    [/rsa\.pem: is a key for rsa, not Ed25519/, "sign", "--private-key", "rsa.pem", "unsigned.ipsieve"],
    [/unsigned\.ipsieve: has no signature/, "verify", "--trusted-key", "own.pub", "unsigned.ipsieve"],
    [/signed by the key \S+=, which is not trusted/, "verify", "--trusted-key", "foreign.pub", "signed.ipsieve"],
    [/own\.pem: holds a private key/, "verify", "--trusted-key", "own.pem", "signed.ipsieve"],
    [/--trusted-key none\.pub: cannot be read/, "verify", "--trusted-key", "none.pub", "signed.ipsieve"],
    [/the signature does not match its checksum/, "verify", "forged.ipsieve"],
    [/name a signed one with --catalogue/, "serve", "--port", "0", "--trusted-key", "own.pub"],
  ];
  for (const [message, ...args] of rows) {
    const { code, stdout, stderr } = await ipsieve(...args);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /defect of ipsieve|\n {4}at /);
    assert.ok(!stderr.includes(own.privateKey.split("\n")[1]!));
  }
});

test("a pull with a trusted key accepts only signed files, even if nothing has changed", async (context) => {
  copyFileSync(SMALL_CATALOGUE, path("offered"));
  const source = createServer((request, response) => {
    const bytes = readFileSync(path("offered"));
    const tag = `"${bytes.subarray(32, 48).toString("hex")}"`;
    if (request.headers["if-none-match"] === tag) return void response.writeHead(304).end();
    response.writeHead(200, { etag: tag, "content-length": bytes.length }).end(bytes);
  }).listen(0, "127.0.0.1");
  await once(source, "listening");
  context.after(() => source.close());
  const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/catalogue.ipsieve`;
  const pull = (...keys: readonly string[]) =>
    outcomeOf(start(["pull", url, "-o", "pulled", ...keys], { cwd: folder.path, env: { IPSIEVE_API_KEY: "" } }));

  const refused = await pull("--trusted-key", "own.pub");
  assert.deepEqual([refused.code, refused.stdout], [2, ""]);
  assert.match(refused.stderr, /http:\S+: has no signature/);
  assert.equal((await pull()).code, 0);
  const unchanged = await pull("--trusted-key", "own.pub");
  assert.equal(unchanged.code, 2, "the file is the one that was pulled without a key");
  assert.match(unchanged.stderr, /pulled: has no signature/);
  await ipsieve("sign", "--private-key", "own.pem", "offered");
  assert.equal((await pull("--trusted-key", "foreign.pub")).code, 2);
  assert.equal((await pull("--trusted-key", "own.pub")).code, 0);
  assert.deepEqual(readFileSync(path("pulled")), readFileSync(path("offered")));
  assert.match((await pull("--trusted-key", "own.pub")).stdout, /unchanged/);
});
