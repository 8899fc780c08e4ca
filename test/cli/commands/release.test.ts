import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SMALL_CATALOGUE } from "../../api/harness/small-catalogue.ts";
import { keyPair } from "../../snapshot/harness/key-pair.ts";
import { run, temporaryFolder } from "../run-command.ts";

// The catalogue as a release: one machine updates and signs it, others pull it from a web server that knows nothing of
// ipsieve, and trust the signature alone.

const keys = keyPair();
let folder: ReturnType<typeof temporaryFolder>;
before(() => {
  folder = temporaryFolder({ "release.pem": keys.privateKey, "release.pub": keys.publicKey });
  mkdirSync(path("lists/telegram"), { recursive: true });
});
after(() => folder.remove());

function path(name: string): string {
  return join(folder.path, name);
}

/** Lists are layered over a few lines. */
const SMALL_BASE = new URL("../../update/small-base.ts", import.meta.url);
SMALL_BASE.searchParams.set("path", SMALL_CATALOGUE);
const ipsieve = (...args: string[]) =>
  run(args, {
    cwd: folder.path,
    env: { IPSIEVE_HOME: path("home"), IPSIEVE_API_KEY: "", NODE_OPTIONS: `--import=${SMALL_BASE.href}` },
  });

/** Updates from the list, and puts the signed catalogue where the web server offers it. */
async function release(...prefixes: string[]): Promise<void> {
  writeFileSync(path("lists/telegram/cidr.txt"), `${prefixes.join("\n")}\n`);
  assert.equal((await ipsieve("cbs", "update", "--from", "lists")).code, 0);
  assert.equal(
    (await ipsieve("sign", "--private-key", "release.pem", "-o", "offered", "home/catalogue.ipsieve")).code,
    0,
  );
}

/** The times at which the catalogues of the history were made, from their names. */
function generations(): string[] {
  const names = readdirSync(path("home/history")).sort();
  return names.map((name) => name.replace(/^(....)(..)(..T..)(..)(.*)\.ipsieve$/, "$1-$2-$3:$4:$5"));
}

test("updated, signed, pulled with the trusted key, compared with the one before", async (context) => {
  const site = createServer((_, response) => response.end(readFileSync(path("offered")))).listen(0, "127.0.0.1");
  await once(site, "listening");
  context.after(() => site.close());
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/catalogue.ipsieve`;
  const pull = () => ipsieve("pull", url, "-o", "pulled", "--trusted-key", "release.pub");

  await release("91.108.4.0/22");
  assert.equal((await pull()).code, 0);
  copyFileSync(path("pulled"), path("first"));
  assert.match((await ipsieve("lookup", "--snapshot", "pulled", "91.108.4.9")).stdout, /telegram/);

  await release("91.108.4.0/22", "149.154.160.0/20");
  assert.equal((await pull()).code, 0);
  const change = "+ 149.154.160.0/20\t/saas/telegram\n";
  assert.equal((await ipsieve("cbs", "diff", "--prefixes", "first", "pulled")).stdout, change);
  const [older, newer] = generations();
  assert.equal((await ipsieve("cbs", "diff", "--prefixes", older!, newer!)).stdout, change);

  copyFileSync(path("home/catalogue.ipsieve"), path("offered"));
  const unsigned = await pull();
  assert.equal(unsigned.code, 2);
  assert.match(unsigned.stderr, /has no signature/);
  assert.match((await ipsieve("lookup", "--snapshot", "pulled", "149.154.160.1")).stdout, /telegram/);
});
