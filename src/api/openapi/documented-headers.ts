/** Headers of several operations' requests or responses, as the OpenAPI document describes them. */
export const IDEMPOTENT = {
  "Idempotency-Key": "a repeated request with the same key gets the first response",
} as const;
export const CONDITIONAL = {
  "If-None-Match": "a known ETag: the response is 304 if nothing has changed",
} as const;
export const TAGGED = { ETag: "changes with the response, also when rules expire" } as const;
export const AFTER = {
  "X-After-Sequence":
    "the X-Sequence of an earlier response, from any server: this response includes all changes up to it, or is 503 after 5 seconds",
} as const;
export const SEQUENCE = {
  "X-Sequence": {
    sometimes:
      "the number of the last change the response may include, for X-After-Sequence; absent if authentication failed",
  },
} as const;
/** If-Match, with the resource of the tag. */
export function matching(what: string) {
  return { "If-Match": `the ETag of ${what}, or several of them; if it has changed since, the response is 412` };
}
