import { timingSafeEqual } from "node:crypto";
import type { App } from "../../app-type.ts";
import { countTries } from "../../access/count-tries.ts";
import { PUBLIC } from "../../operation.ts";
import { Problem } from "../../problem.ts";
import { readOrganisationName, readUserName } from "../../../service/access/read-user.ts";
import { digestOfToken } from "../../../service/access/secret-token.ts";
import { SessionSchema, Setup, SetupBody } from "../../schemas/session.ts";
import type { Services } from "../../../service/services.ts";
import { rejectWeakPassword } from "../../../service/access/weak-password.ts";
import { COOKIES, startSession } from "./sessions.ts";

const tags = ["Sessions"];

/** The first user. A token exists only if the server started without any user; it is printed then. */
export function addSetupRoutes(app: App, services: Services): void {
  const { store, memory } = services;
  const { passwords } = services.access;
  const get = {
    operationId: "getSetup",
    summary: "Whether the first user is yet to be created",
    tags,
    response: { 200: Setup },
  };
  app.get("/setup", { config: PUBLIC, schema: get }, () => ({ needed: !memory.hasUsers }));

  const setUp = {
    operationId: "setUp",
    summary: "Creates the first user, an admin, and starts a session",
    description: "If no organisation has this name, it is created with all plans.",
    tags,
    problems: [400, 401, 409, 413, 415, 429],
    body: SetupBody,
    response: { 201: SessionSchema },
    responseHeaders: COOKIES,
    bodyExample: {
      token: "bT9m2Vd0cLrXhQyN8sKfWzA1uE5gJ7pRo3iYtC6xM4a",
      organisation: "Example",
      name: "ann@example.org",
      password: "correct horse battery staple",
    },
  };
  app.post("/setup", { config: PUBLIC, schema: setUp, onRequest: countTries(services) }, async (request, reply) => {
    const { token, password } = request.body;
    const organisation = readOrganisationName(request.body.organisation);
    const name = readUserName(request.body.name);
    if (memory.hasUsers) throw new Problem("conflict", "users already exist; ask an admin for an invitation");
    if (!isSetupToken(services, token))
      throw new Problem("authentication-required", "this is not the token the server printed at its last start");
    await rejectWeakPassword("password", password, [name, organisation]);
    const hash = await passwords.hash(password, { who: "", isKnown: true });
    reply.code(201);
    return startSession(request, reply, services, hash, (session) =>
      store.write({
        kind: "set-up",
        actor: "command:setup",
        at: request.now,
        organisation,
        name,
        password: hash,
        session,
      }),
    );
  });
}

function isSetupToken({ access: { setupDigest: expected } }: Services, token: string): boolean {
  return expected !== null && timingSafeEqual(Buffer.from(expected), Buffer.from(digestOfToken(token)));
}
