import type { CreateUserCommand } from "../command.ts";
import type { User } from "../state.ts";
import type { Account, Recorded } from "./_decision.ts";

export function newAccount(
  id: string,
  {
    organisationId,
    name,
    role,
    password,
    invitation,
    at,
  }: Pick<Account, "organisationId" | "name" | "role" | "password"> & {
    readonly invitation: CreateUserCommand["invitation"] | null;
    readonly at: number;
  },
): Account {
  return {
    id,
    organisationId,
    name,
    role,
    createdAt: at,
    lastSignInAt: null,
    invitedUntil: invitation?.expiresAt ?? null,
    deletedAt: null,
    password,
    invitation: invitation?.digest ?? null,
  };
}

/** What readers may see of a user. */
export function userOf({ password: _password, invitation: _invitation, ...user }: Account): User {
  return user;
}

export function recordedUser(before: Account | undefined, account: Account): Recorded {
  return { change: { kind: "user", user: userOf(account) }, old: before && userOf(before) };
}
