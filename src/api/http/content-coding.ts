import type { FastifyReply, FastifyRequest } from "fastify";

/** What answers may be coded with, the smaller one first. */
export const CODINGS = ["br", "gzip"] as const;
export type Coding = (typeof CODINGS)[number];

type Weights = ReadonlyMap<string, number>;

/**
 * The coding among those offered that the request's Accept-Encoding likes best, the first of equals; undefined: none,
 * the answer as it is (RFC 9110, section 12.5.3).
 */
export function chooseCoding(request: FastifyRequest, offered: readonly Coding[] = CODINGS): Coding | undefined {
  const weights = weightsOf(request);
  if (weights === undefined) return undefined;
  // As it is only where that is liked better, not where nothing is said of it.
  let [best, most]: [Coding | undefined, number] = [undefined, weights.get("identity") ?? 0];
  for (const coding of offered) {
    const weight = weightOf(weights, coding);
    if (weight > 0 && (best === undefined ? weight >= most : weight > most)) [best, most] = [coding, weight];
  }
  return best;
}

/** Whether the client takes an answer of this coding, or (undefined) one as it is. */
export function takesCoding(request: FastifyRequest, coding: Coding | undefined): boolean {
  const weights = weightsOf(request);
  if (coding === undefined) return weights === undefined || (weights.get("identity") ?? weights.get("*") ?? 1) > 0;
  return weights !== undefined && weightOf(weights, coding) > 0;
}

function weightsOf({ headers }: FastifyRequest): Weights | undefined {
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

/** Says that the answer has another form for who asks otherwise: for caches. */
export function vary(reply: FastifyReply, header: "Accept" | "Accept-Encoding"): void {
  const before = reply.getHeader("vary");
  if (before === undefined) reply.header("vary", header);
  else if (!String(before).split(", ").includes(header)) reply.header("vary", `${String(before)}, ${header}`);
}

/**
 * Tells what the answer is coded with. Each form of what has a tag has a tag of its own: the same with the coding
 * after a dot.
 */
export function setCoding(reply: FastifyReply, coding: Coding): void {
  reply.header("content-encoding", coding).removeHeader("content-length");
  const tag = reply.getHeader("etag");
  // That of a write is about what was written.
  if (typeof tag === "string" && /^(GET|HEAD)$/.test(reply.request.method)) reply.header("etag", codedTag(tag, coding));
}

function codedTag(tag: string, coding: Coding): string {
  return `${tag.slice(0, -1)}.${coding}"`;
}

const CODED = new RegExp(`\\.(${CODINGS.join("|")})"$`);

/** The tag of a representation, and the coding that it was sent in. No other tags have a dot. */
export function readCodedTag(tag: string): { readonly plain: string; readonly coding: Coding | undefined } {
  const coding = CODED.exec(tag)?.[1] as Coding | undefined;
  return { plain: tag.replace(CODED, '"'), coding };
}
