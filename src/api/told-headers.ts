/** Headers that several operations read or give, with what the OpenAPI document tells of them. */
export const IDEMPOTENT = { "Idempotency-Key": "makes a repetition of the request give the first one's answer" } as const;
export const CONDITIONAL = { "If-None-Match": "an ETag that is known already: the answer is 304 if it still holds" } as const;
export const TAGGED = { ETag: "changes with the answer, also when rules expire" } as const;
/** If-Match, with what the tag is of. */
export function matching(what: string) {
  return { "If-Match": `the ETag of ${what}, or several of them: where it has changed since, the answer is 412` };
}
