import type { Insertable, Selectable } from "kysely";
import type { Account } from "../decide/_decision.ts";
import { keyOfName } from "../name-key.ts";
import type { ExternalList, FetchState } from "../records/external-list.ts";
import type { Deployment, DeploymentDefinition, PublishedList, RefusedList } from "../records/deployment.ts";
import type { PreviousSecret } from "../records/previous-secret.ts";
import type { GuardClasses } from "../records/guard-policy.ts";
import type { CredentialKind, DeploymentCredential } from "../records/deployment-credential.ts";
import type { TaxiiCredential } from "../records/taxii-credential.ts";
import type { ApiKey, Organisation, Plan, Ruleset, Session, User } from "../state.ts";
import { NamedColumns } from "./_named-columns.ts";
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

// Converts rows to entities and back: names by `NamedColumns`, and here the values that columns hold in another form.

const ORGANISATION = NamedColumns.of<OrganisationRow>()("id", "name", "created_at", "guard_classes");

export function organisationOf(row: OrganisationRow): Organisation {
  return { ...ORGANISATION.propertiesOf(row), guardClasses: parsed(row.guard_classes) };
}

export function rowOfOrganisation(organisation: Organisation): OrganisationRow {
  return ORGANISATION.columnsOf({ ...organisation, guardClasses: textOf(organisation.guardClasses) });
}

const PLAN = NamedColumns.of<PlanRow>()("organisation_id", "area", "active", "until", "per_minute", "per_month");

export function planOf(row: PlanRow): Plan {
  return { ...PLAN.propertiesOf(row), active: row.active === 1 };
}

export function rowOfPlan(plan: Plan): PlanRow {
  return PLAN.columnsOf({ ...plan, active: plan.active ? 1 : 0 });
}

const KEY = NamedColumns.of<ApiKeyRow>()(
  "id",
  "organisation_id",
  "label",
  "access",
  "digest",
  "start",
  "created_at",
  "expires_at",
  "revoked_at",
);

export function keyOf(row: ApiKeyRow): ApiKey {
  return KEY.propertiesOf(row);
}

export function rowOfKey(key: ApiKey): ApiKeyRow {
  return KEY.columnsOf(key);
}

const USER = NamedColumns.of<UserRow>()(
  "id",
  "organisation_id",
  "name",
  "role",
  "created_at",
  "last_sign_in_at",
  "invited_until",
  "deleted_at",
);

export function userOf(row: UserRow): User {
  return USER.propertiesOf(row);
}

export function accountOf(row: UserRow): Account {
  const { password, invitation } = row;
  return { ...userOf(row), password, invitation };
}

export function rowOfUser(account: Account): UserRow {
  const { name, password, invitation } = account;
  return { ...USER.columnsOf(account), name_key: keyOfName(name), password, invitation };
}

const SESSION = NamedColumns.of<SessionRow>()("digest", "user_id", "created_at", "expires_at");

export function sessionOf(row: SessionRow): Session {
  return SESSION.propertiesOf(row);
}

export function rowOfSession(session: Session): SessionRow {
  return SESSION.columnsOf(session);
}

const RULESET = NamedColumns.of<Selectable<RulesetRow>>()(
  "id",
  "organisation_id",
  "name",
  "purpose",
  "description",
  "guard",
  "guard_classes",
  "never_block",
  "created_at",
  "updated_at",
  "version",
  "stamp",
);

export function rulesetOf(row: Selectable<RulesetRow>): Ruleset {
  const guardClasses = parsed<GuardClasses>(row.guard_classes);
  return { ...RULESET.propertiesOf(row), guardClasses, neverBlock: row.never_block === 1 };
}

export function rowOfRuleset(ruleset: Ruleset, ruleCount: number): Insertable<RulesetRow> {
  const guardClasses = textOf(ruleset.guardClasses);
  const columns = RULESET.columnsOf({ ...ruleset, guardClasses, neverBlock: ruleset.neverBlock ? 1 : 0 });
  return { ...columns, rule_count: ruleCount };
}

const DEPLOYMENT = NamedColumns.of<DeploymentRow>()(
  "id",
  "organisation_id",
  "name",
  "definition",
  "created_at",
  "updated_at",
  "deleted_at",
  "rotation",
  "previous",
  "password",
  "published",
  "refused",
  "released",
);

export function deploymentOf(row: DeploymentRow): Deployment {
  return {
    ...DEPLOYMENT.propertiesOf(row),
    definition: JSON.parse(row.definition) as DeploymentDefinition,
    previous: JSON.parse(row.previous) as PreviousSecret[],
    published: parsed<PublishedList>(row.published),
    refused: parsed<RefusedList>(row.refused),
  };
}

export function rowOfDeployment(deployment: Deployment): DeploymentRow {
  return DEPLOYMENT.columnsOf({
    ...deployment,
    definition: JSON.stringify(deployment.definition),
    previous: JSON.stringify(deployment.previous),
    published: textOf(deployment.published),
    refused: textOf(deployment.refused),
  });
}

const TAXII_CREDENTIAL = NamedColumns.of<TaxiiCredentialRow>()(
  "id",
  "organisation_id",
  "label",
  "digest",
  "start",
  "collections",
  "created_at",
  "revoked_at",
);

export function taxiiCredentialOf(row: TaxiiCredentialRow): TaxiiCredential {
  return { ...TAXII_CREDENTIAL.propertiesOf(row), collections: JSON.parse(row.collections) as string[] };
}

export function rowOfTaxiiCredential(credential: TaxiiCredential): TaxiiCredentialRow {
  return TAXII_CREDENTIAL.columnsOf({ ...credential, collections: JSON.stringify(credential.collections) });
}

const CREDENTIAL = NamedColumns.of<DeploymentCredentialRow>()(
  "id",
  "organisation_id",
  "deployment_id",
  "kind",
  "label",
  "digest",
  "start",
  "hosts_only",
  "created_at",
  "revoked_at",
);

export function credentialOf(row: DeploymentCredentialRow): DeploymentCredential {
  return { ...CREDENTIAL.propertiesOf(row), kind: row.kind as CredentialKind, hostsOnly: row.hosts_only === 1 };
}

export function rowOfCredential(credential: DeploymentCredential): DeploymentCredentialRow {
  return CREDENTIAL.columnsOf({ ...credential, hostsOnly: credential.hostsOnly ? 1 : 0 });
}

const EXTERNAL_LIST = NamedColumns.of<ExternalListRow>()(
  "id",
  "organisation_id",
  "name",
  "definition",
  "created_at",
  "updated_at",
  "credentials",
  "content",
  "problem",
);
const FETCH_STATE = NamedColumns.of<ExternalListRow>()("checked_at", "due_at", "claimed_until", "validators", "secret");

export function externalListOf(row: ExternalListRow): ExternalList {
  return {
    ...EXTERNAL_LIST.propertiesOf(row),
    definition: JSON.parse(row.definition),
    credentials: parsed(row.credentials),
    content: parsed(row.content),
    problem: parsed(row.problem),
  };
}

export function fetchStateOf(row: ExternalListRow): FetchState {
  return { ...FETCH_STATE.propertiesOf(row), validators: parsed(row.validators) };
}

export function rowOfExternalList(list: ExternalList, state: FetchState): ExternalListRow {
  return {
    ...EXTERNAL_LIST.columnsOf({
      ...list,
      definition: JSON.stringify(list.definition),
      credentials: textOf(list.credentials),
      content: textOf(list.content),
      problem: textOf(list.problem),
    }),
    ...FETCH_STATE.columnsOf({ ...state, validators: textOf(state.validators) }),
  };
}

function parsed<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}

function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
