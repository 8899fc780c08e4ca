import type { Insertable, Selectable } from "kysely";
import type { Account } from "../decide/_decision.ts";
import { keyOfName } from "../name-key.ts";
import type { ExternalList, FetchState } from "../external-list.ts";
import type { Deployment, DeploymentDefinition, PublishedList, RefusedList } from "../deployment.ts";
import type { CredentialKind, DeploymentCredential } from "../deployment-credential.ts";
import type { TaxiiCredential } from "../taxii-credential.ts";
import type { ApiKey, Organisation, Plan, Ruleset, Session, User } from "../state.ts";
import type {
  ApiKeyRow,
  DeploymentCredentialRow,
  DeploymentRow,
  ExternalListRow,
  OrganisationRow,
  PlanRow,
  RulesetRow,
  SessionRow,
  TaxiiCredentialRow,
  UserRow,
} from "./_tables.ts";

// Converts rows to entities and back.

export function organisationOf({ id, name, created_at }: OrganisationRow): Organisation {
  return { id, name, createdAt: created_at };
}

export function planOf({ organisation_id, area, active, until, per_minute, per_month }: PlanRow): Plan {
  return {
    organisationId: organisation_id,
    area,
    active: active === 1,
    until,
    perMinute: per_minute,
    perMonth: per_month,
  };
}

export function keyOf(row: ApiKeyRow): ApiKey {
  const { id, organisation_id, label, access, digest, start, created_at, expires_at, revoked_at } = row;
  return {
    id,
    organisationId: organisation_id,
    label,
    access,
    digest,
    start,
    createdAt: created_at,
    expiresAt: expires_at,
    revokedAt: revoked_at,
  };
}

export function userOf(row: UserRow): User {
  const { id, organisation_id, name, role, created_at, last_sign_in_at, invited_until, deleted_at } = row;
  return {
    id,
    organisationId: organisation_id,
    name,
    role,
    createdAt: created_at,
    lastSignInAt: last_sign_in_at,
    invitedUntil: invited_until,
    deletedAt: deleted_at,
  };
}

export function sessionOf({ digest, user_id, created_at, expires_at }: SessionRow): Session {
  return { digest, userId: user_id, createdAt: created_at, expiresAt: expires_at };
}

export function rulesetOf(row: Selectable<RulesetRow>): Ruleset {
  const { id, organisation_id, name, purpose, description, guard, never_block } = row;
  const { created_at, updated_at, version } = row;
  return {
    id,
    organisationId: organisation_id,
    name,
    purpose,
    description,
    guard,
    neverBlock: never_block === 1,
    createdAt: created_at,
    updatedAt: updated_at,
    version,
  };
}

export function accountOf(row: UserRow): Account {
  const { password, invitation } = row;
  return { ...userOf(row), password, invitation };
}

export function rowOfOrganisation({ id, name, createdAt }: Organisation): OrganisationRow {
  return { id, name, created_at: createdAt };
}

export function rowOfPlan({ organisationId, area, active, until, perMinute, perMonth }: Plan): PlanRow {
  return {
    organisation_id: organisationId,
    area,
    active: active ? 1 : 0,
    until,
    per_minute: perMinute,
    per_month: perMonth,
  };
}

export function rowOfKey(key: ApiKey): ApiKeyRow {
  const { id, organisationId, label, access, digest, start, createdAt, expiresAt, revokedAt } = key;
  return {
    id,
    organisation_id: organisationId,
    label,
    access,
    digest,
    start,
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
  };
}

export function rowOfUser(account: Account): UserRow {
  const { id, organisationId, name, role, password, invitation, invitedUntil, createdAt, lastSignInAt, deletedAt } =
    account;
  return {
    id,
    organisation_id: organisationId,
    name,
    name_key: keyOfName(name),
    role,
    password,
    invitation,
    invited_until: invitedUntil,
    created_at: createdAt,
    last_sign_in_at: lastSignInAt,
    deleted_at: deletedAt,
  };
}

export function rowOfSession({ digest, userId, createdAt, expiresAt }: Session): SessionRow {
  return { digest, user_id: userId, created_at: createdAt, expires_at: expiresAt };
}

export function rowOfRuleset(ruleset: Ruleset, ruleCount: number): Insertable<RulesetRow> {
  const { id, organisationId, name, purpose, description, guard, neverBlock } = ruleset;
  const { createdAt, updatedAt, version } = ruleset;
  return {
    id,
    organisation_id: organisationId,
    name,
    purpose,
    description,
    guard,
    never_block: neverBlock ? 1 : 0,
    created_at: createdAt,
    updated_at: updatedAt,
    version,
    rule_count: ruleCount,
  };
}

export function deploymentOf(row: DeploymentRow): Deployment {
  const { id, organisation_id, name, definition, created_at, updated_at, deleted_at } = row;
  const { rotation, previous_until, password, published, refused, released } = row;
  return {
    id,
    organisationId: organisation_id,
    name,
    definition: JSON.parse(definition) as DeploymentDefinition,
    createdAt: created_at,
    updatedAt: updated_at,
    deletedAt: deleted_at,
    rotation,
    previousUntil: previous_until,
    password,
    published: published === null ? null : (JSON.parse(published) as PublishedList),
    refused: refused === null ? null : (JSON.parse(refused) as RefusedList),
    released,
  };
}

export function rowOfDeployment(deployment: Deployment): DeploymentRow {
  const { id, organisationId, name, definition, createdAt, updatedAt, deletedAt } = deployment;
  const { rotation, previousUntil, password, published, refused, released } = deployment;
  return {
    id,
    organisation_id: organisationId,
    name,
    definition: JSON.stringify(definition),
    created_at: createdAt,
    updated_at: updatedAt,
    deleted_at: deletedAt,
    rotation,
    previous_until: previousUntil,
    password,
    published: published === null ? null : JSON.stringify(published),
    refused: refused === null ? null : JSON.stringify(refused),
    released,
  };
}

export function taxiiCredentialOf(row: TaxiiCredentialRow): TaxiiCredential {
  const { id, organisation_id, label, digest, start, collections, created_at, revoked_at } = row;
  return {
    id,
    organisationId: organisation_id,
    label,
    digest,
    start,
    collections: JSON.parse(collections) as string[],
    createdAt: created_at,
    revokedAt: revoked_at,
  };
}

export function rowOfTaxiiCredential(credential: TaxiiCredential): TaxiiCredentialRow {
  const { id, organisationId, label, digest, start, collections, createdAt, revokedAt } = credential;
  return {
    id,
    organisation_id: organisationId,
    label,
    digest,
    start,
    collections: JSON.stringify(collections),
    created_at: createdAt,
    revoked_at: revokedAt,
  };
}

export function credentialOf(row: DeploymentCredentialRow): DeploymentCredential {
  const { id, organisation_id, deployment_id, kind, label, digest, start, hosts_only, created_at, revoked_at } = row;
  return {
    id,
    organisationId: organisation_id,
    deploymentId: deployment_id,
    kind: kind as CredentialKind,
    label,
    digest,
    start,
    hostsOnly: hosts_only === 1,
    createdAt: created_at,
    revokedAt: revoked_at,
  };
}

export function rowOfCredential(credential: DeploymentCredential): DeploymentCredentialRow {
  const { id, organisationId, deploymentId, kind, label, digest, start, hostsOnly, createdAt, revokedAt } = credential;
  return {
    id,
    organisation_id: organisationId,
    deployment_id: deploymentId,
    kind,
    label,
    digest,
    start,
    hosts_only: hostsOnly ? 1 : 0,
    created_at: createdAt,
    revoked_at: revokedAt,
  };
}

export function externalListOf(row: ExternalListRow): ExternalList {
  const { id, organisation_id, name, definition, created_at, updated_at, credentials, content, problem } = row;
  return {
    id,
    organisationId: organisation_id,
    name,
    definition: JSON.parse(definition),
    createdAt: created_at,
    updatedAt: updated_at,
    credentials: parsed(credentials),
    content: parsed(content),
    problem: parsed(problem),
  };
}

export function fetchStateOf({ checked_at, due_at, claimed_until, validators, secret }: ExternalListRow): FetchState {
  return {
    checkedAt: checked_at,
    dueAt: due_at,
    claimedUntil: claimed_until,
    validators: parsed(validators),
    secret,
  };
}

export function rowOfExternalList(list: ExternalList, state: FetchState): ExternalListRow {
  const { id, organisationId, name, definition, createdAt, updatedAt, credentials, content, problem } = list;
  const { checkedAt, dueAt, claimedUntil, validators, secret } = state;
  return {
    id,
    organisation_id: organisationId,
    name,
    definition: JSON.stringify(definition),
    created_at: createdAt,
    updated_at: updatedAt,
    credentials: textOf(credentials),
    content: textOf(content),
    problem: textOf(problem),
    checked_at: checkedAt,
    due_at: dueAt,
    claimed_until: claimedUntil,
    validators: textOf(validators),
    secret,
  };
}

function parsed<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}

function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
