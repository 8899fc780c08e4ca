import { Type } from "typebox";
import { makeInvitation } from "../../service/access/invitation.ts";
import { readUserName } from "../../service/access/read-user.ts";
import type { Services } from "../../service/services.ts";
import type { Invitation } from "../../store/command.ts";
import type { User } from "../../store/state.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { App } from "../app-type.ts";
import { BY_ADMINS } from "../operation.ts";
import { Id, named, NullableTimestamp, strict, timeOrNull, Timestamp } from "../schemas/common.ts";
import { Role, UserName } from "../schemas/session.ts";
import { type Resource, ResourceRoutes } from "./resource.ts";

const UserSchema = named(
  "User",
  Type.Object({
    id: Id,
    name: Type.String(),
    role: Role,
    created_at: Timestamp,
    last_sign_in_at: NullableTimestamp,
    invited: Type.Boolean({ description: "whether there is an invitation that can be accepted" }),
  }),
);
const CreateBody = named("CreateUserRequest", Type.Object({ name: UserName, role: Role }, strict));
const UpdateBody = named("UpdateUserRequest", Type.Object({ role: Role }, strict));
const Invited = {
  invitation: Type.Object({
    token: Type.String({ description: "for the link /#/join?token=...; it is not shown again" }),
    expires_at: Timestamp,
  }),
};
const secret = { name: "InvitedUser", of: "user", members: Invited };

/** The organisation's users. They choose their passwords themselves, by accepting an invitation. */
const users: Resource<User, typeof UserSchema> = {
  name: "User",
  tags: ["Users"],
  path: "/users",
  one: "/users/:user_id",
  params: Type.Object({ user_id: Id }),
  read: BY_ADMINS,
  write: BY_ADMINS,
  document: UserSchema,
  documents: (some, { now }) =>
    some.map(({ id, name, role, createdAt, lastSignInAt, invitedUntil }) => ({
      id,
      name,
      role,
      created_at: formatTimestamp(createdAt),
      last_sign_in_at: timeOrNull(lastSignInAt),
      invited: invitedUntil !== null && now < invitedUntil,
    })),
  row: ({ memory }, organisationId, id) => {
    const user = memory.user(organisationId, id);
    return user?.deletedAt === null ? user : undefined;
  },
  unknown: () => "unknown user; listUsers lists yours",
};

export function addUserRoutes(app: App, services: Services): void {
  const { store, memory } = services;
  const routes = new ResourceRoutes(app, services, users);
  routes.list({ summary: "The users of the organisation" }, ({ caller }) => memory.users(caller.organisationId));
  routes.create(
    {
      summary: "Creates a user and an invitation for them",
      body: CreateBody,
      bodyExample: { name: "bob@example.org", role: "viewer" },
      secret,
    },
    ({ body: { role, ...given }, by }) => {
      const name = readUserName(given.name);
      return invite(by.at, (invitation) => store.write({ kind: "create-user", ...by, name, role, invitation }));
    },
  );
  routes.update(
    {
      summary: "Changes the role of a user; the last admin must stay an admin",
      problems: [409],
      body: UpdateBody,
      bodyExample: { role: "editor" },
    },
    async ({ id: userId }, { body: { role }, by }) =>
      (await store.write({ kind: "set-role", ...by, userId, role })).user,
  );
  routes.remove(
    { summary: "Deletes a user and ends their sessions; the last admin cannot be deleted", problems: [409] },
    (userId, { by }) => store.write({ kind: "delete-user", ...by, userId }),
  );
  routes.act(
    "/invitation",
    {
      operationId: "inviteUser",
      summary: "Creates a new invitation, also for users who forgot their password",
      description:
        "Earlier invitations become invalid. An existing password works until the new invitation is accepted.",
      secret,
      status: 201,
    },
    ({ id: userId }, { by }) =>
      invite(by.at, (invitation) => store.write({ kind: "invite-user", ...by, userId, invitation })),
  );
}

async function invite(now: number, write: (invitation: Invitation) => Promise<{ readonly user: User }>) {
  const { token, invitation } = makeInvitation(now);
  const { user } = await write(invitation);
  return { row: user, invitation: { token, expires_at: formatTimestamp(invitation.expiresAt) } };
}
