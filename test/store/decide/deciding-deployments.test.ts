import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  CreateCredentialCommand,
  CreateDeploymentCommand,
  DeleteDeploymentCommand,
  PublishListCommand,
  RefuseListCommand,
  ReleaseListCommand,
  RotateDeploymentCommand,
  UpdateDeploymentCommand,
} from "../../../src/store/command.ts";
import { createCredential, revokeCredential } from "../../../src/store/decide/_credentials.ts";
import {
  createDeployment,
  deleteDeployment,
  publishList,
  refuseList,
  releaseList,
  rotateDeployment,
  updateDeployment,
} from "../../../src/store/decide/_deployments.ts";
import { deploymentTag, type IfMatch } from "../../../src/store/if-match.ts";
import type { Deployment, PublishedList, RefusedList } from "../../../src/store/records/deployment.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const BY = { actor: "user:test", organisationId: "o", at: 1000, deploymentId: "d" };
const EDGE: Deployment = {
  id: "d",
  organisationId: "o",
  name: "Edge",
  definition: definitionOf({}),
  createdAt: 1,
  updatedAt: 2,
  deletedAt: null,
  rotation: 1,
  previous: [],
  password: null,
  published: null,
  refused: null,
  released: null,
};
const LIST = { sequence: 7, digest: "a", entries: { 4: 3, 6: 2 }, chunks: 1, datasets: {}, unprocessable: 0 };
const PUBLISHED: PublishedList = { ...LIST, generation: 4, at: 500 };
const REASONS = [{ code: "empty", message: "it is empty" }];
const REFUSED: RefusedList = { number: 3, at: 600, reasons: REASONS, entries: { 4: 0, 6: 0 } };

/** What a change of a deployment is. */
const changedTo = (deployment: Deployment, before: Deployment) => ({
  outcome: { deployment },
  changes: [{ change: { kind: "deployment", deployment }, old: before }],
  writes: [{ save: "deployment", deployment }],
});

/** A version that is not the deployment's, and the one that it has. */
const matches = (deployment: Deployment): { wrong: IfMatch; right: IfMatch } => ({
  wrong: { versions: [], rules: [], lists: [], deployments: ["other"] } as unknown as IfMatch,
  right: { versions: [], rules: [], lists: [], deployments: [deploymentTag(deployment)] } as unknown as IfMatch,
});

test("a new deployment has no list yet, and there is room for as many as the limit says", () => {
  const command = { ...BY, kind: "create-deployment", name: "Edge", definition: EDGE.definition } as const;
  const create = (room: { count: number; max: number }, changes: Partial<CreateDeploymentCommand> = {}) =>
    createDeployment({ ...command, ...changes } as CreateDeploymentCommand, room, () => "d");
  const deployment = { ...EDGE, createdAt: 1000, updatedAt: 1000 };
  assert.deepEqual(create({ count: 1, max: 2 }), {
    outcome: { deployment },
    changes: [{ change: { kind: "deployment", deployment } }],
    writes: [{ insert: "deployment", deployment }],
  });
  assert.throws(() => create({ count: 2, max: 2 }), { code: "too-many-deployments", message: /at most 2 deployments/ });
  assert.throws(() => create({ count: 0, max: 2 }, { name: "a\0" }), { code: "invalid-text" });
});

test("an update changes what it names; the same again changes nothing; a version may be required", () => {
  const update = (command: object) =>
    updateDeployment({ ...BY, kind: "update-deployment", definition: {}, ...command } as UpdateDeploymentCommand, EDGE);
  const { wrong, right } = matches(EDGE);
  assert.deepEqual(
    update({ name: "Core", ifMatch: right }),
    changedTo({ ...EDGE, name: "Core", updatedAt: 1000 }, EDGE),
  );
  const definition = { ...EDGE.definition, guard: "carve" } as const;
  assert.deepEqual(
    update({ definition: { guard: "carve" } }),
    changedTo({ ...EDGE, definition, updatedAt: 1000 }, EDGE),
  );
  for (const same of [
    {},
    { name: "Edge" },
    { definition: { active: true } },
    { definition: { options: { max_bytes: null } } },
  ])
    assert.deepEqual(update(same), { outcome: { deployment: EDGE }, changes: [] });
  assert.throws(() => update({ name: "Core", ifMatch: wrong }), { code: "version-mismatch" });
  assert.throws(() => update({ name: "a\0" }), { code: "invalid-text" });
  const { firewall_format, device, purpose, options } = EDGE.definition;
  const checkedWith = { firewall_format, device, purpose, options };
  assert.equal(update({ name: "Core", checkedWith }).changes.length, 1);
  for (const other of [
    { firewall_format: "csv" },
    { device: "x" },
    { purpose: "other" },
    { options: { max_bytes: 1 } },
  ])
    assert.throws(() => update({ checkedWith: { ...checkedWith, ...other } }), { code: "definition-changed" });
});

test("a deleted deployment has no list any more", () => {
  const command = { ...BY, kind: "delete-deployment" } as DeleteDeploymentCommand;
  const { wrong, right } = matches(EDGE);
  const { writes, changes } = changedTo({ ...EDGE, deletedAt: 1000, updatedAt: 1000 }, EDGE);
  assert.deepEqual(deleteDeployment({ ...command, ifMatch: right }, EDGE), {
    outcome: {},
    changes,
    writes: [...writes, { delete: "published-list", deploymentId: "d" }],
  });
  assert.throws(() => deleteDeployment({ ...command, ifMatch: wrong }, EDGE), { code: "version-mismatch" });
});

test("a replaced token works until the end of its grace time; a password is replaced at once", () => {
  const rotate = (command: object, before = EDGE) =>
    rotateDeployment({ ...BY, kind: "rotate-deployment", ...command } as RotateDeploymentCommand, before);
  const previous = [{ rotation: 1, replacedAt: 1000, until: 2000 }];
  const token = { credential: "token", graceUntil: 2000 };
  assert.deepEqual(
    rotate({ ...token, credential: {} }),
    changedTo({ ...EDGE, rotation: 2, previous, updatedAt: 1000 }, EDGE),
  );
  assert.deepEqual(
    rotate({ credential: { password: "p" }, graceUntil: 2000 }),
    changedTo({ ...EDGE, password: "p", updatedAt: 1000 }, EDGE),
  );
});

test("a list is published unless it is late; the same one again has the generation that it had", () => {
  const publish = (before: Deployment, command: object = {}) =>
    publishList(
      {
        ...BY,
        kind: "publish-list",
        list: LIST,
        basedOn: 0,
        content: "c",
        ...command,
      } as unknown as PublishListCommand,
      before,
    );
  const ofList = ({ published, refused, released }: Deployment) => [
    { change: { kind: "deployment-list", deploymentId: "d", published, refused, released } },
  ];
  const first = { ...EDGE, published: { ...LIST, generation: 1, at: 1000 } };
  assert.deepEqual(publish(EDGE), {
    outcome: { deployment: first, isLate: false },
    changes: ofList(first),
    events: [
      {
        type: "deployment.generated",
        deployment: { id: "d", name: "Edge" },
        list: { generation: 1, entries: LIST.entries },
      },
    ],
    writes: [
      { save: "deployment", deployment: first },
      { save: "published-list", deploymentId: "d", generation: 1, content: "c" },
    ],
  });
  const before = { ...EDGE, published: PUBLISHED, refused: REFUSED, released: 3 };
  // A refused list is not refused any more; its number is not used again.
  const next = { ...EDGE, published: { ...LIST, digest: "b", refusals: 3, generation: 5, at: 1000 } };
  const { outcome, events } = publish(before, { list: { ...LIST, digest: "b" }, basedOn: 4 });
  assert.deepEqual(outcome, { deployment: next, isLate: false });
  assert.equal(events!.length, 1);
  const same = { ...EDGE, published: { ...PUBLISHED, refusals: 3, sequence: 8 } };
  assert.deepEqual(publish(before, { list: { ...LIST, sequence: 8 }, basedOn: 4 }), {
    outcome: { deployment: same, isLate: false },
    changes: ofList(same),
    events: [],
    writes: [{ save: "deployment", deployment: same }],
  });
  assert.deepEqual(publish(same, { basedOn: 4, list: { ...LIST, sequence: 8, digest: "c" } }).outcome, {
    deployment: { ...same, published: { ...LIST, sequence: 8, digest: "c", refusals: 3, generation: 5, at: 1000 } },
    isLate: false,
  });
  for (const late of [{ basedOn: 3 }, { basedOn: 5 }, { basedOn: 4, list: { ...LIST, sequence: 6 } }])
    assert.deepEqual(publish(before, late), { outcome: { deployment: before, isLate: true }, changes: [] });
});

test("each refusal has its number; the same one again is none; only the latest can be released", () => {
  const refusal = { reasons: REASONS, entries: { 4: 0, 6: 0 } };
  const refuse = (before: Deployment, command: object = {}) =>
    refuseList({ ...BY, kind: "refuse-list", refusal, basedOn: 0, ...command } as RefuseListCommand, before);
  const list = { ...refusal, at: 1000, number: 1 };
  const refused = { ...EDGE, refused: list };
  assert.deepEqual(refuse(EDGE), {
    outcome: { deployment: refused, isLate: false },
    changes: [
      { change: { kind: "deployment-list", deploymentId: "d", published: null, refused: list, released: null } },
    ],
    events: [
      {
        type: "deployment.refused",
        deployment: { id: "d", name: "Edge" },
        list: { number: 1, reasons: REASONS, entries: { 4: 0, 6: 0 } },
      },
    ],
    writes: [{ save: "deployment", deployment: refused }],
  });
  assert.deepEqual(refuse(refused), { outcome: { deployment: refused, isLate: false }, changes: [] });
  assert.deepEqual(refuse(EDGE, { basedOn: 1 }), { outcome: { deployment: EDGE, isLate: true }, changes: [] });
  const numberAfter = (before: Partial<Deployment>, basedOn: number, changes: object) =>
    refuse({ ...EDGE, ...before }, { basedOn, refusal: { ...refusal, ...changes } }).outcome;
  const other = { reasons: [{ code: "b", message: "b" }] };
  const numbered = (outcome: object) => (outcome as { deployment: Deployment }).deployment.refused!.number;
  assert.equal(numbered(numberAfter({ refused: REFUSED, released: 3 }, 0, other)), 4);
  assert.equal(numbered(numberAfter({ refused: list }, 0, { collateral: [] })), 2, "what it blocks is another reason");
  assert.equal(numbered(numberAfter({ published: { ...PUBLISHED, refusals: 8 } }, 4, {})), 9);
  const release = (number: number, before: Deployment) =>
    releaseList({ ...BY, kind: "release-list", number } as ReleaseListCommand, before);
  const waiting = { ...EDGE, refused: REFUSED };
  assert.deepEqual(release(3, waiting), changedTo({ ...waiting, released: 3 }, waiting));
  assert.throws(() => release(2, waiting), { code: "list-not-refused", message: /now has the number 3, not 2;/ });
  assert.throws(() => release(3, EDGE), { code: "list-not-refused", message: /no refused list at the moment/ });
});

test("credentials of bouncers are for what blocks, and are revoked once", () => {
  const fields = { label: "l", digest: "x", start: "s", deploymentId: "d", hostsOnly: false };
  const create = (credential: string, purpose: Deployment["definition"]["purpose"], count = 1, label = "l") =>
    createCredential(
      { ...BY, ...fields, kind: "create-credential", credential, label } as unknown as CreateCredentialCommand,
      {
        deployment: { ...EDGE, definition: definitionOf({ purpose }) },
        collections: new Set(),
        isTaken: false,
        count,
        max: 2,
      },
      () => "c",
    );
  const lifetime = { createdAt: 1000, expiresAt: null, revokedAt: null };
  const made = { ...fields, id: "c", organisationId: "o", kind: "bouncer", ...lifetime };
  assert.deepEqual(create("bouncer", "blocklist"), {
    outcome: { credential: made },
    command: "create-credential",
    changes: [{ change: { kind: "credential", credential: made } }],
    writes: [{ insert: "credential", credential: made }],
  });
  assert.throws(() => create("bouncer", "allowlist"), { code: "not-a-blocklist" });
  assert.equal(create("edge", "allowlist").changes.length, 1);
  assert.throws(() => create("bouncer", "blocklist", 2), { code: "too-many-credentials", message: /at most 2 / });
  assert.throws(() => create("bouncer", "blocklist", 1, "a\0"), { code: "invalid-text" });
  const revoke = (before: typeof made | undefined) =>
    revokeCredential({ ...BY, kind: "revoke-credential", credentialId: "c" } as never, before as never);
  const credential = { ...made, revokedAt: 1000 };
  assert.deepEqual(revoke(made), {
    outcome: { credential },
    command: "revoke-credential",
    changes: [{ change: { kind: "credential", credential }, old: made }],
    writes: [
      { save: "credential", credential },
      { delete: "bouncer-state", credentialId: "c" },
    ],
  });
  assert.deepEqual(revoke({ ...made, revokedAt: 7 as never }), {
    outcome: { credential: { ...made, revokedAt: 7 } },
    changes: [],
  });
  assert.throws(() => revoke(undefined), { code: "credential-not-found" });
});
