import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * A cookie's two names: the one used over TLS can be set by no other host and no unencrypted page (RFC 6265bis, section
 * 4.1.3).
 */
export interface CookieName {
  readonly secure: string;
  readonly plain: string;
}

/** The value of the request's cookie; undefined if there is none. */
export function readCookie(request: FastifyRequest, baseUrl: string, name: CookieName): string | undefined {
  return parseCookie(request.headers.cookie ?? "")[isSecure(request, baseUrl) ? name.secure : name.plain];
}

/**
 * Makes the browser keep the value for this many seconds; 0: delete it. No script can read it, and no other site's page
 * sends it.
 */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  name: CookieName,
  value: string,
  seconds: number,
): void {
  const secure = isSecure(request, baseUrl);
  const options = { path: "/", maxAge: seconds, httpOnly: true, sameSite: "strict", secure } as const;
  reply.header("set-cookie", stringifySetCookie({ name: secure ? name.secure : name.plain, value, ...options }));
}

function isSecure({ protocol }: FastifyRequest, baseUrl: string): boolean {
  return protocol === "https" || baseUrl.startsWith("https:");
}
