import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { Webhook as Receiver } from "standardwebhooks";
import { SealError, SecretKey } from "../../../src/service/access/secret-key.ts";
import { makeSecret, signedHeaders, signingSecrets } from "../../../src/service/webhooks/webhook-secret.ts";
import type { SealedPrevious } from "../../../src/store/records/webhook.ts";
import { temporaryFolder } from "../../cli/run-command.ts";

const folder = temporaryFolder({});
after(() => folder.remove());
const key = new SecretKey(join(folder.path, "key"));

test("while a secret is replaced both sign, the new one first; only the organisation's own can be opened", () => {
  const [old, current] = [makeSecret(key, "o"), makeSecret(key, "o")];
  assert.match(current.text, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(current.text, old.text);
  const bytesOf = ({ text }: typeof old) => Buffer.from(text.slice("whsec_".length), "base64");
  assert.equal(bytesOf(current).length, 32);
  const was = (rotation: number, until: number) => ({ rotation, replacedAt: 1, until, secret: old.sealed });
  const signing = (...previous: SealedPrevious[]) =>
    signingSecrets(key, { organisationId: "o" }, { current: current.sealed, previous }, 1000);
  assert.deepEqual(signing(), [bytesOf(current)]);
  assert.deepEqual(signing(was(1, 1001)), [bytesOf(current), bytesOf(old)]);
  assert.deepEqual(signing(was(1, 1001), was(2, 1000), was(3, 9999)), [current, old, old].map(bytesOf));
  for (const until of [1000, 999]) assert.deepEqual(signing(was(1, until)), [bytesOf(current)]);
  const stolen = { current: makeSecret(key, "p").sealed, previous: [] };
  assert.throws(() => signingSecrets(key, { organisationId: "o" }, stolen, 0), SealError);
});

test("a message is verified by each secret that signed it, by its whole second", () => {
  const secrets = [makeSecret(key, "o"), makeSecret(key, "o")];
  const now = Math.floor(Date.now() / 1000) * 1000 + 999;
  const bytes = secrets.map(({ text }) => Buffer.from(text.slice("whsec_".length), "base64"));
  const headers = signedHeaders("msg_1", now, '{"a":1}', bytes);
  assert.equal(headers["webhook-timestamp"], String((now - 999) / 1000));
  assert.equal(headers["webhook-signature"].split(" ").length, 2);
  for (const { text } of secrets) assert.deepEqual(new Receiver(text).verify('{"a":1}', headers), { a: 1 });
});
