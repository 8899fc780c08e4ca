import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import type { Received } from "./webhook-receiver.ts";

export interface MessageCounts {
  /** The number of different messages, and how often one was repeated. */
  readonly messages: number;
  readonly repeated: number;
  /** The last event of the feed that they include. */
  readonly last: number;
}

/**
 * Checks what an endpoint for all kinds of events has received: signed, the events after number `after` in order and
 * without a gap, each at least once; a repeated message is the last one, unchanged. O(messages).
 */
export function checkMessages(received: readonly Received[], secret: string, after: number): MessageCounts {
  const verifier = new Webhook(secret);
  let [last, messages] = [after, 0];
  let before: { readonly id: string; readonly body: string } | undefined;
  for (const { body, headers } of received) {
    const id = String(headers["webhook-id"]);
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    assert.equal(headers["webhook-signature"], verifier.sign(id, at, body), `the signature of ${id} is wrong`);
    const { data } = JSON.parse(body) as { data: { sequence: number; url: string } };
    if (before?.id === id) {
      assert.equal(body, before!.body, `message ${id} has changed`);
      continue;
    }
    const first = Number(/after=(\d+)/.exec(data.url)![1]) + 1;
    assert.equal(first, last + 1, `message ${id} begins with event ${first} after event ${last}`);
    [last, before] = [data.sequence, { id, body }];
    messages++;
  }
  return { messages, repeated: received.length - messages, last };
}
