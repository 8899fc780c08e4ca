import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * A cookie's two names: over TLS one that no other host and no unencrypted page can set (RFC 6265bis, section 4.1.3).
 */
export interface CookieName {
  readonly secure: string;
  readonly plain: string;
}

/** The value of the request's cookie; undefined where there is none. */
export function readCookie(
  request: FastifyRequest,
  baseUrl: string,
  { secure, plain }: CookieName,
): string | undefined {
  const name = isSecure(request, baseUrl) ? secure : plain;
  const pair = request.headers.cookie?.split(";").find((each) => each.trimStart().startsWith(`${name}=`));
  return pair?.slice(pair.indexOf("=") + 1).trim();
}

/**
 * Has the browser keep the value for so many seconds; 0: forget it. No script can read it, and no other site's page
 * sends it.
 */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  { secure, plain }: CookieName,
  value: string,
  seconds: number,
): void {
  const isOverTls = isSecure(request, baseUrl);
  const parts = [
    `${isOverTls ? secure : plain}=${value}`,
    "Path=/",
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(isOverTls ? ["Secure"] : []),
  ];
  reply.header("set-cookie", parts.join("; "));
}

function isSecure({ protocol }: FastifyRequest, baseUrl: string): boolean {
  return protocol === "https" || baseUrl.startsWith("https:");
}
