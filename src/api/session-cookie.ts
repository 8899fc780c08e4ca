import type { FastifyReply, FastifyRequest } from "fastify";
import { digestOfToken, isToken } from "./secret-token.ts";

/** Over TLS a name that no other host and no unencrypted page can set (RFC 6265bis, section 4.1.3). */
export const SECURE_NAME = "__Host-ipsieve";
export const PLAIN_NAME = "ipsieve-session";

/** The digest of the session's token in the request's cookie; undefined where there is none. */
export function sessionDigest(request: FastifyRequest, baseUrl: string): string | undefined {
  const name = isSecure(request, baseUrl) ? SECURE_NAME : PLAIN_NAME;
  const pair = request.headers.cookie?.split(";").find((each) => each.trimStart().startsWith(`${name}=`));
  const token = pair?.slice(pair.indexOf("=") + 1).trim();
  return token !== undefined && isToken(token) ? digestOfToken(token) : undefined;
}

/** Has the browser keep the token for so many seconds; 0: forget it. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, baseUrl: string, token: string, seconds: number): void {
  const secure = isSecure(request, baseUrl);
  const parts = [`${secure ? SECURE_NAME : PLAIN_NAME}=${token}`, "Path=/", `Max-Age=${seconds}`, "HttpOnly", "SameSite=Strict", ...(secure ? ["Secure"] : [])];
  reply.header("set-cookie", parts.join("; "));
}

function isSecure({ protocol }: FastifyRequest, baseUrl: string): boolean {
  return protocol === "https" || baseUrl.startsWith("https:");
}
