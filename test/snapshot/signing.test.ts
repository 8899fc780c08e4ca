import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SIGNATURE_BYTES } from "../../src/snapshot/format.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { signSnapshot } from "../../src/snapshot/sign-snapshot.ts";
import { parseTrustedKeys } from "../../src/snapshot/signing.ts";
import { SnapshotError } from "../../src/snapshot/snapshot-error.ts";
import { Snapshot } from "../../src/snapshot/snapshot.ts";
import { snapshotFromBytes } from "../../src/snapshot/snapshot-from-bytes.ts";
import { verifySnapshot } from "../../src/snapshot/verify-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { rounds } from "../rounds.ts";
import { keyPair } from "./harness/key-pair.ts";
import { inTemporaryFolder, Random, reseal, sampleContent } from "./harness/sample.ts";

test("a signed file has the content of the unsigned one, opens with and without keys, and can be signed again", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    const [first, second] = [keyPair(), keyPair()];
    await writeSnapshot(path, sampleContent(new Random(3), 400));
    const before = await openSnapshot(path);
    assert.equal(before.signedBy, null);
    let length = before.info.byteLength + SIGNATURE_BYTES;
    for (const { privateKey, publicKey } of [first, second]) {
      const key = await signSnapshot(path, { privateKey });
      const trustedKeys = parseTrustedKeys(first.publicKey + second.publicKey, "keys");
      await verifySnapshot(path, { trustedKeys });
      const signed = await openSnapshot(path, { trustedKeys });
      assert.deepEqual(signed.signedBy, key);
      assert.deepEqual(key, rawKey(publicKey));
      assert.equal(signed.info.byteLength, length);
      assert.notEqual(signed.info.generation, before.info.generation);
      for (const opened of [signed, Snapshot.attach(signed.shared), snapshotFromBytes(await readFile(path))]) {
        assert.deepEqual(opened.metadata, before.metadata);
        assert.deepEqual(opened.info.createdAt, before.info.createdAt);
        assert.deepEqual([...opened.table.entries(4)], [...before.table.entries(4)]);
        assert.deepEqual([...opened.table.entries(6)], [...before.table.entries(6)]);
        assert.deepEqual(opened.signedBy, key);
      }
    }
  }));

/** The last 32 bytes of a key in the form of RFC 8410. */
function rawKey(publicKey: string): Uint8Array {
  return Uint8Array.from(createPublicKey(publicKey).export({ type: "spki", format: "der" }).subarray(-32));
}

test("the signature follows the documented format, checked without our code", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    const { privateKey, publicKey } = keyPair();
    await writeSnapshot(path, sampleContent(new Random(4)));
    await signSnapshot(path, { privateKey });
    const file = await readFile(path);
    const [contents, block] = [file.subarray(0, -128), file.subarray(-128)];
    assert.equal(block.toString("latin1", 0, 16), "ipsieve-ed25519\0");
    const message = Buffer.concat([
      Buffer.from("ipsieve snapshot signature 1\n"),
      createHash("sha256").update(contents).digest(),
    ]);
    assert.ok(verify(null, message, createPublicKey(publicKey), block.subarray(48, 112)));
    assert.deepEqual(Uint8Array.from(block.subarray(16, 48)), rawKey(publicKey));
  }));

test("no change of a signed file is accepted with its key, even with corrected checksums", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    const random = new Random(5);
    const { privateKey, publicKey } = keyPair();
    const trustedKeys = parseTrustedKeys(publicKey, "key");
    await writeSnapshot(path, sampleContent(random));
    await signSnapshot(path, { privateKey });
    const file = await readFile(path);
    const codes: Record<string, number> = {};
    const count = rounds({ short: 300, long: 5000 });
    for (let i = 0; i < count; i++) {
      const forged = Buffer.from(file);
      const from = random.below(file.length - SIGNATURE_BYTES);
      forged[from]! ^= 1 + random.below(255);
      reseal(forged);
      const changed = !forged.equals(file);
      await writeFile(path, forged);
      const code = await openSnapshot(path, { trustedKeys }).then(
        () => "opened",
        (error: unknown) => (error instanceof SnapshotError ? error.code : String(error)),
      );
      assert.equal(code === "opened", !changed, `byte ${from}: ${code}`);
      codes[code] = (codes[code] ?? 0) + 1;
    }
    console.log(`${count} forged files: ${JSON.stringify(codes)}`);
    assert.ok(codes["bad-signature"]! > count / 2, "most pass all checksums, so that the signature alone refuses them");
  }));

test("a file that cannot be written or read stays unchanged", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    const { privateKey } = keyPair();
    await writeSnapshot(path, sampleContent(new Random(6)));
    const before = await readFile(path);
    await assert.rejects(signSnapshot(path, { privateKey, output: join(folder, "none", "signed") }), {
      code: "unwritable",
    });
    await assert.rejects(signSnapshot(join(folder, "absent"), { privateKey }), { code: "not-found" });
    assert.deepEqual(await readFile(path), before);
  }));
