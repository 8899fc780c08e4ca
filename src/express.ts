// `ipsieve/express`: the middleware. The package itself is not needed for its types or its code.

export { type ExpressGuardOptions, guard, type GuardedRequest, type Next } from "./middleware/express.ts";
export type { ClaimedCrawler, CrawlerVerdict } from "./cbs/crawler-verdict.ts";
export type { Denied, GuardOptions, Holder, ImpostorRule } from "./middleware/guard.ts";
export type { ProxyHeader } from "./middleware/forwarded-for.ts";
export type { Decision, Reason, Visit } from "./middleware/visit.ts";
