// `ipsieve/fastify`: the plugin, for fastify 5.

export { type FastifyGuardOptions, guard } from "./middleware/fastify.ts";
export type { ClaimedCrawler, CrawlerVerdict } from "./cbs/crawler-verdict.ts";
export type { Denied, GuardOptions, Holder, ImpostorRule } from "./middleware/guard.ts";
export type { ProxyHeader } from "./middleware/forwarded-for.ts";
export type { Decision, Reason, Visit } from "./middleware/visit.ts";
