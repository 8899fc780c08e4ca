import type { Decision } from "./visit.ts";

/** The media type of a denial (RFC 9457). */
export const PROBLEM_TYPE = "application/problem+json";

/** The body of a denial. It does not reveal the rule to the client. */
export function denial({ reason }: Decision, url: string): object {
  return {
    type: "/problems/permission-denied",
    title: "Permission Denied",
    status: 403,
    detail:
      reason === "unknown-client"
        ? "The client's address cannot be determined."
        : reason === "impostor"
          ? "The user agent names a crawler that does not come from this address."
          : "The client's address is not allowed.",
    instance: url.replace(/[?#].*$/s, ""),
  };
}
