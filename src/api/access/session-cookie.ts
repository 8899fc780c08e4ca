import type { FastifyReply, FastifyRequest } from "fastify";
import { readCookie, setCookie } from "../http/cookies.ts";
import { digestOfToken, isToken } from "../../service/access/secret-token.ts";

export const SECURE_NAME = "__Host-ipsieve";
export const PLAIN_NAME = "ipsieve-session";
const NAME = { secure: SECURE_NAME, plain: PLAIN_NAME };

/** The digest of the session's token in the request's cookie; undefined if there is none. */
export function sessionDigest(request: FastifyRequest, baseUrl: string): string | undefined {
  const token = readCookie(request, baseUrl, NAME);
  return token !== undefined && isToken(token) ? digestOfToken(token) : undefined;
}

/** Makes the browser keep the token for this many seconds; 0: delete it. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  token: string,
  seconds: number,
): void {
  setCookie(request, reply, baseUrl, NAME, token, seconds);
}
