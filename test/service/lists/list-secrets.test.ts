import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { SecretKey } from "../../../src/service/access/secret-key.ts";
import { failureOf } from "../../../src/service/lists/fetch-failure.ts";
import { ListSecrets } from "../../../src/service/lists/list-secrets.ts";
import { UpdateError, type UpdateErrorCode } from "../../../src/update/update-error.ts";

const folder = mkdtempSync(join(tmpdir(), "ipsieve-list-"));
after(() => rmSync(folder, { recursive: true }));

const secrets = new ListSecrets(new SecretKey(join(folder, "key")));
const ABOUT = { organisationId: "o", listId: "l", origin: "https://lists.example" };

test("credentials become a header, only for their list and origin", () => {
  const basic = secrets.seal({ type: "basic", username: "ann", password: "p:w €" }, ABOUT);
  assert.deepEqual(basic.credentials, { type: "basic", name: "ann", origin: ABOUT.origin });
  const authorization = `Basic ${Buffer.from("ann:p:w €").toString("base64")}`;
  assert.deepEqual(secrets.open(basic.secret, ABOUT), { authorization });
  const header = secrets.seal({ type: "header", header: "X-Api-Key", value: "a b" }, ABOUT);
  assert.deepEqual(secrets.open(header.secret, ABOUT), { "x-api-key": "a b" });
  assert.deepEqual(secrets.open(null, ABOUT), {});
  for (const other of [{ origin: "https://lists.example:8443" }, { listId: "m" }])
    assert.deepEqual(secrets.open(basic.secret, { ...ABOUT, ...other }), {});
  assert.throws(() => secrets.open(basic.secret, { ...ABOUT, organisationId: "p" }), { name: "SealError" });
});

test("other headers, and values that would end a header, are rejected without repeating the value", () => {
  for (const header of ["Host", "content-length", "Transfer-Encoding", "If-None-Match", "a b", "x:", "é", ""])
    assert.throws(() => secrets.seal({ type: "header", header, value: "v" }, ABOUT), /credentials\.header/, header);
  for (const value of ["a\r\nX: y", "geheim\n", "é", " a", ""])
    assert.throws(
      () => secrets.seal({ type: "header", header: "X-Key", value }, ABOUT),
      (error) => /credentials\.value/.test(String(error)) && !String(error).includes("geheim"),
    );
  const bad = [
    ["a:b", "c", "username", /colon/],
    ["a\n", "c", "username", /control characters/],
    ["a\ud800", "c", "username", /surrogate/],
    ["a", "c\udc00", "password", /surrogate/],
  ] as const;
  for (const [username, password, field, reason] of bad)
    assert.throws(
      () => secrets.seal({ type: "basic", username, password }, ABOUT),
      (error) => reason.test(String(error)) && String(error).includes(`credentials.${field}`),
    );
});

test("errors reveal nothing about the server's network", () => {
  const codes = ["address-refused", "unreachable", "proxy", "untrusted", "timeout", "too-large"] as const;
  for (const code of [...codes, "redirect", "bad-url", "encoding", "link"] satisfies UpdateErrorCode[]) {
    const failure = failureOf(new UpdateError(code, "connect 10.1.2.3:443 (intranet.example)"));
    assert.ok(!/10\.1|intranet/.test(failure.message), failure.message);
    assert.match(failure.message, /^\w+( \S+){4,}$/, "it says what is wrong");
    const isAsNone = ["address-refused", "proxy", "link"].includes(code);
    assert.equal(failure.code, isAsNone ? "unreachable" : code);
  }
  const told = (code: UpdateErrorCode) => failureOf(new UpdateError(code, ""));
  assert.deepEqual(told("address-refused"), told("unreachable"), "a private address is like none at all");
  assert.deepEqual(told("proxy"), told("unreachable"));
  assert.match(told("status").message, /status unknown$/);
  assert.match(failureOf(new UpdateError("status", "https://a/ responds with status 503")).message, /status 503$/);
});
