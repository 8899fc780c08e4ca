import type { FastifyRequest } from "fastify";

/** The first of `offered` that the request's Accept-Encoding takes; undefined: none of them (RFC 9110, section 12.5.3). */
export function chooseCoding<Coding extends string>({ headers }: FastifyRequest, offered: readonly Coding[]): Coding | undefined {
  const weights = new Map<string, number>();
  for (const part of String(headers["accept-encoding"] ?? "").split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
    const weight = parameters.find((each) => each.startsWith("q="));
    weights.set(coding, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return offered.find((coding) => (weights.get(coding) ?? weights.get("*") ?? 0) > 0);
}
