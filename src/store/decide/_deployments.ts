import type {
  CreateDeploymentCommand,
  DeleteDeploymentCommand,
  PublishListCommand,
  RefuseListCommand,
  ReleaseListCommand,
  RotateDeploymentCommand,
  UpdateDeploymentCommand,
} from "../command.ts";
import {
  changedDefinition,
  type Deployment,
  type PublishedList,
  type RefusedList,
  TOGETHER,
} from "../records/deployment.ts";
import { DEPLOYMENTS_SETTING } from "../records/limit-settings.ts";
import { StoreError } from "../store-error.ts";
import type { Decision, NewId } from "./_decision.ts";
import { checkDeploymentMatch } from "./_match.ts";
import { isSameJson } from "./_same-json.ts";
import { checkRoom, type Room } from "./_room.ts";
import { previousAfter } from "./_rotation.ts";
import { checkTexts } from "./_texts.ts";

/** `count`: those of the organisation that are not deleted, which may be at most `max`. */
export function createDeployment(
  { organisationId, name, definition, at }: CreateDeploymentCommand,
  room: Room,
  newId: NewId,
): Decision {
  checkTexts(name, JSON.stringify(definition));
  checkRoom("too-many-deployments", room, `deployments (${DEPLOYMENTS_SETTING}); delete some first`);
  const deployment: Deployment = {
    id: newId(),
    organisationId,
    name,
    definition,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    rotation: 1,
    previous: [],
    password: null,
    published: null,
    refused: null,
    released: null,
  };
  return {
    outcome: { deployment },
    changes: [{ change: { kind: "deployment", deployment } }],
    writes: [{ insert: "deployment", deployment }],
  };
}

export function updateDeployment(
  { name, definition, checkedWith, ifMatch, at }: UpdateDeploymentCommand,
  before: Deployment,
): Decision {
  checkDeploymentMatch(before, ifMatch);
  if (
    checkedWith !== undefined &&
    TOGETHER.some((member) => !isSameJson(checkedWith[member], before.definition[member]))
  )
    throw new StoreError("definition-changed", "the deployment was changed meanwhile; repeat the request");
  const changed = changedDefinition(before.definition, definition);
  checkTexts(name ?? "", JSON.stringify(changed));
  const isSame = (name ?? before.name) === before.name && JSON.stringify(changed) === JSON.stringify(before.definition);
  if (isSame) return { outcome: { deployment: before }, changes: [] };
  return changedTo({ ...before, name: name ?? before.name, definition: changed, updatedAt: at }, before);
}

/** Its list is deleted as well. */
export function deleteDeployment({ ifMatch, at }: DeleteDeploymentCommand, before: Deployment): Decision {
  checkDeploymentMatch(before, ifMatch);
  const { changes, writes = [] } = changedTo({ ...before, deletedAt: at, updatedAt: at }, before);
  return { outcome: {}, changes, writes: [...writes, { delete: "published-list", deploymentId: before.id }] };
}

/**
 * The token of the URLs before this one is valid until `graceUntil`, and earlier ones until their own ends; a password
 * is replaced at once. Throws StoreError (`too-many-rotations`).
 */
export function rotateDeployment(
  { credential, graceUntil, at }: RotateDeploymentCommand,
  before: Deployment,
): Decision {
  const after: Deployment =
    "password" in credential
      ? { ...before, password: credential.password }
      : {
          ...before,
          rotation: before.rotation + 1,
          previous: previousAfter(
            before.previous,
            { rotation: before.rotation, replacedAt: at, until: graceUntil },
            at,
            "URLs of the deployment",
          ),
        };
  return changedTo({ ...after, updatedAt: at }, before);
}

/**
 * Publishes a list, unless another server has published a list of a later state, or any list after the one that this
 * list was compared with: then that server's list stays published, and the outcome is `isLate`.
 */
export function publishList({ list, basedOn, content, at }: PublishListCommand, before: Deployment): Decision {
  const { published } = before;
  const generation = published?.generation ?? 0;
  const isLate = generation !== basedOn || (published !== null && list.sequence < published.sequence);
  if (isLate) return { outcome: { deployment: before, isLate }, changes: [] };
  const isSame = published?.digest === list.digest;
  const refusals = refusalsOf(before);
  const numbered = refusals === 0 ? list : { ...list, refusals };
  const next = isSame ? { ...numbered, generation, at: published.at } : { ...numbered, generation: generation + 1, at };
  const deployment: Deployment = { ...before, published: next, refused: null, released: null };
  return {
    outcome: { deployment, isLate },
    changes: [{ change: listChange(deployment) }],
    events: isSame ? [] : [{ type: "deployment.generated", deployment: namesOf(before), list: factsOf(next) }],
    writes: [
      { save: "deployment", deployment },
      ...(isSame
        ? []
        : [{ save: "published-list", deploymentId: before.id, generation: next.generation, content } as const]),
    ],
  };
}

/** The number of the last refused list; 0: there was none. */
function refusalsOf({ published, refused }: Deployment): number {
  return refused?.number ?? published?.refusals ?? 0;
}

/** The previous list stays published. */
export function refuseList({ basedOn, refusal, at }: RefuseListCommand, before: Deployment): Decision {
  const { published, refused } = before;
  const isLate = (published?.generation ?? 0) !== basedOn;
  const textOf = ({ reasons, collateral }: typeof refusal): string => JSON.stringify([reasons, collateral]);
  const isKnown = refused !== null && textOf(refused) === textOf(refusal);
  if (isLate || isKnown) return { outcome: { deployment: before, isLate }, changes: [] };
  const list: RefusedList = { ...refusal, at, number: refusalsOf(before) + 1 };
  const deployment: Deployment = { ...before, refused: list, released: null };
  const { number, reasons, entries } = list;
  return {
    outcome: { deployment, isLate },
    changes: [{ change: listChange(deployment) }],
    events: [{ type: "deployment.refused", deployment: namesOf(before), list: { number, reasons, entries } }],
    writes: [{ save: "deployment", deployment }],
  };
}

export function releaseList({ number }: ReleaseListCommand, before: Deployment): Decision {
  if (before.refused?.number !== number)
    throw new StoreError(
      "list-not-refused",
      before.refused === null
        ? "the deployment has no refused list at the moment"
        : `the refused list now has the number ${before.refused.number}, not ${number}; review it first`,
    );
  return changedTo({ ...before, released: number }, before);
}

function changedTo(deployment: Deployment, before: Deployment): Decision {
  return {
    outcome: { deployment },
    changes: [{ change: { kind: "deployment", deployment }, old: before }],
    writes: [{ save: "deployment", deployment }],
  };
}

function namesOf({ id, name }: Deployment): Pick<Deployment, "id" | "name"> {
  return { id, name };
}

function factsOf({ generation, entries }: PublishedList): Pick<PublishedList, "generation" | "entries"> {
  return { generation, entries };
}

function listChange({ id, published, refused, released }: Deployment) {
  return { kind: "deployment-list", deploymentId: id, published, refused, released } as const;
}
