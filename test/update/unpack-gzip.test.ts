import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { unpackGzip } from "../../src/update/unpack-gzip.ts";

test("gzip up to as many bytes as allowed; other bytes are taken as they are", async () => {
  const text = Buffer.from("192.0.2.0/24\n");
  const packed = gzipSync(text);
  assert.deepEqual(await unpackGzip(packed, text.length), text);
  for (const other of [Buffer.alloc(0), text, Buffer.of(0x1f), Buffer.of(0x1f, 0x8c), Buffer.of(0x1e, 0x8b)])
    assert.equal(await unpackGzip(other, 1), other);
  const message = `it has more than ${text.length - 1} bytes`;
  await assert.rejects(unpackGzip(packed, text.length - 1), { code: "too-large", message });
  for (const bad of [packed.subarray(0, -1), Buffer.of(0x1f, 0x8b)])
    await assert.rejects(unpackGzip(bad, 100), { code: "encoding", message: /^the gzip file cannot be read \(.+\)$/ });
});
