import { invitationLink, makeInvitation } from "../../service/access/invitation.ts";
import type { Invitation } from "../../store/command.ts";
import { ROLES, type Role, type State, type User } from "../../store/state.ts";
import type { Arguments } from "../runner/command.ts";
import { nearest } from "../../words/nearest.ts";
import { standardError } from "../runner/standard-error.ts";
import { baseUrlOf, LOCAL_URL } from "./base-url.ts";
import { dateText, signature } from "./service-database.ts";
import { UsageError } from "../runner/usage-error.ts";

/** The user with this name, ignoring case, or with this id. Throws UsageError. */
export function chosenUser({ users }: State, text: string): User {
  const present = users.filter(({ deletedAt }) => deletedAt === null);
  const found = present.find(({ id, name }) => id === text || name.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const meant = nearest(
    text,
    present.map(({ name }) => name),
  );
  throw new UsageError(
    `there is no user ${JSON.stringify(text)}; ${meant === undefined ? '"ipsieve admin user list" lists them' : `did you mean ${meant}?`}`,
  );
}

/** Throws UsageError. */
export function checkedRole(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (role === undefined) throw new UsageError(`unknown role ${JSON.stringify(text)}; choose from ${ROLES.join(", ")}`);
  return role;
}

/** Creates an invitation: only the link goes to stdout, messages go to stderr. Throws UsageError. */
export async function invite(
  args: Arguments,
  write: (invitation: Invitation) => Promise<{ readonly user: User }>,
): Promise<void> {
  const base = baseUrlOf(args) ?? LOCAL_URL;
  const { token, invitation } = makeInvitation(signature().at);
  const { user } = await write(invitation);
  standardError().write(
    `${user.name} (${user.role}) can choose a password with this link, once, until ${dateText(invitation.expiresAt)}; it is not shown again:\n`,
  );
  process.stdout.write(`${invitationLink(base, token)}\n`);
}
