import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { join } from "node:path";
import { after, test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { SecretKey } from "../../../src/service/access/secret-key.ts";
import {
  canBeDivided,
  type FeedFile,
  fileName,
  filesOf,
  largestFile,
  makeFile,
  mediaTypeOf,
  partsOf,
  readFileName,
  unprocessableOf,
} from "../../../src/service/deployments/feed-files.ts";
import { FeedTokens } from "../../../src/service/deployments/feed-tokens.ts";
import { writingList } from "../../../src/service/sources/list-text.ts";
import type { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import type { Deployment, DeploymentDefinition } from "../../../src/store/records/deployment.ts";
import { inSlices } from "../../../src/turns/in-slices.ts";
import { temporaryFolder } from "../../cli/run-command.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const ID = "9b2f7c1e-8f1d-4c55-9a77-0f2e6b1c3d4e";
const file = (
  part: FeedFile["part"],
  chunk: number | null = null,
  checksum: FeedFile["checksum"] = null,
): FeedFile => ({
  part,
  chunk,
  checksum,
});
const named = (format: string, changes: Partial<DeploymentDefinition> = {}) => ({
  id: ID,
  definition: definitionOf({ firewall_format: format, ...changes }),
});

test("the names of files: part, number and the extension of the format; each is read back, and no other is", () => {
  for (const [format, chunks, each, name] of [
    ["text", 1, file("combined"), "combined.txt"],
    ["text", 1, file("ipv4", null, "md5"), "ipv4.txt.md5"],
    ["text", 1, file("ipv6", null, "sha256"), "ipv6.txt.sha256"],
    ["text", 2, file("combined", 0), "combined-001.txt"],
    ["text", 200, file("ipv6", 99, "sha256"), "ipv6-100.txt.sha256"],
    ["csv", 1, file("combined"), "combined.csv"],
    ["json", 1, file("combined"), "combined.json"],
    ["rpz", 1, file("combined"), "combined.zone"],
    ["trie", 1, file("combined"), "combined.bin"],
    ["aws-waf", 1, file("ipv4"), "ipv4.json"],
    ["aws-waf", 1, file("unprocessable"), "unprocessable.txt"],
    ["aws-waf", 4, file("unprocessable", null, "md5"), "unprocessable.txt.md5"],
    ["misp", 1, file("manifest"), "manifest.json"],
    ["misp", 1, file("hashes", null, "sha256"), "hashes.csv.sha256"],
  ] as const) {
    assert.equal(fileName(each, named(format)), name);
    assert.deepEqual(readFileName(name, named(format), chunks), each, name);
  }
  for (const [format, chunks, name] of [
    ["text", 1, "combined-001.txt"],
    ["text", 2, "combined.txt"],
    ["text", 2, "combined-000.txt"],
    ["text", 2, "combined-003.txt"],
    ["text", 2, "combined-01.txt"],
    ["text", 1, "combined.csv"],
    ["text", 1, "combined.txt.sha1"],
    ["text", 1, "xcombined.txt"],
    ["text", 1, "combined.txt.md5x"],
    ["text", 1, "manifest.json"],
    ["aws-waf", 1, "combined.json"],
    ["aws-waf", 4, "unprocessable-001.txt"],
    ["misp", 1, "combined.json"],
    ["misp", 1, "unprocessable.txt"],
  ] as const)
    assert.equal(readFileName(name, named(format), chunks), undefined, `${format} ${name}`);
  const timed = named("ipset", { options: { timeouts: true } });
  assert.deepEqual(readFileName("ipv4.txt", timed, 1), file("ipv4"));
  assert.equal(readFileName("ipv4.txt.md5", timed, 1), undefined, "its bytes differ from second to second");
  assert.deepEqual(readFileName("ipv4.txt.md5", named("ipset"), 1), file("ipv4", null, "md5"));
});

test("the parts, pieces and media types of a list depend on its format", () => {
  const partsIn = (format: string) => partsOf(named(format).definition);
  assert.deepEqual(partsIn("text"), ["combined", "ipv4", "ipv6"]);
  assert.deepEqual(partsIn("aws-waf"), ["ipv4", "ipv6"]);
  assert.deepEqual(partsIn("misp"), ["manifest", "hashes", "combined"]);
  assert.deepEqual(filesOf("ipv4", 1), [file("ipv4")]);
  assert.deepEqual(filesOf("ipv4", 2), [file("ipv4", 0), file("ipv4", 1)]);
  assert.deepEqual([filesOf("manifest", 2), filesOf("hashes", 2)], [[file("manifest")], [file("hashes")]]);
  const typeOf = (format: string, each: FeedFile) => mediaTypeOf(each, named(format).definition);
  assert.deepEqual(
    [typeOf("json", file("combined")), typeOf("json", file("combined", null, "md5"))],
    ["application/json", "text/plain"],
  );
  assert.deepEqual([typeOf("json", file("unprocessable")), typeOf("misp", file("hashes"))], ["text/plain", "text/csv"]);
  assert.deepEqual((["text", "csv", "misp", "ipset", "rpz", "trie"] as const).map(canBeDivided), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

const ALL = ["20.0.0.0/24", "20.0.1.7", "2001:db8::/32"];
const textOf = (...texts: string[]) =>
  inSlices(writingList((family) => texts.map((text) => parsePrefix(text)).filter((each) => each.family === family)));

test("files have the entries of their families, those of their piece, and checksums of their bytes", async () => {
  const text = await textOf(...ALL);
  const make = async (each: FeedFile, changes: Partial<DeploymentDefinition> = {}, chunks = 1) =>
    String(await makeFile({ name: "edge", ...named("text", changes) }, text, each, chunks));
  const lines = (...texts: string[]) => texts.map((line) => `${line}\n`).join("");
  assert.equal(await make(file("combined")), lines(...ALL));
  assert.equal(await make(file("ipv4")), lines(...ALL.slice(0, 2)));
  assert.equal(await make(file("ipv6")), lines(ALL[2]!));
  const digest = hash("sha256", lines(ALL[2]!));
  assert.equal(await make(file("ipv6", null, "sha256")), `${digest}  ipv6.txt\n`);
  const pieces = await Promise.all([0, 1, 2, 3].map((chunk) => make(file("combined", chunk), {}, 4)));
  assert.deepEqual(pieces.join("").trim().split("\n").toSorted(), ALL.toSorted());
  assert.ok((await make(file("combined"), { options: { comments: true } })).includes("edge"));
  // A format with a name for each entry has the deployment's, if it is to have comments, in pieces as well.
  for (const [chunk, chunks] of [
    [null, 1],
    [0, 1],
  ] as const)
    for (const comments of [true, false]) {
      const named = await make(file("ipv4", chunk), { firewall_format: "csv", options: { comments } }, chunks);
      assert.equal(named.split("edge").length - 1, comments ? 2 : 0, named);
    }
  const ofIpv4 = { firewall_format: "azure-ip-group" };
  assert.equal(await make(file("unprocessable"), ofIpv4), lines(ALL[2]!));
  assert.ok(!(await make(file("combined"), ofIpv4)).includes("2001:db8"));
  assert.deepEqual(await unprocessableOf({ name: "edge", ...named("text") }, text), []);
});

test("the largest file: by entries of a piece, and by bytes if they are needed", async () => {
  const text = await textOf(...ALL);
  const largest = (chunks: number, isBytesNeeded: boolean, format = "text") =>
    largestFile({ name: "edge", ...named(format) }, text, { chunks, entries: 3, isBytesNeeded });
  assert.deepEqual(await largest(1, false), { entries: 3, bytes: 0 });
  assert.deepEqual(await largest(1, true), { entries: 3, bytes: ALL.join("\n").length + 1 });
  const divided = await largest(4, true);
  assert.ok(divided.entries < 3 && divided.bytes < ALL.join("\n").length, JSON.stringify(divided));
  const trie = await largest(1, false, "trie");
  const whole = await makeFile({ name: "edge", ...named("trie") }, text, file("combined"), 1);
  assert.deepEqual(trie, { entries: 3, bytes: whole.length });
});

const before = (until: number) => [{ rotation: 1, replacedAt: 1, until }];
const folder = temporaryFolder({});
after(() => folder.remove());

test("a token opens its deployment as long as its rotation is valid, on every server with the key file", () => {
  const deployment = {
    id: ID,
    organisationId: "o",
    rotation: 2,
    previous: before(500),
    deletedAt: null,
  } as unknown as Deployment;
  const memory = { deploymentById: (id: string) => (id === ID ? deployment : undefined) } as unknown as ServiceMemory;
  const tokensOf = (name: string) => new FeedTokens(new SecretKey(join(folder.path, name)), memory);
  const [tokens, same, other] = [tokensOf("key"), tokensOf("key"), tokensOf("other")];
  const current = tokens.tokenOf(deployment);
  const previous = tokens.tokenOf({ ...deployment, rotation: 1 });
  assert.match(current, /^ipf_[\w-]{56}$/);
  assert.equal(same.tokenOf(deployment), current);
  assert.notEqual(other.tokenOf(deployment), current);
  assert.notEqual(tokens.tokenOf({ ...deployment, organisationId: "p", rotation: 3 }), current);
  for (const each of [tokens, same]) {
    assert.equal(each.find(current, 500), deployment);
    assert.deepEqual([each.find(previous, 499), each.find(previous, 500)], [deployment, undefined]);
  }
  const unknown = tokens.tokenOf({ ...deployment, id: ID.replace("9b", "9c") });
  const last = current.at(-1) === "A" ? "B" : "A";
  for (const text of [unknown, other.tokenOf(deployment), "", `${current}A`, current.slice(0, -1), current.slice(1)])
    assert.equal(tokens.find(text, 0), undefined);
  assert.equal(tokens.find(current.slice(0, -1) + last, 0), undefined, "one character");
  assert.equal(tokens.endOf(current, deployment), Infinity);
  assert.equal(tokens.endOf(previous, deployment), 500);
  assert.equal(tokens.endOf(previous, { ...deployment, previous: [] }), 0);
});
