import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { SealError, SecretKey } from "../../../src/service/access/secret-key.ts";
import { ServiceError } from "../../../src/service/service-error.ts";

const folder = mkdtempSync(join(tmpdir(), "ipsieve-key-"));
after(() => rmSync(folder, { recursive: true }));

const PATH = join(folder, "key");
const WHO = "the credentials of lists";

test("sealed texts can be opened only with the same key and purpose, and differ each time", () => {
  const key = new SecretKey(PATH);
  const sealed = key.seal("lists a", WHO, "geheim €");
  assert.equal(new SecretKey(PATH).open("lists a", WHO, sealed), "geheim €");
  assert.notEqual(key.seal("lists a", WHO, "geheim €"), sealed);
  assert.equal(key.open("lists a", WHO, key.seal("lists a", WHO, "")), "");
  assert.ok(!Buffer.from(sealed, "base64url").includes("geheim"));
  assert.equal(statSync(PATH).mode & 0o777, 0o600);
  const otherKey = new SecretKey(join(folder, "other"));
  const bytes = Buffer.from(sealed, "base64url");
  bytes[bytes.length - 1]! ^= 1;
  const opens: readonly (() => string)[] = [
    () => key.open("lists b", WHO, sealed),
    () => otherKey.open("lists a", WHO, sealed),
    () => key.open("lists a", WHO, bytes.toString("base64url")),
    () => key.open("lists a", WHO, sealed.slice(0, 20)),
    () => key.open("lists a", WHO, ""),
  ];
  for (const open of opens) assert.throws(open, SealError);
});

test("without a path, or with a corrupt file: errors with the remedy, and the file stays unchanged", () => {
  assert.throws(
    () => new SecretKey(undefined).derive("x", WHO),
    (error) => error instanceof ServiceError && /lists need; the operator sets --secret-key-file/.test(error.message),
  );
  const damaged = join(folder, "damaged");
  writeFileSync(damaged, "c2hvcnQ\n");
  assert.throws(() => new SecretKey(damaged).derive("x", WHO), /damaged: not a key file of ipsieve.*restore it/);
  assert.equal(readFileSync(damaged, "utf8"), "c2hvcnQ\n");
});

test("the fingerprint of a key file is the one that databases hold", () => {
  const path = join(folder, "known");
  writeFileSync(path, `${Buffer.alloc(32, 1).toString("base64url")}\n`);
  assert.equal(new SecretKey(path).fingerprint(), "FBnygOTEqLv1x4pGm3rOMR");
});
