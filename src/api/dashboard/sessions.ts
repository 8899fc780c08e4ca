import { Type } from "typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { NewSession } from "../../store/command.ts";
import type { Session, User } from "../../store/state.ts";
import { StoreError } from "../../store/store-error.ts";
import type { App } from "../app-type.ts";
import { signature } from "../commands.ts";
import { BY_ANYBODY, BY_USERS } from "../operation.ts";
import { Problem } from "../problem.ts";
import { digestOfToken, makeToken } from "../secret-token.ts";
import { JoinBody, PasswordBody, sessionDocument, SessionSchema, SignInBody } from "../schemas/session.ts";
import { setSessionCookie } from "../session-cookie.ts";
import type { Services } from "../services.ts";

const tags = ["Sessions"];
const COOKIE = { "Set-Cookie": "the session's" };
const HOUR = 3_600_000;

/** Signing in and out. */
export function addSessionRoutes(app: App, services: Services): void {
  addSession(app, services);
  addSignIn(app, services);
  addPassword(app, services);
}

function addSession(app: App, services: Services): void {
  const { store, settings } = services;
  const get = { operationId: "getSession", summary: "Who has signed in, and what they may do", tags, response: { 200: SessionSchema } };
  app.get("/session", { config: BY_USERS, schema: get }, (request) => sessionDocument(request.live, services, request.now));

  const remove = { operationId: "signOut", summary: "Ends the session", tags, response: { 204: Type.Null() }, responseHeaders: COOKIE };
  app.delete("/session", { config: BY_USERS, schema: remove }, async (request, reply) => {
    await store.write({ kind: "end-session", ...signature(request), digest: request.live.session.digest });
    setSessionCookie(request, reply, settings.baseUrl, "", 0);
    return reply.code(204).send();
  });
}

function addSignIn(app: App, services: Services): void {
  const { store, signIns, passwords } = services;
  const signIn = {
    operationId: "signIn", summary: "Starts a session", description: "An unknown name and a wrong password are answered alike.", tags, problems: [400, 401, 413, 415, 429], body: SignInBody,
    response: { 200: SessionSchema }, responseHeaders: COOKIE, bodyExample: { name: "ann@example.org", password: "correct horse battery staple" },
  };
  app.post("/session", { config: BY_ANYBODY, schema: signIn }, async (request, reply) => {
    const { name, password } = request.body;
    signIns.take(request.ip, name, request.now);
    const known = (await store.credentials(name)) ?? undefined;
    const isRight = await passwords.check(password, known?.password);
    if (known === undefined || !isRight) throw wrongPassword();
    const { userId, organisationId, password: checked } = known;
    return startSession(request, reply, services, (session) =>
      store.write({ kind: "start-session", actor: `user:${userId}`, at: request.now, organisationId, userId, checked, session }));
  });

  const join = {
    operationId: "join", summary: "Follows an invitation: sets the password and starts a session", tags, problems: [400, 401, 413, 415, 429], body: JoinBody,
    response: { 201: SessionSchema }, responseHeaders: COOKIE, bodyExample: { token: "bT9m2Vd0cLrXhQyN8sKfWzA1uE5gJ7pRo3iYtC6xM4a", password: "correct horse battery staple" },
  };
  app.post("/join", { config: BY_ANYBODY, schema: join }, async (request, reply) => {
    const { token, password } = request.body;
    signIns.take(request.ip, undefined, request.now);
    const hash = await passwords.hash(password);
    reply.code(201);
    return startSession(request, reply, services, (session) =>
      store.write({ kind: "join", actor: "user", at: request.now, invitation: digestOfToken(token), password: hash, session }));
  });
}

function addPassword(app: App, { store, signIns, passwords }: Services): void {
  const change = {
    operationId: "changePassword", summary: "Sets another password; the user's other sessions end", tags, problems: [400, 413, 415, 429], body: PasswordBody, response: { 204: Type.Null() },
    bodyExample: { password: "correct horse battery staple", new_password: "wrong donkey charger pin" },
  };
  app.put("/session/password", { config: BY_USERS, schema: change }, async (request, reply) => {
    const { session, user } = request.live;
    const { password, new_password: wanted } = request.body;
    signIns.take(request.ip, user.name, request.now);
    const known = await store.credentials(user.name);
    const isRight = await passwords.check(password, known?.password);
    if (known === null || known.userId !== user.id || !isRight) throw new Problem("permission-denied", "the password is not the present one");
    const hash = await passwords.hash(wanted);
    await store.write({ kind: "set-password", ...signature(request), userId: user.id, checked: known.password, password: hash, session: session.digest });
    return reply.code(204).send();
  });
}

/** Has the store start a session, and answers with it and its cookie. @throws Problem (401) */
export async function startSession(
  request: FastifyRequest, reply: FastifyReply, services: Services, start: (session: NewSession) => Promise<{ readonly user: User; readonly session: Session }>,
): Promise<FastifyReply> {
  const { settings } = services;
  const { text, digest } = makeToken();
  const length = settings.sessionHours * HOUR;
  try {
    const started = await start({ digest, expiresAt: request.now + length });
    setSessionCookie(request, reply, settings.baseUrl, text, length / 1000);
    return reply.send(sessionDocument(started, services, request.now));
  } catch (error) {
    if (error instanceof StoreError && (error.code === "password-changed" || error.code === "user-not-found")) throw wrongPassword();
    throw error;
  }
}

function wrongPassword(): Problem {
  return new Problem("authentication-required", "the name or the password is wrong");
}
