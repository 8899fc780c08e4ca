import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { GuardedPost } from "../../../src/service/webhooks/guarded-post.ts";
import { WebhookReceiver } from "../../api/harness/webhook-receiver.ts";

let receiver: WebhookReceiver;
before(async () => {
  receiver = await WebhookReceiver.start();
});
after(() => receiver.close());

/**
 * Sends to localhost, whose name resolves to these lists of addresses, one list after another; only 127.0.0.1 may be
 * reached.
 */
async function sendTo(...answers: readonly (readonly string[])[]) {
  let asked = 0;
  const resolve = async (): Promise<readonly string[]> => answers[asked++] ?? [];
  const post = new GuardedPost({ allow: [parsePrefix("127.0.0.1")], resolve });
  const before = receiver.received.length;
  try {
    const result = await post.send(receiver.url.replace("127.0.0.1", "localhost"), {}, "{}");
    return { ...result, asked, arrived: receiver.received.length - before };
  } finally {
    await post.close();
  }
}

test("a name that resolves differently at connection time (DNS rebinding) is not connected to", async () => {
  const refused = { status: null, retryAfter: null, asked: 2, arrived: 0 };
  for (const later of [["127.0.0.2"], ["10.0.0.1"], ["::ffff:127.0.0.2"], ["127.0.0.1", "::1"]]) {
    const { error, ...result } = await sendTo(["127.0.0.1"], later);
    assert.deepEqual(result, refused, later.join());
    assert.match(error, /^localhost resolves to an address that is reserved or in a private network/);
    for (const address of later) assert.ok(!error.includes(address), error);
  }
});

test("negative control: a name that resolves to the same address both times is connected to", async () => {
  const result = await sendTo(["127.0.0.1"], ["127.0.0.1"]);
  assert.deepEqual(result, { status: 204, error: "", retryAfter: null, asked: 2, arrived: 1 });
});
