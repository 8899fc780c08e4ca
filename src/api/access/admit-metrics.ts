import type { FastifyRequest } from "fastify";
import { isSameDigest } from "../../store/records/api-key.ts";
import { Problem } from "../problem.ts";
import { digestOfToken } from "../../service/access/secret-token.ts";
import type { Settings } from "../../service/settings.ts";

/** Headers that proxies add to the requests they forward. */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/** Who may read the metrics, which reveal how much the service is used. "hidden": respond as if there were none. */
export function metricsAdmission({
  host,
  metrics,
  metricsToken,
  trustProxy,
}: Settings): (request: FastifyRequest) => "admitted" | "hidden" | Problem {
  if (metrics === "off") return () => "hidden";
  if (metricsToken !== "") {
    const digest = digestOfToken(metricsToken);
    return ({ headers }) =>
      isSameDigest(digestOfToken(/^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? ""), digest)
        ? "admitted"
        : rejection();
  }
  if (metrics === "on") return () => "admitted";
  const isLocal = isLoopback(host) && trustProxy === "";
  return ({ headers }) =>
    isLocal && PROXY_HEADERS.every((name) => headers[name] === undefined) ? "admitted" : "hidden";
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function rejection(): Problem {
  return new Problem(
    "authentication-required",
    "the metrics need the token configured for the server, as Authorization: Bearer TOKEN",
    { headers: { "www-authenticate": "Bearer" } },
  );
}
