import type { Exchange, Fault } from "../fuzz/broken-server.ts";

function asking(change: (exchange: Exchange) => Exchange): Fault {
  return { operation: "all", run: (exchange, ask) => ask(change(exchange)) };
}

/** Reads that use the key of the first client. */
function keepsTheFirstKey(): Fault {
  let first: string | string[] | undefined;
  return asking((exchange) => {
    first ??= exchange.headers["x-api-key"];
    const isRead = exchange.method === "GET" && exchange.path.startsWith("/v1/edl/ip-rulesets/?");
    return isRead ? { ...exchange, headers: { ...exchange.headers, "x-api-key": first } } : exchange;
  });
}

const without = (name: string): Fault =>
  asking((exchange) => ({ ...exchange, headers: { ...exchange.headers, [name]: undefined } }));
const instead = (from: string | RegExp, to: string): Fault =>
  asking((exchange) => ({ ...exchange, body: exchange.body.replace(from, to) }));

/** Services that break one rule of the real one, to which they forward. The model must disagree with each. */
export const BROKEN_SERVICES: Readonly<Record<string, () => Fault>> = {
  "lists rulesets of another organisation": keepsTheFirstKey,
  "overrides where it should extend": () =>
    instead('"conflict_resolution":"extend"', '"conflict_resolution":"override"'),
  "skips where it should fail": () => instead('"conflict_resolution":"fail"', '"conflict_resolution":"skip"'),
  "lists expired rules as active": () =>
    asking((exchange) => ({ ...exchange, path: exchange.path.replace("active_only=true", "active_only=false") })),
  "gives another page": () => asking((exchange) => ({ ...exchange, path: exchange.path.replace("page=2", "page=1") })),
  "carries repeated requests out again": () => without("idempotency-key"),
  "replaces without a look at If-Match": () => without("if-match"),
  "carries out batches that fail in part": () => instead('"atomic":true', '"atomic":false'),
  "says 304 to everybody": () => ({
    operation: "all",
    run: (exchange, ask) =>
      ask(
        exchange.headers["if-none-match"] === undefined
          ? exchange
          : { ...exchange, headers: { ...exchange.headers, "if-none-match": "*" } },
      ),
  }),
  "tells that a foreign ruleset exists": () => ({
    operation: "all",
    run: async (exchange, ask) => {
      const answer = await ask(exchange);
      const isForeign = answer.status === 404 && /ip-rulesets\/[^1][^/]*$/.test(exchange.path);
      return isForeign ? { ...answer, status: 403 } : answer;
    },
  }),
};
