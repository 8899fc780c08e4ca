import type {
  CreateUserCommand,
  DeleteUserCommand,
  EndSessionCommand,
  InviteUserCommand,
  JoinCommand,
  SetPasswordCommand,
  SetRoleCommand,
  SetUpCommand,
  StartSessionCommand,
} from "../command.ts";
import { keyOfName } from "../name-key.ts";
import { AREAS, type Organisation, type Session } from "../state.ts";
import { StoreError } from "../store-error.ts";
import { newAccount, recordedUser, userOf } from "./_accounts.ts";
import type { Account, Decision, NewId } from "./_decision.ts";
import { areAlike } from "./_look-alikes.ts";
import { createOrganisation, setPlan } from "./_organisations.ts";
import { checkRoom } from "./_room.ts";
import { endSessions, startSession } from "./_sessions.ts";
import { checkTexts } from "./_texts.ts";

/** Maximum users of an organisation that are not deleted: only its admins create them. */
const MAX_USERS = 10_000;

/** `hasUsers`: whether there is any user; `organisations`: all. */
export function setUp(
  { organisation: organisationName, name, password, session, at }: SetUpCommand,
  { hasUsers, organisations }: { readonly hasUsers: boolean; readonly organisations: readonly Organisation[] },
  newId: NewId,
): Decision {
  if (hasUsers) throw new StoreError("users-exist", "users already exist; ask an admin for an invitation");
  checkTexts(name, organisationName);
  const existing = organisations.find((each) => each.name === organisationName);
  const made = existing === undefined ? withAllPlans({ name: organisationName, at }, organisations, newId) : undefined;
  const organisationId = existing?.id ?? made!.organisationId;
  const account = newAccount(newId(), { organisationId, name, role: "admin", password, invitation: null, at });
  const { outcome, changes, writes } = startSession(undefined, account, [], session, at);
  return {
    outcome,
    changes: [...(made?.changes ?? []), ...changes],
    writes: [...(made?.writes ?? []), { insert: "user", account }, ...writes],
    organisationId,
  };
}

/** A new organisation with all plans. */
function withAllPlans(
  fields: { readonly name: string; readonly at: number },
  organisations: readonly Organisation[],
  newId: NewId,
) {
  const made = createOrganisation(
    fields,
    organisations.map(({ name }) => name),
    newId,
  );
  const { organisationId } = made;
  const limits = { active: true, until: null, perMinute: null, perMonth: null };
  const plans = AREAS.map((area) => setPlan({ organisationId, area, ...limits, at: fields.at }, undefined));
  return {
    organisationId,
    changes: [made, ...plans].flatMap(({ changes }) => changes),
    writes: [made, ...plans].flatMap(({ writes = [] }) => writes),
  };
}

/** `names`: those of all users that are not deleted; `count`: how many of them the organisation has. */
export function createUser(
  { organisationId, name, role, invitation, at }: CreateUserCommand,
  { names, count }: { readonly names: readonly string[]; readonly count: number },
  newId: NewId,
): Decision {
  checkTexts(name);
  checkRoom("too-many-users", { count, max: MAX_USERS }, "users; delete some first");
  checkUserName(name, names);
  const account = newAccount(newId(), { organisationId, name, role, password: null, invitation, at });
  return { ...changed(undefined, account), writes: [{ insert: "user", account }] };
}

/** Throws StoreError (`user-exists`). O(users): users are rarely created. */
function checkUserName(name: string, names: readonly string[]): void {
  const alike = names.find((each) => areAlike(each, name));
  if (alike === undefined) return;
  const what =
    keyOfName(alike) === keyOfName(name)
      ? `a user named ${JSON.stringify(name)} already exists`
      : `the name ${JSON.stringify(name)} looks like another user's`;
  throw new StoreError("user-exists", `${what}; choose another name`);
}

/** `hasOtherAdmin`: whether the organisation has another admin who can sign in. */
export function setRole({ role }: SetRoleCommand, before: Account, hasOtherAdmin: boolean): Decision {
  if (before.role === role) return { outcome: { user: userOf(before) }, changes: [] };
  checkAdminIsLeft(before, hasOtherAdmin);
  return saved(before, { ...before, role });
}

/** `sessions`: all of the user's. */
export function deleteUser(
  { at }: DeleteUserCommand,
  before: Account,
  hasOtherAdmin: boolean,
  sessions: readonly Session[],
): Decision {
  checkAdminIsLeft(before, hasOtherAdmin);
  const account: Account = { ...before, deletedAt: at, password: null, invitation: null, invitedUntil: null };
  return savedWithout(before, account, sessions);
}

export function inviteUser({ invitation }: InviteUserCommand, before: Account): Decision {
  return saved(before, { ...before, invitation: invitation.digest, invitedUntil: invitation.expiresAt });
}

/** `before`: the invited user; `sessions`: all of theirs. */
export function join(
  { password, session, at }: JoinCommand,
  before: Account | undefined,
  sessions: readonly Session[],
): Decision {
  if (before === undefined)
    throw new StoreError(
      "invitation-not-found",
      "the invitation was already used, has expired, or was replaced by a newer one; ask for a new one",
    );
  const ended = endSessions(sessions);
  const account: Account = { ...before, password, invitation: null, invitedUntil: null };
  const { outcome, changes, writes, organisationId } = startSession(before, account, [], session, at);
  return {
    outcome,
    changes: [...ended.changes, ...changes],
    writes: [...ended.writes, ...writes],
    organisationId,
    actor: `user:${before.id}`,
  };
}

/** `sessions`: all of the user's; one of them stays. */
export function setPassword(
  { checked, password, session }: SetPasswordCommand,
  before: Account,
  sessions: readonly Session[],
): Decision {
  checkPassword(before, checked);
  const account: Account = { ...before, password, invitation: null, invitedUntil: null };
  return savedWithout(
    before,
    account,
    sessions.filter(({ digest }) => digest !== session),
  );
}

export function signIn(
  { checked, session, at }: StartSessionCommand,
  before: Account,
  sessions: readonly Session[],
): Decision {
  checkPassword(before, checked);
  return startSession(before, before, sessions, session, at);
}

/** `exists`: whether there is such a session. */
export function signOut({ digest }: EndSessionCommand, exists: boolean): Decision {
  if (!exists) return { outcome: {}, changes: [] };
  return {
    outcome: {},
    changes: [{ change: { kind: "sessions-ended", digests: [digest] } }],
    writes: [{ delete: "sessions", digests: [digest] }],
  };
}

/** Throws StoreError (`last-admin`). */
function checkAdminIsLeft({ role }: Account, hasOtherAdmin: boolean): void {
  if (role === "admin" && !hasOtherAdmin)
    throw new StoreError(
      "last-admin",
      "this is the organisation's last admin who can sign in; make someone else an admin first",
    );
}

/** Throws StoreError (`password-changed`). */
function checkPassword({ password }: Account, checked: string): void {
  if (password !== checked)
    throw new StoreError("password-changed", "the password has been changed since; sign in again");
}

function changed(before: Account | undefined, account: Account): Decision {
  return { outcome: { user: userOf(account) }, changes: [recordedUser(before, account)] };
}

function saved(before: Account, account: Account): Decision {
  return { ...changed(before, account), writes: [{ save: "user", account }] };
}

/** Like `saved`, and ends the sessions; without an outcome. */
function savedWithout(before: Account, account: Account, sessions: readonly Session[]): Decision {
  const ended = endSessions(sessions);
  return {
    outcome: {},
    changes: [...ended.changes, recordedUser(before, account)],
    writes: [...ended.writes, { save: "user", account }],
  };
}
