import type { NewSession } from "../command.ts";
import type { Session, User } from "../state.ts";
import { recordedUser, userOf } from "./_accounts.ts";
import type { Account, Recorded, Write } from "./_decision.ts";

/** Maximum simultaneous sessions of one user; the oldest end. */
const MAX_SESSIONS = 20;

interface Part {
  readonly changes: readonly Recorded[];
  readonly writes: readonly Write[];
}

export function endSessions(sessions: readonly Session[]): Part {
  const digests = sessions.map(({ digest }) => digest);
  if (digests.length === 0) return { changes: [], writes: [] };
  return { changes: [{ change: { kind: "sessions-ended", digests } }], writes: [{ delete: "sessions", digests }] };
}

/**
 * A session of a user who signs in. `before`: the user as the command found them, `account`: as the command leaves
 * them; `sessions`: those that the user still has.
 */
export function startSession(
  before: Account | undefined,
  account: Account,
  sessions: readonly Session[],
  { digest, expiresAt }: NewSession,
  at: number,
): Part & {
  readonly outcome: { readonly user: User; readonly session: Session };
  readonly organisationId: string;
} {
  const ended = endSessions(oldestOf(sessions, at));
  const session: Session = { digest, userId: account.id, createdAt: at, expiresAt };
  const after: Account = { ...account, lastSignInAt: at };
  return {
    outcome: { user: userOf(after), session },
    changes: [recordedUser(before, after), { change: { kind: "session", session } }, ...ended.changes],
    writes: [
      { delete: "expired-sessions", at },
      ...ended.writes,
      { insert: "session", session },
      { save: "user", account: after },
    ],
    organisationId: account.organisationId,
  };
}

/** The sessions that end to make room for another one. */
function oldestOf(sessions: readonly Session[], at: number): Session[] {
  return sessions
    .filter(({ expiresAt }) => expiresAt > at)
    .sort((a, b) => b.createdAt - a.createdAt || (a.digest < b.digest ? -1 : 1))
    .slice(MAX_SESSIONS - 1);
}
