/** Headers that several operations read or give, with what the OpenAPI document tells of them. */
export const IDEMPOTENT = {
  "Idempotency-Key": "makes a repetition of the request give the first one's answer",
} as const;
export const CONDITIONAL = {
  "If-None-Match": "an ETag that is known already: the answer is 304 if it still holds",
} as const;
export const TAGGED = { ETag: "changes with the answer, also when rules expire" } as const;
export const AFTER = {
  "X-After-Sequence":
    "the X-Sequence of an answer: this answer knows all that that one did, whichever server gave it, or is 503 after 5 seconds",
} as const;
export const SEQUENCE = {
  "X-Sequence": {
    sometimes:
      "the number of the last change that the answer may know of, for X-After-Sequence; none where nobody was let in",
  },
} as const;
/** If-Match, with what the tag is of. */
export function matching(what: string) {
  return { "If-Match": `the ETag of ${what}, or several of them: where it has changed since, the answer is 412` };
}
