import { makeToken } from "../../../src/service/access/secret-token.ts";
import { PLAIN_NAME } from "../../../src/api/access/session-cookie.ts";
import type { Role } from "../../../src/store/state.ts";
import { type Answer, ask, type Question, type TestServer } from "../start-server.ts";

/** A user who has signed in. */
export interface TestUser {
  readonly id: string;
  readonly name: string;
  readonly organisationId: string;
  /** The session's token. */
  readonly token: string;
}

/** A user with a session; created without a known password, because hashing one takes long. */
export async function addUser(
  { server, clock }: TestServer,
  organisationId: string,
  role: Role,
  name = `${role} of ${organisationId}`,
): Promise<TestUser> {
  const about = { actor: "command:test", at: clock.now };
  const [invitation, session] = [makeToken(), makeToken()];
  const expiresAt = clock.now + 1e12;
  const { user } = await server.store.write({
    kind: "create-user",
    ...about,
    organisationId,
    name,
    role,
    invitation: { digest: invitation.digest, expiresAt },
  });
  await server.store.write({
    kind: "join",
    ...about,
    invitation: invitation.digest,
    password: "none",
    session: { digest: session.digest, expiresAt },
  });
  return { id: user.id, name, organisationId, token: session.text };
}

export interface PageQuestion extends Question {
  /** A session's token. */
  readonly token?: string | undefined;
  /** null: not sent, as no browser does. */
  readonly origin?: string | null;
}

/** One request to the dashboard's interface, as its pages send it. */
export function visit(
  t: TestServer,
  method: string,
  path: string,
  { token, origin = t.server.url, headers, ...question }: PageQuestion = {},
): Promise<Answer> {
  const cookie: Record<string, string> = token === undefined ? {} : { Cookie: `${PLAIN_NAME}=${token}` };
  return ask(t, method, `/dashboard/api${path}`, {
    ...question,
    headers: { ...cookie, ...(origin === null ? {} : { Origin: origin }), ...headers },
  });
}

/** The token of the session that a response has started. */
export function tokenOf({ headers }: Answer): string {
  return new RegExp(`${PLAIN_NAME}=([^;]*)`).exec(headers.get("set-cookie") ?? "")![1]!;
}
