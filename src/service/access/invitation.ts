import type { Invitation } from "../../store/command.ts";
import { makeToken } from "./secret-token.ts";

/** How long an invitation is valid: seven days. */
const LASTS = 7 * 86_400_000;

/** A new invitation. The token is shown once and not stored; the store gets `invitation`. */
export function makeInvitation(now: number): { readonly token: string; readonly invitation: Invitation } {
  const { text, digest } = makeToken();
  return { token: text, invitation: { digest, expiresAt: now + LASTS } };
}

/** The link that accepts it; `base` is the dashboard's address. */
export function invitationLink(base: string, token: string): string {
  return `${base.replace(/\/$/, "")}/#/join?token=${token}`;
}
