import type { FastifyReply, FastifyRequest } from "fastify";
import { vary } from "./content-coding.ts";
import { Problem } from "../problem.ts";

/**
 * The offered media type that the request's Accept header prefers; the first one without a header, with an empty one,
 * or among equals (RFC 9110, section 12.5.1). @throws Problem (406)
 */
export function chooseType<Type extends string>(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  offered: readonly Type[],
): Type {
  vary(reply, "Accept");
  const accepted = headers.accept?.trim() || "*/*";
  // What most clients send.
  if (accepted === "*/*" || accepted === offered[0]) return offered[0]!;
  const ranges = accepted.split(",").map(parseRange);
  let best: Type | undefined;
  let bestQuality = 0;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > bestQuality) [best, bestQuality] = [type, quality];
  }
  if (best !== undefined) return best;
  throw new Problem("not-acceptable", `the Accept header allows none of ${offered.join(", ")}`);
}

interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

function parseRange(text: string): MediaRange {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((each) => each.startsWith("q="));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** The weight of the most specific range that matches. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  const wide = `${type.slice(0, type.indexOf("/"))}/*`;
  for (const pattern of [type, wide, "*/*"]) {
    const range = ranges.find((each) => each.type === pattern);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
