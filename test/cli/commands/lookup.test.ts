import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { CATALOGUE_KIND } from "../../../src/cbs/catalogue.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../../src/table/freeze.ts";
import { PrefixTrie } from "../../../src/trie/prefix-trie.ts";
import { outcomeOf, run, start, temporaryFolder } from "../run-command.ts";
import { missed } from "../../cbs/missed.ts";

let folder: ReturnType<typeof temporaryFolder>;

before(async () => {
  folder = temporaryFolder({
    "list.csv":
      "10.0.0.0/8,/cloud/acme\n10.1.0.0/16,/cloud/acme/by-service/mail/eu-1,office\n10.1.2.3,host\n2001:db8::/32,documentation\n",
  });
  const { code } = await run(["build", "list.csv", "-o", "list.ipsieve"], { cwd: folder.path });
  assert.equal(code, 0);
});
after(() => folder.remove());

const lookup = (...args: string[]) => run(["lookup", "--snapshot", "list.ipsieve", ...args], { cwd: folder.path });

test("an address is shown with all covering prefixes, the most specific first", async () => {
  const { code, stdout, stderr } = await lookup("10.1.2.3");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(
    stdout,
    `host
10.1.2.3
  10.1.2.3  1 address
    host  by list.csv
  10.1.0.0/16  10.1.0.0 - 10.1.255.255, 65,536 addresses
    Cloud > acme > By service > mail > eu-1  /cloud/acme/by-service/mail/eu-1  by list.csv
    office  by list.csv
  10.0.0.0/8  10.0.0.0 - 10.255.255.255, 16,777,216 addresses
    Cloud > acme  /cloud/acme  by list.csv
  note: in 10.0.0.0/8, Private-Use (RFC 1918); not reachable from the internet
`,
  );
});

test("a prefix belongs to nodes that cover all of it", async () => {
  const { stdout } = await lookup("10.1.2.0/24", "10.0.0.0/7", "2001:DB8:0::/48");
  assert.equal(
    stdout,
    `office
10.1.2.0/24
  10.1.0.0/16  10.1.0.0 - 10.1.255.255, 65,536 addresses
    Cloud > acme > By service > mail > eu-1  /cloud/acme/by-service/mail/eu-1  by list.csv
    office  by list.csv
  10.0.0.0/8  10.0.0.0 - 10.255.255.255, 16,777,216 addresses
    Cloud > acme  /cloud/acme  by list.csv
  note: in 10.0.0.0/8, Private-Use (RFC 1918); not reachable from the internet
Unknown
10.0.0.0/7
  no match that covers the whole prefix
  note: contains 10.0.0.0/8, Private-Use (RFC 1918)
documentation
2001:db8::/48
  2001:db8::/32  2001:db8:: - 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff, 2^96 addresses
    documentation  by list.csv
  note: in 2001:db8::/32, Documentation (RFC 3849); not reachable from the internet
`,
  );
});

test("blocks whose reachability the registries leave open are not called unreachable", async () => {
  const blocks = ["2002::/16", "2001::/32", "192.88.99.0/24", "2001::/23", "224.0.0.1", "fe80::1"];
  const notes = (await lookup(...blocks)).stdout.match(/note: .*/g);
  assert.deepEqual(notes, [
    "note: in 2002::/16, 6to4 (RFC 3056)",
    "note: in 2001::/32, TEREDO (RFC 4380, RFC 8190)",
    "note: in 192.88.99.0/24, Deprecated (6to4 Relay Anycast) (RFC 7526)",
    "note: in 2001::/23, IETF Protocol Assignments (RFC 2928)",
    "note: in 224.0.0.0/4, Multicast (RFC 5771)",
    "note: in fe80::/10, Link-Local Unicast (RFC 4291); not reachable from the internet",
  ]);
});

test("--json prints the lookup document, one per line, with the text as passed", async () => {
  const { code, stdout } = await lookup("--json", "--networks", "none", "::ffff:10.1.2.3", "9.9.9.9");
  assert.equal(code, 0);
  const [hit, miss, ...more] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(more, []);
  assert.equal(hit.ip, "::ffff:10.1.2.3");
  assert.equal(hit.cidr, "10.1.2.3");
  assert.deepEqual(hit.cbs_ids, ["/cloud/acme", "/cloud/acme/by-service/mail/eu-1", "host", "office"]);
  assert.deepEqual([hit.types, hit.services, hit.regions], [["cloud", "list"], ["mail"], ["eu-1"]]);
  assert.deepEqual(miss, { ...missed("9.9.9.9"), network: null });
});

test("exit codes: 0 if any was found, 1 if none, 2 if any is malformed; the others are still answered", async () => {
  assert.equal((await lookup("9.9.9.9", "10.0.0.1")).code, 0);
  assert.equal((await lookup("9.9.9.9")).code, 1);
  const mixed = await lookup("10.1", "10.0.0.1", "10.0.0.1/8", "fe80::1%eth0");
  assert.equal(mixed.code, 2);
  assert.match(mixed.stdout, /^acme\n10\.0\.0\.1\n  10\.0\.0\.0\/8/);
  assert.match(
    mixed.stderr,
    /^ipsieve: "10\.1" at position .*\nipsieve: "10\.0\.0\.1\/8" at position 9: .*10\.0\.0\.0\/8.*\nipsieve: "fe80::1%eth0" at position 7: .*\n$/,
  );
});

test("the bundled catalogue has the large providers", async () => {
  const { code, stdout } = await run([
    "lookup",
    "--json",
    "1.1.1.1",
    "8.8.8.8",
    "17.5.7.8",
    "52.95.110.1",
    "2606:4700::1111",
  ]);
  assert.equal(code, 0);
  const providers = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).providers[0]);
  assert.deepEqual(providers, ["cloudflare", "google", "apple", "aws", "cloudflare"]);
});

test("- reads standard input: a byte order mark, CRLF, empty lines, comments, no last newline; bad lines by number", async () => {
  const input = "\ufeff10.1.2.3\r\n\n# ours\n  2001:db8::/32 # net\nnobody\n10.0.0.1/8\n9.9.9.9";
  const { code, stdout, stderr } = await run(
    ["lookup", "--json", "--snapshot", "list.ipsieve", "10.9.9.9", "-", "10.8.8.8"],
    { cwd: folder.path, input },
  );
  assert.deepEqual(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).ip),
    ["10.9.9.9", "10.1.2.3", "2001:db8::/32", "9.9.9.9", "10.8.8.8"],
  );
  assert.match(
    stderr,
    /^ipsieve: standard input:5: column 1: "nobody": .*\nipsieve: standard input:6: column 10: "10\.0\.0\.1\/8": .* did you mean 10\.0\.0\.0\/8\?\n$/,
  );
  assert.equal(code, 2);
  const card = await run(["lookup", "--snapshot", "list.ipsieve", "-"], { cwd: folder.path, input: "10.1.2.3\n" });
  assert.deepEqual(card, await lookup("10.1.2.3"));
  assert.equal(
    (await run(["lookup", "--snapshot", "list.ipsieve", "-"], { cwd: folder.path, input: "9.9.9.9\n" })).code,
    1,
  );
});

test("- answers each line as it arrives, and ends when the reader closes", async () => {
  const child = start(["lookup", "--json", "--snapshot", "list.ipsieve", "-"], { cwd: folder.path });
  child.stdin!.write("10.1.2.3\n");
  const [first] = (await once(child.stdout!, "data")) as [Buffer];
  assert.equal(JSON.parse(first.toString()).ip, "10.1.2.3");
  child.stdout!.destroy();
  const feeding = setInterval(() => child.stdin!.write("10.1.2.3\n".repeat(1000)), 5);
  const { code, stderr } = await outcomeOf(child);
  clearInterval(feeding);
  assert.deepEqual([code, stderr], [0, ""]);
});

test("an unusable node is an error with the file's name when it is read", async () => {
  const trie = new PrefixTrie();
  trie.add(parsePrefix("192.0.2.0/24"), 1);
  trie.add(parsePrefix("198.51.100.0/24"), 2);
  const metadata = {
    format: 2,
    title: "",
    createdAt: "2026-11-23T00:00:00.000Z",
    sources: [],
    nodes: { texts: "good\nbad,id\n", places: new Uint8Array(Uint32Array.of(0, 0, 0, 0, 1, 1).buffer) },
  };
  const path = join(folder.path, "bad-node.ipsieve");
  await writeSnapshot(path, { table: freeze(trie), metadata, kind: CATALOGUE_KIND, createdAt: new Date(0) });
  const ask = (address: string) => run(["lookup", "--snapshot", path, address]);
  assert.match((await ask("192.0.2.1")).stdout, /good/);
  const { code, stderr } = await ask("198.51.100.1");
  assert.equal(code, 2);
  assert.match(stderr, /^ipsieve: .*bad-node\.ipsieve: .*"bad,id" cannot be the id of a node/);
});
