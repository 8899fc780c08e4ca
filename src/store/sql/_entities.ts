import type { Insertable, Selectable } from "kysely";
import type { Account } from "../decide/_decision.ts";
import { keyOfName } from "../name-key.ts";
import type { ExternalList, FetchState } from "../records/external-list.ts";
import type { Deployment } from "../records/deployment.ts";
import { type CommonCredential, type Credential, definitionOf } from "../records/credential.ts";
import type { Organisation, Plan, Ruleset, Session, User } from "../state.ts";
import { NamedColumns } from "./_named-columns.ts";
import type {
  CredentialRow,
  DeploymentRow,
  ExternalListRow,
  OrganisationRow,
  PlanRow,
  RulesetRow,
  SessionRow,
  UserRow,
} from "./_tables.ts";

// What the columns of each entity hold: a property of the same name, as it is or in another form.

export const ORGANISATION = NamedColumns.of<Organisation, OrganisationRow>()({
  id: "same",
  name: "same",
  created_at: "same",
  guard_classes: "json",
});

export const PLAN = NamedColumns.of<Plan, PlanRow>()({
  organisation_id: "same",
  area: "same",
  active: "flag",
  until: "same",
  per_minute: "same",
  per_month: "same",
});

/** What all kinds have. */
const CREDENTIAL = NamedColumns.of<CommonCredential, CredentialRow>()({
  id: "same",
  organisation_id: "same",
  kind: "same",
  label: "same",
  digest: "same",
  start: "same",
  created_at: "same",
  expires_at: "same",
  revoked_at: "same",
});

export const USER = NamedColumns.of<User, UserRow>()({
  id: "same",
  organisation_id: "same",
  name: "same",
  role: "same",
  created_at: "same",
  last_sign_in_at: "same",
  invited_until: "same",
  deleted_at: "same",
});

export const SESSION = NamedColumns.of<Session, SessionRow>()({
  digest: "same",
  user_id: "same",
  created_at: "same",
  expires_at: "same",
});

export const RULESET = NamedColumns.of<Ruleset, Selectable<RulesetRow>>()({
  id: "same",
  organisation_id: "same",
  name: "same",
  purpose: "same",
  description: "same",
  guard: "same",
  guard_classes: "json",
  never_block: "flag",
  created_at: "same",
  updated_at: "same",
  version: "same",
  stamp: "same",
});

export const DEPLOYMENT = NamedColumns.of<Deployment, DeploymentRow>()({
  id: "same",
  organisation_id: "same",
  name: "same",
  definition: "json",
  created_at: "same",
  updated_at: "same",
  deleted_at: "same",
  rotation: "same",
  previous: "json",
  password: "same",
  published: "json",
  refused: "json",
  released: "same",
});

export const EXTERNAL_LIST = NamedColumns.of<ExternalList, ExternalListRow>()({
  id: "same",
  organisation_id: "same",
  name: "same",
  definition: "json",
  created_at: "same",
  updated_at: "same",
  credentials: "json",
  content: "json",
  problem: "json",
});

export const FETCH_STATE = NamedColumns.of<FetchState, ExternalListRow>()({
  checked_at: "same",
  due_at: "same",
  claimed_until: "same",
  validators: "json",
  secret: "same",
});

export function credentialOf(row: CredentialRow): Credential {
  return { ...CREDENTIAL.entityOf(row), ...JSON.parse(row.scope) } as Credential;
}

export function rowOfCredential(credential: Credential): CredentialRow {
  return { ...CREDENTIAL.rowOf(credential), scope: JSON.stringify(definitionOf(credential.kind).scopeOf(credential)) };
}

export function accountOf(row: UserRow): Account {
  const { password, invitation } = row;
  return { ...USER.entityOf(row), password, invitation };
}

export function rowOfUser(account: Account): UserRow {
  const { name, password, invitation } = account;
  return { ...USER.rowOf(account), name_key: keyOfName(name), password, invitation };
}

export function rowOfRuleset(ruleset: Ruleset, ruleCount: number): Insertable<RulesetRow> {
  return { ...RULESET.rowOf(ruleset), rule_count: ruleCount };
}

export function rowOfExternalList(list: ExternalList, state: FetchState): ExternalListRow {
  return { ...EXTERNAL_LIST.rowOf(list), ...FETCH_STATE.rowOf(state) };
}
