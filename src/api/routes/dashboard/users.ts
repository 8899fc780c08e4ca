import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { formatTimestamp } from "../../../time/format-timestamp.ts";
import type { Invitation } from "../../../store/command.ts";
import type { User } from "../../../store/state.ts";
import type { App } from "../../app-type.ts";
import { signature } from "../../http/signed-request.ts";
import { makeInvitation } from "../../../service/access/invitation.ts";
import { BY_ADMINS } from "../../operation.ts";
import { notFound } from "../../problem.ts";
import { readUserName } from "../../../service/access/read-user.ts";
import {
  CreateUserBody,
  InvitedUser,
  UpdateUserBody,
  userDocument,
  UserList,
  UserParameters,
  UserSchema,
} from "../../schemas/user.ts";
import type { ServiceMemory } from "../../../service/store/service-memory.ts";
import type { Services } from "../../../service/services.ts";

const tags = ["Users"];
const params = UserParameters;

/** The organisation's users. They choose their passwords themselves, by accepting an invitation. */
export function addUserRoutes(app: App, services: Services): void {
  addListAndCreation(app, services);
  addChanges(app, services);
  addInvitation(app, services);
}

function addListAndCreation(app: App, { store, memory }: Services): void {
  const list = {
    operationId: "listUsers",
    summary: "The users of the organisation",
    tags,
    response: { 200: UserList },
  };
  app.get("/users", { config: BY_ADMINS, schema: list }, ({ caller, now }) => {
    const items = memory.users(caller.organisationId).map((user) => userDocument(user, now));
    return { items, count: items.length };
  });

  const create = {
    operationId: "createUser",
    summary: "Creates a user and an invitation for them",
    tags,
    problems: [400, 409, 413, 415],
    body: CreateUserBody,
    response: { 201: InvitedUser },
    bodyExample: { name: "bob@example.org", role: "viewer" },
  };
  app.post("/users", { config: { ...BY_ADMINS, hasSecret: true }, schema: create }, async (request, reply) => {
    const { role } = request.body;
    const name = readUserName(request.body.name);
    const answer = await invite(request.now, (invitation) =>
      store.write({ kind: "create-user", ...signature(request), name, role, invitation }),
    );
    return reply.code(201).send(answer);
  });
}

function addChanges(app: App, { store, memory }: Services): void {
  const update = {
    operationId: "updateUser",
    summary: "Changes the role of a user; the last admin must stay an admin",
    tags,
    problems: [400, 404, 409, 413, 415],
    params,
    body: UpdateUserBody,
    response: { 200: UserSchema },
    bodyExample: { role: "editor" },
  };
  app.patch("/users/:user_id", { config: BY_ADMINS, schema: update }, async (request) => {
    const { user } = await store.write({
      kind: "set-role",
      ...signature(request),
      userId: findUser(request, memory).id,
      role: request.body.role,
    });
    return userDocument(user, request.now);
  });

  const remove = {
    operationId: "deleteUser",
    summary: "Deletes a user and ends their sessions; the last admin cannot be deleted",
    tags,
    problems: [404, 409],
    params,
    response: { 204: Type.Null() },
  };
  app.delete("/users/:user_id", { config: BY_ADMINS, schema: remove }, async (request, reply) => {
    await store.write({ kind: "delete-user", ...signature(request), userId: findUser(request, memory).id });
    return reply.code(204).send();
  });
}

function addInvitation(app: App, { store, memory }: Services): void {
  const again = {
    operationId: "inviteUser",
    summary: "Creates a new invitation, also for users who forgot their password",
    description: "Earlier invitations become invalid. An existing password works until the new invitation is accepted.",
    tags,
    problems: [404],
    params,
    response: { 201: InvitedUser },
  };
  app.post(
    "/users/:user_id/invitation",
    { config: { ...BY_ADMINS, hasSecret: true }, schema: again },
    async (request, reply) => {
      const { id: userId } = findUser(request, memory);
      return reply
        .code(201)
        .send(
          await invite(request.now, (invitation) =>
            store.write({ kind: "invite-user", ...signature(request), userId, invitation }),
          ),
        );
    },
  );
}

/** @throws Problem (404), also for a deleted user and for another organisation's */
function findUser({ caller, params }: FastifyRequest, memory: ServiceMemory): User {
  const user = memory.user(caller.organisationId, (params as { user_id: string }).user_id.toLowerCase());
  if (user !== undefined && user.deletedAt === null) return user;
  throw notFound("unknown user; listUsers lists yours");
}

async function invite(now: number, write: (invitation: Invitation) => Promise<{ readonly user: User }>) {
  const { token, invitation } = makeInvitation(now);
  const { user } = await write(invitation);
  return { user: userDocument(user, now), invitation: { token, expires_at: formatTimestamp(invitation.expiresAt) } };
}
