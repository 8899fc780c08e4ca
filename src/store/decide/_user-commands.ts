import { randomUUID } from "node:crypto";
import type { Decision, Group, Recorded } from "../sql/_group-commit.ts";
import { checkOrganisation, checkTexts, createOrganisation, setPlan } from "./_organisation-commands.ts";
import { areAlike } from "./_look-alikes.ts";
import { sessionOf, userOf } from "../sql/_read-state.ts";
import { checkRoomForUser, lockNumbers } from "../sql/_room.ts";
import { keyOfName } from "../name-key.ts";
import type { UserRow } from "../sql/_tables.ts";
import type {
  Command,
  CreateUserCommand,
  DeleteUserCommand,
  EndSessionCommand,
  InviteUserCommand,
  JoinCommand,
  NewSession,
  SetPasswordCommand,
  SetRoleCommand,
  SetUpCommand,
  StartSessionCommand,
  UserCommand,
} from "../command.ts";
import { AREAS, type Session } from "../state.ts";
import { StoreError } from "../store-error.ts";

/** Sessions of one user at a time; the oldest end. */
const MOST_SESSIONS = 20;

const KINDS = new Set<Command["kind"]>([
  "set-up",
  "create-user",
  "set-role",
  "delete-user",
  "invite-user",
  "join",
  "set-password",
  "start-session",
  "end-session",
] satisfies UserCommand["kind"][]);

export function isUserCommand(command: Command): command is UserCommand {
  return KINDS.has(command.kind);
}

/**
 * Commands about users and their sessions, one at a time whatever server carries them out: each sees all users as the
 * one before left them.
 */
export async function decideUser(group: Group, command: UserCommand): Promise<Decision> {
  await lockNumbers(group);
  switch (command.kind) {
    case "set-up":
      return setUp(group, command);
    case "create-user":
      return createUser(group, command);
    case "set-role":
      return setRole(group, command);
    case "delete-user":
      return deleteUser(group, command);
    case "invite-user":
      return inviteUser(group, command);
    case "join":
      return join(group, command);
    case "set-password":
      return setPassword(group, command);
    case "start-session":
      return signIn(group, command);
    case "end-session":
      return signOut(group, command);
  }
}

async function setUp(
  group: Group,
  { organisation: organisationName, name, password, session, at }: SetUpCommand,
): Promise<Decision> {
  const { within } = group;
  const anybody = await within.selectFrom("users").select("id").where("deleted_at", "is", null).executeTakeFirst();
  if (anybody !== undefined)
    throw new StoreError("users-exist", "there are users already; an admin invites more of them");
  checkTexts(name, organisationName);
  const changes: Recorded[] = [];
  const existing = await within
    .selectFrom("organisations")
    .select("id")
    .where("name", "=", organisationName)
    .executeTakeFirst();
  const made = existing === undefined ? await createOrganisation(group, { name: organisationName, at }) : undefined;
  const organisationId = existing?.id ?? made!.organisationId!;
  if (made !== undefined) {
    changes.push(...made.changes);
    for (const area of AREAS)
      changes.push(
        ...(await setPlan(group, { organisationId, area, active: true, until: null, perMinute: null, perMonth: null }))
          .changes,
      );
  }
  const row = await insertUser(group, {
    organisation_id: organisationId,
    name,
    role: "admin",
    password,
    invitation: null,
    invited_until: null,
    created_at: at,
  });
  return startSession(group, undefined, row, session, at, changes);
}

async function createUser(
  group: Group,
  { organisationId, name, role, invitation, at }: CreateUserCommand,
): Promise<Decision> {
  checkTexts(name);
  await checkOrganisation(group, organisationId);
  await checkRoomForUser(group, organisationId);
  await checkUserName(group, name);
  const invited = { invitation: invitation.digest, invited_until: invitation.expiresAt };
  return changed(
    undefined,
    await insertUser(group, {
      organisation_id: organisationId,
      name,
      role,
      password: null,
      ...invited,
      created_at: at,
    }),
  );
}

/** Throws StoreError (`user-exists`). O(users): who is made is rare. */
async function checkUserName({ within }: Group, name: string): Promise<void> {
  const users = await within.selectFrom("users").select("name").where("deleted_at", "is", null).execute();
  const alike = users.find((user) => areAlike(user.name, name));
  if (alike === undefined) return;
  const what =
    keyOfName(alike.name) === keyOfName(name)
      ? `there is a user named ${JSON.stringify(name)} already`
      : `the name ${JSON.stringify(name)} looks like another user's`;
  throw new StoreError("user-exists", `${what}; choose another name`);
}

async function setRole(group: Group, command: SetRoleCommand): Promise<Decision> {
  const row = await findUser(group, command);
  if (row.role === command.role) return { outcome: { user: userOf(row) }, changes: [] };
  if (row.role === "admin") await checkOtherAdmin(group, row);
  return changed(row, await updateUser(group, row, { role: command.role }));
}

async function deleteUser(group: Group, command: DeleteUserCommand): Promise<Decision> {
  const row = await findUser(group, command);
  if (row.role === "admin") await checkOtherAdmin(group, row);
  const ended = await endSessions(group, row);
  const gone = await updateUser(group, row, {
    deleted_at: command.at,
    password: null,
    invitation: null,
    invited_until: null,
  });
  return { outcome: {}, changes: [...ended, recorded(row, gone)] };
}

async function inviteUser(group: Group, command: InviteUserCommand): Promise<Decision> {
  const row = await findUser(group, command);
  const { digest, expiresAt } = command.invitation;
  return changed(row, await updateUser(group, row, { invitation: digest, invited_until: expiresAt }));
}

async function join(group: Group, { invitation, password, session, at }: JoinCommand): Promise<Decision> {
  const row = await group.within
    .selectFrom("users")
    .selectAll()
    .where("invitation", "=", invitation)
    .where("invited_until", ">", at)
    .executeTakeFirst();
  if (row === undefined)
    throw new StoreError(
      "invitation-not-found",
      "the invitation was followed already, has expired, or was replaced by another; ask for a new one",
    );
  const ended = await endSessions(group, row);
  const joined = await updateUser(group, row, { password, invitation: null, invited_until: null });
  return { ...(await startSession(group, row, joined, session, at, ended)), actor: `user:${row.id}` };
}

async function setPassword(group: Group, command: SetPasswordCommand): Promise<Decision> {
  const row = checked(await findUser(group, command), command.checked);
  const ended = await endSessions(group, row, command.session);
  const after = await updateUser(group, row, { password: command.password, invitation: null, invited_until: null });
  return { outcome: {}, changes: [...ended, recorded(row, after)] };
}

async function signIn(group: Group, command: StartSessionCommand): Promise<Decision> {
  const row = checked(await findUser(group, command), command.checked);
  return startSession(group, row, row, command.session, command.at, []);
}

async function signOut({ within }: Group, { digest }: EndSessionCommand): Promise<Decision> {
  const gone = await within.deleteFrom("sessions").where("digest", "=", digest).returning("digest").executeTakeFirst();
  return {
    outcome: {},
    changes: gone === undefined ? [] : [{ change: { kind: "sessions-ended", digests: [digest] } }],
  };
}

/** Throws StoreError (`password-changed`). */
function checked(row: UserRow, password: string): UserRow {
  if (row.password === password) return row;
  throw new StoreError("password-changed", "the password has been changed since; sign in again");
}

/** Throws StoreError (`user-not-found`), also for a deleted user and another organisation's. */
async function findUser(
  { within }: Group,
  { organisationId, userId }: { readonly organisationId: string; readonly userId: string },
): Promise<UserRow> {
  const row = await within
    .selectFrom("users")
    .selectAll()
    .where("id", "=", userId)
    .where("organisation_id", "=", organisationId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) throw new StoreError("user-not-found", `there is no user ${userId}`);
  return row;
}

/** Throws StoreError (`last-admin`). */
async function checkOtherAdmin({ within }: Group, { id, organisation_id }: UserRow): Promise<void> {
  const other = await within
    .selectFrom("users")
    .select("id")
    .where("organisation_id", "=", organisation_id)
    .where("role", "=", "admin")
    .where("id", "!=", id)
    .where("deleted_at", "is", null)
    .where("password", "is not", null)
    .executeTakeFirst();
  if (other === undefined)
    throw new StoreError("last-admin", "this is the organisation's last admin who can sign in; make another one first");
}

function insertUser(
  { within }: Group,
  row: Omit<UserRow, "id" | "name_key" | "last_sign_in_at" | "deleted_at">,
): Promise<UserRow> {
  const values = { ...row, id: randomUUID(), name_key: keyOfName(row.name), last_sign_in_at: null, deleted_at: null };
  return within.insertInto("users").values(values).returningAll().executeTakeFirstOrThrow();
}

function updateUser({ within }: Group, { id }: UserRow, values: Partial<UserRow>): Promise<UserRow> {
  return within.updateTable("users").set(values).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

function changed(before: UserRow | undefined, row: UserRow): Decision {
  return { outcome: { user: userOf(row) }, changes: [recorded(before, row)] };
}

function recorded(before: UserRow | undefined, row: UserRow): Recorded {
  return { change: { kind: "user", user: userOf(row) }, old: before && userOf(before) };
}

/** Ends the user's sessions, but for the one that is kept. */
async function endSessions({ within }: Group, { id }: UserRow, kept = ""): Promise<Recorded[]> {
  const gone = await within
    .deleteFrom("sessions")
    .where("user_id", "=", id)
    .where("digest", "!=", kept)
    .returning("digest")
    .execute();
  return gone.length === 0 ? [] : [{ change: { kind: "sessions-ended", digests: gone.map(({ digest }) => digest) } }];
}

/** `old`: the user as the command found them; `before`: what it has changed already. */
async function startSession(
  group: Group,
  old: UserRow | undefined,
  row: UserRow,
  { digest, expiresAt }: NewSession,
  at: number,
  before: readonly Recorded[],
): Promise<Decision> {
  const { within } = group;
  await within.deleteFrom("sessions").where("expires_at", "<=", at).execute();
  const oldest = await within
    .selectFrom("sessions")
    .select("digest")
    .where("user_id", "=", row.id)
    .orderBy("created_at", "desc")
    .orderBy("digest")
    .execute();
  const ended = oldest.slice(MOST_SESSIONS - 1).map((each) => each.digest);
  if (ended.length > 0) await within.deleteFrom("sessions").where("digest", "in", ended).execute();
  const session: Session = sessionOf(
    await within
      .insertInto("sessions")
      .values({ digest, user_id: row.id, created_at: at, expires_at: expiresAt })
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
  const after = await updateUser(group, row, { last_sign_in_at: at });
  const changes: Recorded[] = [...before, recorded(old, after), { change: { kind: "session", session } }];
  if (ended.length > 0) changes.push({ change: { kind: "sessions-ended", digests: ended } });
  return { outcome: { user: userOf(after), session }, changes, organisationId: row.organisation_id };
}
