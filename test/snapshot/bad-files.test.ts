import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, open, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { parsePrefix } from "../../src/address/prefix.ts";
import { FORMAT_VERSION, HEADER, sealHead, SIGNATURE_BYTES, SIGNED_VERSION } from "../../src/snapshot/format.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { snapshotFromBytes } from "../../src/snapshot/snapshot-from-bytes.ts";
import { Snapshot } from "../../src/snapshot/snapshot.ts";
import { signSnapshot } from "../../src/snapshot/sign-snapshot.ts";
import { parseTrustedKeys } from "../../src/snapshot/signing.ts";
import { SnapshotError, type SnapshotErrorCode } from "../../src/snapshot/snapshot-error.ts";
import { verifySnapshot } from "../../src/snapshot/verify-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import {
  HEADER_LAYOUT_VERSION,
  NODE_BITMAP,
  NODE_HASHED,
  NODE_LIST,
  NODE_POINTS,
  NODE_TREE,
  NODE_WIDE,
} from "../../src/table/layout.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import {
  BAD_SNAPSHOTS,
  type BadSnapshot,
  hashedTable,
  pointsTable,
  withSection,
  withTable,
} from "../corpus/snapshots.ts";
import { nodeLevels } from "../table/node-kinds.ts";
import { keyPair, rsaKeyPair } from "./harness/key-pair.ts";
import { inTemporaryFolder, Random, reseal, sampleContent } from "./harness/sample.ts";

/** Every documented error code, and how often a bad file was rejected with it: none may stay at 0. */
const seen: Record<SnapshotErrorCode, number> = {
  "not-found": 0,
  unreadable: 0,
  "not-a-file": 0,
  "not-a-snapshot": 0,
  "text-mode": 0,
  truncated: 0,
  extended: 0,
  "foreign-byte-order": 0,
  "unsupported-version": 0,
  "header-checksum": 0,
  "bad-header": 0,
  "section-table-checksum": 0,
  "bad-section-table": 0,
  "too-large": 0,
  "changed-while-reading": 0,
  "gap-not-zero": 0,
  "section-checksum": 0,
  "not-signed": 0,
  "bad-signature": 0,
  "untrusted-key": 0,
  "bad-key": 0,
  "bad-table": 0,
  "bad-metadata": 0,
  "invalid-content": 0,
  unwritable: 0,
};

let good: Buffer;
before(async () => {
  good = await inTemporaryFolder(async (folder) => {
    await writeSnapshot(join(folder, "good"), sampleContent(new Random(7)));
    return readFile(join(folder, "good"));
  });
});

async function refuses(path: string, code: SnapshotErrorCode, run: () => Promise<unknown>): Promise<SnapshotError> {
  const error = await run().then(
    () => assert.fail(`${path} was not refused`),
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof SnapshotError, `an untyped error: ${String(error)}`);
  assert.equal(error.code, code, error.message);
  assert.ok(error.message.startsWith(`${path}: `), error.message);
  seen[code]++;
  return error;
}

async function check(bad: BadSnapshot, path: string): Promise<SnapshotError> {
  if (bad.stage === "open") return refuses(path, bad.code, () => openSnapshot(path));
  const snapshot = await openSnapshot(path);
  if (bad.stage === "metadata") await refuses(path, bad.code, async () => snapshot.metadata);
  return refuses(path, bad.code, () => verifySnapshot(path));
}

/** The message with which the bytes of a file are rejected, either at once or when their metadata is read. */
function rejectionOfBytes(bytes: Uint8Array, name: string): string {
  try {
    return `accepted: ${JSON.stringify(snapshotFromBytes(bytes, name).metadata)}`;
  } catch (error) {
    assert.ok(error instanceof SnapshotError, `an untyped error: ${String(error)}`);
    return error.message;
  }
}

test("the good file that the bad ones are made from is accepted", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    await writeFile(path, withSection(good, "metadata", Uint8Array.of(0xc3)));
    await verifySnapshot(path);
    assert.equal((await openSnapshot(path)).metadata, true);
  }));

test("the good files with points and with hashed nodes, from which bad ones are made, are accepted", () =>
  inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, "points"), withTable(good, pointsTable()));
    await verifySnapshot(join(folder, "points"));
    await writeFile(join(folder, "hashed"), withTable(good, hashedTable()));
    await verifySnapshot(join(folder, "hashed"));
  }));

test("a file of table layout 3, which has points and no hashed nodes, opens and verifies", () =>
  inTemporaryFolder(async (folder) => {
    const table = pointsTable();
    const kinds = ([4, 6] as const).flatMap((family) => nodeLevels(table, family).flat());
    assert.ok(kinds.some(({ kind }) => kind === NODE_POINTS) && !kinds.some(({ kind }) => kind === NODE_HASHED));
    new Int32Array(table.buffer, table.sections.header.byteOffset)[HEADER_LAYOUT_VERSION] = 3;
    await writeFile(join(folder, "layout-3"), withTable(good, table));
    await verifySnapshot(join(folder, "layout-3"));
  }));

test("a file of table layout 2, which has no points, opens, verifies and yields the same matches", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "layout-2");
    const trie = new PrefixTrie();
    // A bitmap, a list, a tree and a wide node.
    const add = (text: string, value: number): void => void trie.add(parsePrefix(text), value);
    for (let i = 0; i < 12; i++) add(`10.${i * 8}.0.0/14`, 1 + (i % 2));
    add("10.0.0.0/8", 3);
    for (let i = 0; i < 6; i++) add(`172.${i * 5}.${i * 16}.0/${i % 2 === 0 ? 20 : 24}`, 1);
    for (let i = 0; i < 40; i++) add(`173.${i * 5}.${(i % 16) * 16}.0/${i % 2 === 0 ? 20 : 24}`, 1);
    for (let i = 0; i < 700; i++) add(`3000:${(i * 2).toString(16)}::/32`, 1);
    const table = freeze(trie);
    const kinds = new Set(
      ([4, 6] as const).flatMap((family) =>
        nodeLevels(table, family)
          .flat()
          .map(({ kind }) => kind),
      ),
    );
    assert.deepEqual([...kinds].toSorted(), [NODE_BITMAP, NODE_LIST, NODE_TREE, NODE_WIDE]);
    new Int32Array(table.buffer, table.sections.header.byteOffset)[HEADER_LAYOUT_VERSION] = 2;
    await writeFile(path, withTable(good, table));
    await verifySnapshot(path);
    const opened = (await openSnapshot(path)).table;
    for (const { prefix } of trie) {
      const { family, w0, w1, w2, w3 } = prefix;
      const match = family === 4 ? table.lookup4(w0) : table.lookup6(w0, w1, w2, w3);
      assert.ok(match > 0);
      assert.equal(family === 4 ? opened.lookup4(w0) : opened.lookup6(w0, w1, w2, w3), match);
    }
  }));

for (const bad of BAD_SNAPSHOTS) {
  test(`rejected: ${bad.name} (${bad.code}, ${bad.stage})`, () =>
    inTemporaryFolder(async (folder) => {
      const path = join(folder, "snapshot");
      const copy = Buffer.from(good);
      const bytes = bad.corrupt(copy) ?? copy;
      await writeFile(path, bytes);
      const error = await check(bad, path);
      if (bad.stage !== "verify") assert.equal(rejectionOfBytes(bytes, path), error.message);
      assert.equal(error.section, bad.section);
      assert.ok(error.message.includes(bad.reason ?? ""), error.message);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    }));
}

/** A signed file made from the good one, and two key pairs as text. */
async function signedSample(folder: string) {
  const [own, foreign] = [keyPair(), keyPair()];
  const path = join(folder, "signed");
  await writeFile(path, good);
  await signSnapshot(path, { privateKey: own.privateKey });
  return { path, file: await readFile(path), own, foreign, trustedKeys: parseTrustedKeys(own.publicKey, "own.pub") };
}

test("rejected with trusted keys: an unsigned file, one signed with another key, a changed one", () =>
  inTemporaryFolder(async (folder) => {
    const { path, file, foreign, trustedKeys } = await signedSample(folder);
    await verifySnapshot(path, { trustedKeys });
    const other = parseTrustedKeys(foreign.publicKey, "foreign.pub");
    await refuses(path, "untrusted-key", () => openSnapshot(path, { trustedKeys: other }));
    await writeFile(path, good);
    await refuses(path, "not-signed", () => openSnapshot(path, { trustedKeys }));
    // The metadata of another file, with correct checksums.
    const forged = Buffer.from(file);
    forged[forged.length - SIGNATURE_BYTES - 1]! ^= 1;
    reseal(forged);
    await writeFile(path, forged);
    await openSnapshot(path);
    await refuses(path, "bad-signature", () => openSnapshot(path, { trustedKeys }));
  }));

test("rejected: a signature that was changed, truncated, or of another kind", () =>
  inTemporaryFolder(async (folder) => {
    const { path, file } = await signedSample(folder);
    const rejects = async (code: SnapshotErrorCode, bytes: Uint8Array): Promise<void> => {
      await writeFile(path, bytes);
      const error = await refuses(path, code, () => openSnapshot(path));
      assert.equal(rejectionOfBytes(bytes, path), error.message);
    };
    await rejects("truncated", file.subarray(0, -SIGNATURE_BYTES));
    for (let at = file.length - SIGNATURE_BYTES; at < file.length; at++) {
      const changed = Buffer.from(file);
      changed[at]! ^= 1 << (at % 8);
      await rejects("section-checksum", changed);
    }
    for (const at of [0, 112]) {
      const changed = Buffer.from(file);
      const block = changed.subarray(-SIGNATURE_BYTES);
      block[at]! ^= 1;
      block.writeUInt32LE(crc32(block.subarray(0, 124)), 124);
      await rejects("bad-signature", changed);
    }
    // An unsigned file that claims to be signed, and the reverse.
    const [claimed, denied] = [Buffer.from(good), Buffer.from(file)];
    claimed.writeUInt32LE(SIGNED_VERSION, HEADER.version);
    denied.writeUInt32LE(FORMAT_VERSION, HEADER.version);
    for (const bytes of [claimed, denied]) {
      sealHead(bytes);
      await rejects("bad-section-table", bytes);
    }
  }));

test("rejected: malformed keys, private keys for checking, and keys of other algorithms", async () => {
  const { privateKey, publicKey } = keyPair();
  const rsa = rsaKeyPair();
  const broken = publicKey.replace(/\n.{8}/, "\nAAAAAAAA");
  for (const text of ["", "none", privateKey, publicKey + privateKey, rsa.publicKey, broken])
    await refuses("keys.pem", "bad-key", async () => parseTrustedKeys(text, "keys.pem"));
  for (const text of ["", publicKey, rsa.privateKey])
    await refuses("key.pem", "bad-key", () => signSnapshot("none", { privateKey: text, name: "key.pem" }));
});

test("rejected: a path without a file", () =>
  inTemporaryFolder(async (folder) => {
    await refuses(join(folder, "none"), "not-found", () => openSnapshot(join(folder, "none")));
    await writeFile(join(folder, "file"), "");
    await refuses(join(folder, "file", "below"), "not-found", () => openSnapshot(join(folder, "file", "below")));
  }));

test("rejected: a folder and a named pipe, without waiting for a writer", () =>
  inTemporaryFolder(async (folder) => {
    await refuses(folder, "not-a-file", () => openSnapshot(folder));
    if (process.platform === "win32") return;
    execFileSync("mkfifo", [join(folder, "pipe")]);
    await refuses(join(folder, "pipe"), "not-a-file", () => openSnapshot(join(folder, "pipe")));
  }));

test("rejected: a path that the system cannot open", () =>
  inTemporaryFolder(async (folder) => {
    await symlink("loop", join(folder, "loop"));
    const error = await refuses(join(folder, "loop"), "unreadable", () => openSnapshot(join(folder, "loop")));
    assert.match(error.message, /ELOOP/);
  }));

test("rejected: a file of 8 TiB according to its header", () =>
  inTemporaryFolder(async (folder) => {
    const huge = 2 ** 43;
    const head = Buffer.from(good);
    // Its metadata takes all the rest, so that the section table is consistent.
    const metadata = HEADER.size + 10 * 40;
    head.writeBigUInt64LE(BigInt(huge), HEADER.byteLength);
    head.writeBigUInt64LE(BigInt(huge) - head.readBigUInt64LE(metadata + 24), metadata + 32);
    sealHead(head);
    await writeFile(join(folder, "huge"), head);
    await truncate(join(folder, "huge"), huge);
    await refuses(join(folder, "huge"), "too-large", () => openSnapshot(join(folder, "huge")));
  }));

test("rejected: a file that shrinks while it is read", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    const large = withSection(good, "metadata", new Uint8Array(16 << 20).fill(0xc0));
    const codes = new Map<string, number>();
    // Whether the cut comes too early, in time or too late is down to chance: repeat until it comes in time.
    for (let ticks = 0; ticks < 2000 && !codes.has("changed-while-reading"); ticks++) {
      await writeFile(path, large);
      const opening = openSnapshot(path).then(
        () => "opened",
        (error: unknown) => (error instanceof SnapshotError ? error.code : String(error)),
      );
      for (let i = 0; i < ticks % 40; i++) await setImmediate();
      await truncate(path, 600);
      const outcome = await opening;
      codes.set(outcome, (codes.get(outcome) ?? 0) + 1);
    }
    assert.ok(
      [...codes.keys()].every((code) => ["opened", "truncated", "changed-while-reading"].includes(code)),
      [...codes.keys()].join(),
    );
    assert.ok(codes.has("changed-while-reading"));
    seen["changed-while-reading"]++;
  }));

test("rejected: a buffer without a snapshot", () => {
  assert.throws(
    () => Snapshot.attach(new SharedArrayBuffer(1000)),
    (error) => error instanceof SnapshotError && error.code === "not-a-snapshot",
  );
});

for (const [what, change, message] of [
  ["an empty kind", { kind: "" }, /kind/],
  ["a kind of 21 letters", { kind: "a".repeat(21) }, /kind/],
  ["a kind with a capital", { kind: "Catalogue" }, /kind/],
  ["an invalid date", { createdAt: new Date(Number.NaN) }, /date/],
  ["a date before 1970", { createdAt: new Date(-1) }, /date/],
  ["a date in the metadata", { metadata: { at: new Date() } }, /date must be given as text/],
  ["a key __proto__", { metadata: JSON.parse('{"__proto__": 1}') }, /__proto__/],
  ["an integer of 65 bits", { metadata: 2n ** 65n }, /metadata/],
  ["metadata 100 deep", { metadata: JSON.parse("[".repeat(100) + "]".repeat(100)) }, /deep/],
  ["metadata that holds itself", { metadata: itself() }, /metadata/],
] as const) {
  test(`not written: ${what}`, () =>
    inTemporaryFolder(async (folder) => {
      const path = join(folder, "snapshot");
      const error = await refuses(path, "invalid-content", () =>
        writeSnapshot(path, { ...sampleContent(new Random(1)), ...change }),
      );
      assert.match(error.message, message);
      assert.deepEqual(await readdir(folder), []);
    }));
}

function itself(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

test("not written: into a missing folder, over a folder, under a name that is too long", () =>
  inTemporaryFolder(async (folder) => {
    await mkdir(join(folder, "taken"));
    await (await open(join(folder, "taken", "inside"), "w")).close();
    for (const name of ["none/snapshot", "taken", "n".repeat(300)]) {
      const error = await refuses(join(folder, name), "unwritable", () =>
        writeSnapshot(join(folder, name), sampleContent(new Random(1))),
      );
      assert.ok(error.cause instanceof Error);
    }
    assert.deepEqual(await readdir(folder), ["taken"]);
  }));

test("not written: over a named pipe, which stays one", () =>
  inTemporaryFolder(async (folder) => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const error = await refuses(pipe, "unwritable", () => writeSnapshot(pipe, sampleContent(new Random(1))));
    assert.match(error.message, /device, pipe or socket.*name a file/);
    assert.ok((await stat(pipe)).isFIFO());
    assert.deepEqual(await readdir(folder), ["pipe"]);
  }));

test("a published file keeps the permissions of the one it replaces", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    await writeFile(path, "old", { mode: 0o600 });
    await writeSnapshot(path, sampleContent(new Random(1)));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  }));

test("each code of the catalogue has a bad file", () => {
  const never = Object.entries(seen).filter(([, count]) => count === 0);
  assert.deepEqual(never, []);
});
