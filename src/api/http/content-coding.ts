import type { FastifyReply, FastifyRequest } from "fastify";

/** The available content codings, the one with smaller results first. */
export const CODINGS = ["br", "gzip"] as const;
export type Coding = (typeof CODINGS)[number];

type Weights = ReadonlyMap<string, number>;

/**
 * The offered coding that the request's Accept-Encoding prefers, the first of equals; undefined: none, the response
 * stays uncompressed (RFC 9110, section 12.5.3).
 */
export function chooseCoding(request: FastifyRequest, offered: readonly Coding[] = CODINGS): Coding | undefined {
  const weights = weightsOf(request);
  if (weights === undefined) return undefined;
  // Uncompressed only if that is preferred, not if the header does not mention it.
  let [best, most]: [Coding | undefined, number] = [undefined, weights.get("identity") ?? 0];
  for (const coding of offered) {
    const weight = weightOf(weights, coding);
    if (weight > 0 && (best === undefined ? weight >= most : weight > most)) [best, most] = [coding, weight];
  }
  return best;
}

/** Whether the client accepts a response in this coding, or (undefined) an uncompressed one. */
export function takesCoding(request: Pick<FastifyRequest, "headers">, coding: Coding | undefined): boolean {
  const weights = weightsOf(request);
  if (coding === undefined) return weights === undefined || (weights.get("identity") ?? weights.get("*") ?? 1) > 0;
  return weights !== undefined && weightOf(weights, coding) > 0;
}

function weightsOf({ headers }: Pick<FastifyRequest, "headers">): Weights | undefined {
  const header = headers["accept-encoding"];
  if (header === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const part of String(header).split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
    const weight = parameters.find((each) => each.startsWith("q="));
    const number = weight === undefined ? 1 : Number(weight.slice(2));
    weights.set(coding === "x-gzip" ? "gzip" : coding, number >= 0 && number <= 1 ? number : 0);
  }
  return weights;
}

function weightOf(weights: Weights, coding: Coding): number {
  return weights.get(coding) ?? weights.get("*") ?? 0;
}

/** Declares to caches that the response depends on this request header. */
export function vary(reply: FastifyReply, header: "Accept" | "Accept-Encoding"): void {
  const before = reply.getHeader("vary");
  if (before === undefined) reply.header("vary", header);
  else if (!String(before).split(", ").includes(header)) reply.header("vary", `${String(before)}, ${header}`);
}

/**
 * Declares the coding of the response. Each coded form of a tagged response has a tag of its own: the same, with the
 * coding after a dot.
 */
export function setCoding(reply: FastifyReply, coding: Coding): void {
  reply.header("content-encoding", coding).removeHeader("content-length");
  const tag = reply.getHeader("etag");
  // The tag in the response to a write belongs to what was written, not to this representation.
  if (typeof tag === "string" && /^(GET|HEAD)$/.test(reply.request.method)) reply.header("etag", codedTag(tag, coding));
}

function codedTag(tag: string, coding: Coding): string {
  return `${tag.slice(0, -1)}.${coding}"`;
}

const CODED = new RegExp(`\\.(${CODINGS.join("|")})"$`);

/** The tag of a representation, and the coding in which it was sent. No other tags contain a dot. */
export function readCodedTag(tag: string): { readonly plain: string; readonly coding: Coding | undefined } {
  const coding = CODED.exec(tag)?.[1] as Coding | undefined;
  return { plain: tag.replace(CODED, '"'), coding };
}
