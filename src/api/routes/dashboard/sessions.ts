import { Type } from "typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { NewSession } from "../../../store/command.ts";
import { keyOfName } from "../../../store/name-key.ts";
import type { Invited, Session, User } from "../../../store/state.ts";
import { StoreError } from "../../../store/store-error.ts";
import type { App } from "../../app-type.ts";
import { signature } from "../../http/signed-request.ts";
import { countTries } from "../../access/count-tries.ts";
import type { Applicant } from "../../../service/fair-queue.ts";
import { setDeviceCookie } from "../../access/known-device.ts";
import { PUBLIC, BY_USERS } from "../../operation.ts";
import { Problem } from "../../problem.ts";
import { originOf } from "../../../service/access/rate-limits.ts";
import { digestOfToken, makeToken } from "../../../service/access/secret-token.ts";
import { JoinBody, PasswordBody, sessionDocument, SessionSchema, SignInBody } from "../../schemas/session.ts";
import { setSessionCookie } from "../../access/session-cookie.ts";
import type { Services } from "../../../service/services.ts";
import { rejectWeakPassword } from "../../../service/access/weak-password.ts";

const tags = ["Sessions"];
const COOKIE = { "Set-Cookie": "the session's" };
export const COOKIES = {
  "Set-Cookie":
    "the session's, and the device's: sign-in attempts that send it are not delayed by other clients' attempts for the same name",
};
const HOUR = 3_600_000;

/** Signing in and out. */
export function addSessionRoutes(app: App, services: Services): void {
  addSession(app, services);
  addSignIn(app, services);
  addPassword(app, services);
}

function addSession(app: App, services: Services): void {
  const { store, settings } = services;
  const get = {
    operationId: "getSession",
    summary: "The signed-in user and their permissions",
    tags,
    response: { 200: SessionSchema },
  };
  app.get("/session", { config: BY_USERS, schema: get }, (request) =>
    sessionDocument(request.live, services, request.now),
  );

  const remove = {
    operationId: "signOut",
    summary: "Ends the session",
    tags,
    response: { 204: Type.Null() },
    responseHeaders: COOKIE,
  };
  app.delete("/session", { config: BY_USERS, schema: remove }, async (request, reply) => {
    await store.write({ kind: "end-session", ...signature(request), digest: request.live.session.digest });
    setSessionCookie(request, reply, settings.baseUrl, "", 0);
    return reply.code(204).send();
  });
}

function addSignIn(app: App, services: Services): void {
  const { store } = services;
  const { passwords } = services.access;
  const onRequest = countTries(services);
  const signIn = {
    operationId: "signIn",
    summary: "Starts a session",
    description: "The response is the same for an unknown name and a wrong password.",
    tags,
    problems: [400, 401, 413, 415, 429],
    body: SignInBody,
    response: { 200: SessionSchema },
    responseHeaders: COOKIES,
    bodyExample: { name: "ann@example.org", password: "correct horse battery staple" },
  };
  app.post("/session", { config: PUBLIC, schema: signIn, onRequest }, async (request, reply) => {
    const { name, password } = request.body;
    const by = takeName(request, services, keyOfName(name));
    const known = (await store.read("credentials", name)) ?? undefined;
    const isRight = await passwords.check(password, known?.password, by);
    if (known === undefined || !isRight) throw wrongPassword();
    const { userId, organisationId, password: checked } = known;
    return startSession(request, reply, services, checked, (session) =>
      store.write({
        kind: "start-session",
        actor: `user:${userId}`,
        at: request.now,
        organisationId,
        userId,
        checked,
        session,
      }),
    );
  });

  const join = {
    operationId: "join",
    summary: "Accepts an invitation: sets the password and starts a session",
    tags,
    problems: [400, 401, 413, 415, 429],
    body: JoinBody,
    response: { 201: SessionSchema },
    responseHeaders: COOKIES,
    bodyExample: { token: "bT9m2Vd0cLrXhQyN8sKfWzA1uE5gJ7pRo3iYtC6xM4a", password: "correct horse battery staple" },
  };
  app.post("/join", { config: PUBLIC, schema: join, onRequest }, async (request, reply) => {
    const { token, password } = request.body;
    const invitation = digestOfToken(token);
    const invited = await store.read("invited", invitation, request.now);
    if (invited === null) throw new Problem("authentication-required", NOT_INVITED);
    await rejectWeakPassword("password", password, namesOf(invited, services));
    const hash = await passwords.hash(password, { who: invited.id, isKnown: true });
    reply.code(201);
    return startSession(request, reply, services, hash, (session) =>
      store.write({ kind: "join", actor: "user", at: request.now, invitation, password: hash, session }),
    );
  });
}

/** The names that an attacker knows about a user. */
function namesOf({ name, organisationId }: Invited, { memory }: Services): string[] {
  return [name, memory.organisation(organisationId)?.name ?? ""];
}

const NOT_INVITED = "the invitation was already used, has expired, or was replaced by a newer one; ask for a new one";

/**
 * Counts an attempt for the name, unless it comes from a known device of the user. Returns the applicant for the hash.
 * @throws Problem (429)
 */
function takeName({ ip, device }: FastifyRequest, { access: { signIns } }: Services, nameKey: string): Applicant {
  if (device?.nameKey === nameKey) return { who: device.userId, isKnown: true };
  // The device is another user's, so only the device itself has been counted.
  if (device !== undefined) signIns.takeAddress(ip);
  signIns.takeName(nameKey);
  return { who: originOf(ip), isKnown: false };
}

function addPassword(app: App, services: Services): void {
  const { store } = services;
  const { signIns, passwords } = services.access;
  const change = {
    operationId: "changePassword",
    summary: "Changes the password; the user's other sessions end",
    tags,
    problems: [400, 413, 415, 429],
    body: PasswordBody,
    response: { 204: Type.Null() },
    responseHeaders: { "Set-Cookie": "the device's: an earlier one became invalid with the old password" },
    bodyExample: { password: "correct horse battery staple", new_password: "wrong donkey charger pin" },
  };
  app.put("/session/password", { config: BY_USERS, schema: change }, async (request, reply) => {
    const { session, user } = request.live;
    const { password, new_password: newPassword } = request.body;
    signIns.takeKnown(user.id);
    await rejectWeakPassword("new_password", newPassword, namesOf(user, services));
    const by = { who: user.id, isKnown: true };
    const known = await store.read("credentials", user.name);
    const isRight = await passwords.check(password, known?.password, by);
    if (known === null || known.userId !== user.id || !isRight)
      throw new Problem("permission-denied", "the current password is wrong");
    const hash = await passwords.hash(newPassword, by);
    await store.write({
      kind: "set-password",
      ...signature(request),
      userId: user.id,
      checked: known.password,
      password: hash,
      session: session.digest,
    });
    setDeviceCookie(request, reply, services, user.id, hash);
    return reply.code(204).send();
  });
}

/**
 * Starts a session of the user with the password of this hash, and responds with it and its cookies.
 * @throws Problem (401)
 */
export async function startSession(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  password: string,
  start: (session: NewSession) => Promise<{ readonly user: User; readonly session: Session }>,
): Promise<FastifyReply> {
  const { settings } = services;
  const { text, digest } = makeToken();
  const length = settings.sessionHours * HOUR;
  try {
    const started = await start({ digest, expiresAt: request.now + length });
    request.identity = { kind: "user", id: started.user.id };
    setSessionCookie(request, reply, settings.baseUrl, text, length / 1000);
    setDeviceCookie(request, reply, services, started.user.id, password);
    return reply.send(sessionDocument(started, services, request.now));
  } catch (error) {
    if (error instanceof StoreError && (error.code === "password-changed" || error.code === "user-not-found"))
      throw wrongPassword();
    throw error;
  }
}

function wrongPassword(): Problem {
  return new Problem("authentication-required", "name or password is wrong");
}
