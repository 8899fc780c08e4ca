import { invitationLink, makeInvitation } from "../../service/access/invitation.ts";
import { isWebAddress } from "../../service/web-address.ts";
import type { Invitation } from "../../store/command.ts";
import { ROLES, type Role, type State, type User } from "../../store/state.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { nearest } from "../../words/nearest.ts";
import { standardError } from "../output/standard-error.ts";
import { dateText, signature } from "./service-database.ts";
import { UsageError } from "../runner/usage-error.ts";

/** For the commands that print the link of an invitation. */
export const URL_OPTION: Option = {
  name: "url",
  value: "URL",
  help: "URL of the dashboard, for the link; default: $IPSIEVE_BASE_URL, as of serve, otherwise http://127.0.0.1:8080",
};

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
    `there is no user ${JSON.stringify(text)}; ${meant === undefined ? '"ipsieve user list" lists them' : `did you mean ${meant}?`}`,
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
  const fromServer = process.env["IPSIEVE_BASE_URL"] || undefined;
  const base = args.value("url") ?? fromServer ?? "http://127.0.0.1:8080";
  if (!isWebAddress(base)) {
    const place = args.has("url") || fromServer === undefined ? "--url" : "IPSIEVE_BASE_URL";
    throw new UsageError(`${place} ${JSON.stringify(base)}: write http://HOST:PORT or https://HOST`);
  }
  const { token, invitation } = makeInvitation(signature().at);
  const { user } = await write(invitation);
  standardError().write(
    `${user.name} (${user.role}) can choose a password with this link, once, until ${dateText(invitation.expiresAt)}; it is not shown again:\n`,
  );
  process.stdout.write(`${invitationLink(base, token)}\n`);
}
