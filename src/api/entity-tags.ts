import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { LiveRuleset } from "./service-memory.ts";

/**
 * The tag of what is told about a ruleset at `now`: the version of its last change, and how many of its rules have expired. Without a write the
 * set of active rules changes exactly when that number does.
 */
export function rulesetTag({ about, rules }: LiveRuleset, now: number, representation = ""): string {
  return `"${about.version}-${rules.expiredCount(now)}${representation === "" ? "" : `-${representation}`}"`;
}

/** The tag of a list of rulesets. */
export function listTag(rulesets: readonly LiveRuleset[], now: number): string {
  const parts = rulesets.map(({ about, rules }) => `${about.id} ${about.version} ${rules.expiredCount(now)}`);
  return tagOf(parts.join("\n"));
}

/** The tag of an answer that depends on what this text says, and on nothing else. */
export function tagOf(text: string): string {
  return `"${hash("sha256", text, "base64url").slice(0, 22)}"`;
}

/** Tells the tag, and whether the client has that already (If-None-Match); the answer is 304 then. */
export function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.header("etag", tag);
  // The dashboard asks anew each time: another user may sign in to the same browser.
  if (request.route.config.door !== "dashboard") reply.header("cache-control", "private, no-cache");
  const known = request.headers["if-none-match"];
  if (known === undefined) return false;
  return known.trim() === "*" || tagsIn(known).includes(tag);
}

/** Tags of a header, without the mark of weak ones: If-None-Match compares weakly (RFC 9110, section 13.1.2). */
function tagsIn(header: string): string[] {
  return header.split(",").map((each) => each.trim().replace(/^W\//, ""));
}

/**
 * The version that the ruleset must have (If-Match), none without that header; -1, which none has, where no tag of the header can be a ruleset's. A
 * tag names the version; that rules have expired since changes none of them.
 */
export function requiredVersion(request: FastifyRequest, { about }: LiveRuleset): number | undefined {
  const wanted = request.headers["if-match"];
  if (wanted === undefined || wanted.trim() === "*") return undefined;
  const versions = tagsIn(wanted).map((tag) => Number(/^"(\d{1,15})-/.exec(tag)?.[1] ?? -1));
  return versions.includes(about.version) ? about.version : (versions[0] ?? -1);
}
