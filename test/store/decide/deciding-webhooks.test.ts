import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  AnnounceKeyCommand,
  AnnounceSilenceCommand,
  CreateWebhookCommand,
  RotateWebhookCommand,
  StopWebhookCommand,
  UpdateWebhookCommand,
} from "../../../src/store/command.ts";
import { announceKey, announceSilence } from "../../../src/store/decide/_announcements.ts";
import {
  createWebhook,
  deleteWebhook,
  rotateWebhook,
  stopWebhook,
  updateWebhook,
} from "../../../src/store/decide/_webhooks.ts";
import { type Deployment, silenceOf } from "../../../src/store/records/deployment.ts";
import type { SealedPrevious, Webhook, WebhookProgress } from "../../../src/store/records/webhook.ts";
import type { ApiKey } from "../../../src/store/records/credential.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const NOW = Date.UTC(2026, 10, 27);
const DAY = 86_400_000;
const BY = { actor: "user:test", organisationId: "o", at: NOW };
const DEFINITION = { url: "https://example.org/", description: "", kinds: ["rule.created"], active: true } as const;
const ABOUT = { id: "w", organisationId: "o", stopped: null, rotation: 1, previous: [] };
const WEBHOOK: Webhook = { ...DEFINITION, ...ABOUT, createdAt: 1, updatedAt: 2 };
const PROGRESS: WebhookProgress = {
  webhookId: "w",
  cursor: 5,
  attempts: 3,
  nextAt: 9,
  failingSince: 8,
  lastAttemptAt: 7,
  lastSuccessAt: 6,
  givenUp: 4,
};
const KNOWN = { webhook: WEBHOOK, secrets: { current: "now", previous: [] }, progress: PROGRESS, sequence: 11 };

test("a new endpoint gets the events from now on, and there is room for as many as the limit says", () => {
  const command = { ...BY, kind: "create-webhook", definition: DEFINITION, secret: "sealed" } as CreateWebhookCommand;
  const { outcome, writes, changes } = createWebhook(command, { count: 1, max: 2, sequence: 11 }, () => "w");
  const webhook = { ...WEBHOOK, createdAt: NOW, updatedAt: NOW };
  const fresh = { attempts: 0, nextAt: null, failingSince: null, lastAttemptAt: null, lastSuccessAt: null, givenUp: 0 };
  assert.deepEqual([outcome, changes], [{ webhook }, [{ change: { kind: "webhook", webhook } }]]);
  assert.deepEqual(writes, [
    { insert: "webhook", webhook, secrets: { current: "sealed", previous: [] } },
    { save: "webhook-progress", progress: { webhookId: "w", cursor: 11, ...fresh } },
  ]);
  assert.throws(() => createWebhook(command, { count: 2, max: 2, sequence: 11 }, () => "w"), {
    code: "too-many-webhooks",
    message: /at most 2 webhook endpoints/,
  });
});

test("an endpoint that is started again goes on with what it missed, or without; another change moves nothing", () => {
  const update = (command: object, webhook: Partial<Webhook> = {}) =>
    updateWebhook({ ...BY, definition: {}, ...command } as UpdateWebhookCommand, {
      ...KNOWN,
      webhook: { ...WEBHOOK, ...webhook },
    });
  for (const same of [{}, { definition: { active: true } }, { definition: { url: DEFINITION.url } }])
    assert.deepEqual(update(same), { outcome: { webhook: WEBHOOK }, changes: [] });
  const moved = update({ definition: { url: "https://example.org/b" } });
  const webhook = { ...WEBHOOK, url: "https://example.org/b", updatedAt: NOW };
  assert.deepEqual(moved, {
    outcome: { webhook },
    changes: [{ change: { kind: "webhook", webhook }, old: WEBHOOK }],
    writes: [{ save: "webhook", webhook }],
  });
  const stopped = { stopped: { at: 3, reason: "gone" } } as const;
  const kept = update({ definition: { description: "x" } }, stopped);
  assert.deepEqual((kept.outcome as { webhook: Webhook }).webhook.stopped, stopped.stopped);
  assert.equal(kept.writes!.length, 1);
  const next = { ...PROGRESS, attempts: 0, nextAt: null, failingSince: null };
  for (const before of [stopped, { active: false }] as const)
    for (const [missed, cursor] of [
      [undefined, 5],
      ["resume", 5],
      ["skip", 11],
    ] as const) {
      const { outcome, writes } = update({ definition: { active: true }, missed }, before);
      assert.deepEqual((outcome as { webhook: Webhook }).webhook, { ...WEBHOOK, updatedAt: NOW });
      assert.deepEqual(writes![1], { save: "webhook-progress", progress: { ...next, cursor } });
    }
});

test("a rotated secret also signs until its grace time ends, and those before it until theirs; without one, all end", () => {
  const was = (rotation: number, until: number) => ({ rotation, replacedAt: 1, until });
  const sealed = (rotation: number, until: number) => ({ ...was(rotation, until), secret: `sealed-${rotation}` });
  const rotate = (graceUntil: number, previous: SealedPrevious[] = [sealed(1, NOW), sealed(2, NOW + 9)]) =>
    rotateWebhook({ ...BY, secret: "new", graceUntil } as RotateWebhookCommand, {
      ...KNOWN,
      webhook: { ...WEBHOOK, rotation: 3 },
      secrets: { current: "now", previous },
    });
  const last = { rotation: 3, replacedAt: NOW, until: NOW + 1 };
  const webhook = { ...WEBHOOK, rotation: 4, previous: [was(2, NOW + 9), last], updatedAt: NOW };
  const secrets = { current: "new", previous: [sealed(2, NOW + 9), { ...last, secret: "now" }] };
  assert.deepEqual(rotate(NOW + 1), {
    outcome: { webhook },
    changes: [{ change: { kind: "webhook", webhook }, old: { ...WEBHOOK, rotation: 3 } }],
    writes: [{ save: "webhook", webhook, secrets }],
  });
  assert.deepEqual((rotate(NOW).writes![0] as { secrets: unknown }).secrets, { current: "new", previous: [] });
  const full = Array.from({ length: 10 }, (_, index) => sealed(index, NOW + 20 - index));
  const first = new Date(NOW + 11).toISOString();
  assert.throws(() => rotate(NOW + 1, full), { code: "too-many-rotations", message: new RegExp(`ends at ${first}`) });
  assert.deepEqual(rotate(NOW, full).writes, rotate(NOW).writes, "all of them can be ended nevertheless");
  assert.equal((rotate(NOW + 1, [...full.slice(1), sealed(1, NOW)]).outcome as any).webhook.previous.length, 10);
});

test("a server stops an endpoint that is as the server saw it, and no other; a deleted one is gone", () => {
  const stop = (webhook: Partial<Webhook> = {}, seen = 2) =>
    stopWebhook({ ...BY, reason: "gone", seen } as StopWebhookCommand, {
      ...KNOWN,
      webhook: { ...WEBHOOK, ...webhook },
    }).changes.length;
  const { outcome } = stopWebhook({ ...BY, reason: "gone", seen: 2 } as StopWebhookCommand, KNOWN);
  assert.deepEqual(outcome, { webhook: { ...WEBHOOK, stopped: { at: NOW, reason: "gone" } } });
  const before = { stopped: { at: 1, reason: "gone" } } as const;
  assert.deepEqual([stop(), stop({}, 1), stop({ active: false }), stop(before)], [1, 0, 0, 0]);
  assert.deepEqual(deleteWebhook({ ...BY, kind: "delete-webhook", webhookId: "w" }, KNOWN), {
    outcome: {},
    changes: [{ change: { kind: "webhook-deleted", webhookId: "w" }, old: WEBHOOK }],
    writes: [{ delete: "webhook", webhookId: "w" }],
  });
});

test("a key is announced once, in its last week or last quarter, and until a week after", () => {
  const announced = (key: Partial<ApiKey>, announcedAt: number | null = null) => {
    const whole = {
      id: "k",
      label: "l",
      access: "read",
      createdAt: NOW - 100 * DAY,
      revokedAt: null,
      ...key,
    } as ApiKey;
    const { outcome, events, writes } = announceKey(
      { ...BY, keyId: "k" } as unknown as AnnounceKeyCommand,
      whole,
      announcedAt,
    );
    if (events !== undefined) {
      const { id, label, access, expiresAt } = whole;
      assert.deepEqual(events, [{ type: "key.expiring", key: { id, label, access, expiresAt } }]);
      assert.deepEqual(writes, [{ save: "announcement", about: "k", at: NOW }]);
    }
    return [(outcome as { isAnnounced: boolean }).isAnnounced, events !== undefined];
  };
  const [yes, no, before] = [
    [true, true],
    [false, false],
    [true, false],
  ];
  assert.deepEqual(announced({ expiresAt: NOW + 7 * DAY }), yes);
  assert.deepEqual(announced({ expiresAt: NOW + 7 * DAY + 1 }), no);
  assert.deepEqual(announced({ expiresAt: NOW - 7 * DAY + 1 }), yes);
  assert.deepEqual(announced({ expiresAt: NOW - 7 * DAY }), no);
  assert.deepEqual(announced({ createdAt: NOW - 3 * DAY, expiresAt: NOW + DAY }), yes, "a quarter of four days");
  assert.deepEqual(announced({ createdAt: NOW - 3 * DAY + 1, expiresAt: NOW + DAY + 1 }), no);
  assert.deepEqual(announced({ expiresAt: null }), no);
  assert.deepEqual(announced({ expiresAt: NOW, revokedAt: NOW - 1 }), no);
  assert.deepEqual(announced({ expiresAt: NOW }, 0), before);
  const { outcome } = announceKey({ ...BY } as unknown as AnnounceKeyCommand, undefined, null);
  assert.deepEqual(outcome, { isAnnounced: false });
});

test("a list that no device asks for is announced once, again only after it was asked for", () => {
  const definition = definitionOf({ include: [] });
  const silence = silenceOf(definition) + 30_000;
  const announced = (known: { pulledAt?: number | null; announcedAt?: number | null }, deployment: object = {}) => {
    const whole = { id: "d", name: "edge", createdAt: NOW - silence - 1, definition, ...deployment } as Deployment;
    const about = { pulledAt: null, announcedAt: null, ...known };
    const { outcome, events } = announceSilence({ ...BY } as unknown as AnnounceSilenceCommand, whole, about);
    const told = { type: "deployment.not_pulled", deployment: { id: "d", name: "edge" }, pulledAt: about.pulledAt };
    if (events !== undefined) assert.deepEqual(events, [told]);
    return [(outcome as { isAnnounced: boolean }).isAnnounced, events !== undefined];
  };
  const [yes, no, before] = [
    [true, true],
    [false, false],
    [true, false],
  ];
  assert.deepEqual(announced({}), yes, "never asked for");
  assert.deepEqual(announced({}, { createdAt: NOW - silence }), no);
  assert.deepEqual(announced({ pulledAt: NOW - silence - 1 }, { createdAt: 0 }), yes);
  assert.deepEqual(announced({ pulledAt: NOW - silence }, { createdAt: 0 }), no);
  assert.deepEqual(announced({ announcedAt: 5 }), before);
  const old = { createdAt: 0 };
  assert.deepEqual(announced({ pulledAt: 5, announcedAt: 5 }, old), before);
  assert.deepEqual(announced({ pulledAt: 6, announcedAt: 5 }, old), yes);
  assert.deepEqual(announced({}, { definition: { ...definition, active: false } }), no);
});
