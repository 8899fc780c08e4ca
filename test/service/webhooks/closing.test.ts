import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addUser, visit } from "../../api/dashboard/browser.ts";
import { WebhookReceiver } from "../../api/harness/webhook-receiver.ts";
import { addKey, addOrganisation, ask, startServer } from "../../api/start-server.ts";
import { until } from "../../until.ts";

test("a closing server finishes the message that it sends, and another one can deliver the next at once", async (c) => {
  const receiver = await WebhookReceiver.start();
  const t = await startServer({ outboundAllow: "127.0.0.0/8" });
  c.after(async () => {
    await t.close();
    await receiver.close();
  });
  const held: ServerResponse[] = [];
  receiver.respond = (response) => void held.push(response);
  const organisation = await addOrganisation(t, "closing");
  const { token } = await addUser(t, organisation, "admin");
  const { text: key } = await addKey(t, organisation);
  const [list] = (await ask(t, "GET", "/v1/edl/ip-rulesets/?purpose=blocklist", { key })).body.items;
  const addRule = (ip: string) => ask(t, "POST", `/v1/edl/ip-rulesets/${list.id}/rules`, { key, body: { ip } });
  await visit(t, "POST", "/webhooks", { token, body: { url: receiver.url, kinds: ["rule.created"] } });
  await addRule("198.51.100.1");
  await until("the first message has arrived", () => held.length === 1);
  await addRule("198.51.100.2");
  assert.equal(await t.server.store.record("lease", "webhooks", "another server", 60_000), false);

  const stopping = t.server.services.events.webhooks.stop();
  await sleep(1); // long enough to give up, if it did not wait
  held[0]!.writeHead(204).end();
  await stopping;
  assert.equal(held.length, 1, "it begins no other message");
  assert.equal(await t.server.store.record("lease", "webhooks", "another server", 60_000), true);
  await t.server.store.record("lease", "webhooks", "another server", 0);

  receiver.respond = (response) => void response.writeHead(204).end();
  await t.restart();
  await until("the second message has arrived", () => receiver.received.some(({ body }) => body.includes("100.2")));
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  assert.equal(new Set(ids).size, 2);
  assert.equal(ids.length, 2, "neither was sent twice");
});
