import type { FastifyReply, FastifyRequest } from "fastify";
import type { IfMatch } from "../../store/if-match.ts";
import { readCodedTag, takesCoding } from "./content-coding.ts";

/** Sets the tag, and returns whether the client has that version already (If-None-Match); the response is 304 then. */
export function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.header("etag", tag);
  // The dashboard revalidates every time: another user may sign in to the same browser.
  if (request.route.config.scope !== "dashboard") reply.header("cache-control", "private, no-cache");
  const known = request.headers["if-none-match"];
  if (known === undefined) return false;
  if (known.trim() === "*") return true;
  // In a coding that it would not accept now, the client's copy is of no use to it.
  const [, weak = "", opaque] = /^(W\/)?(.*)$/.exec(tag)!;
  const same = codedTagsIn(known).find(({ plain, coding }) => plain === opaque && takesCoding(request, coding));
  if (same?.coding !== undefined) reply.header("etag", `${weak}${same.tag}`);
  return same !== undefined;
}

/** A tag of a header, weak or strong. */
const TAG = /(W\/)?("[^"]*")/g;

/** Tags of a header, without the prefix of weak ones: If-None-Match compares weakly (RFC 9110, section 13.1.2). */
function codedTagsIn(header: string): ({ readonly tag: string } & ReturnType<typeof readCodedTag>)[] {
  return Array.from(header.matchAll(TAG), ([, , tag]) => ({ tag: tag!, ...readCodedTag(tag!) }));
}

/** The same, without their codings. */
function tagsIn(header: string): string[] {
  return codedTagsIn(header).map(({ plain }) => plain);
}

/**
 * The versions that a write requires (If-Match), for the store to check; undefined without that header and for `*`,
 * because the operation finds out itself whether the resource exists. Tags compare strongly: a weak one matches nothing
 * (RFC 9110, section 13.1.1). Only the version of a ruleset's tag counts; rules that have expired since are not a
 * change, nor is another list of a deployment.
 */
export function ifMatch({ headers }: FastifyRequest): IfMatch | undefined {
  const header = headers["if-match"];
  if (header === undefined || header.trim() === "*") return undefined;
  const strong = Array.from(header.matchAll(TAG)).flatMap(([, weak, tag]) =>
    weak === undefined ? [readCodedTag(tag!).plain] : [],
  );
  return {
    versions: found(strong, /^"([1-9]\d{0,14}\.[0-9a-f]{8})-\d+(?:-\w+)*"$/),
    rules: found(strong, RULE_TAG),
    lists: found(strong, /^"l-([\w-]{22})-\d+"$/),
    deployments: found(strong, /^"d-([\w-]{22})-[\w-]{22}"$/),
  };
}

/** What must not exist when a rule is added (If-None-Match): any rule, or one of these tags. */
export function rulesNotMatched({ headers }: FastifyRequest): "*" | readonly string[] | undefined {
  const header = headers["if-none-match"];
  return header === undefined ? undefined : header.trim() === "*" ? "*" : found(tagsIn(header), RULE_TAG);
}

const RULE_TAG = /^"r-([\w-]{22})"$/;

/** The values in the tags that have this syntax. */
function found(tags: readonly string[], syntax: RegExp): string[] {
  return tags.flatMap((tag) => syntax.exec(tag)?.[1] ?? []);
}
