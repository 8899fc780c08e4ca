import type { Random } from "../../bench/data/random.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { lastAddress } from "../../src/address/range.ts";
import { AS_SOURCE, Catalogue } from "../../src/cbs/catalogue.ts";
import { CRAWLERS } from "../../src/cbs/crawlers.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";

/** Beside Google's, the crawlers whose lists come with ipsieve as a whole, by their tokens. */
const WHOLE = new Set(
  "bingbot Applebot DuckDuckBot GPTBot OAI-SearchBot ChatGPT-User PerplexityBot Perplexity-User AhrefsBot AhrefsSiteAudit CCBot".split(
    " ",
  ),
);

/** The bundled catalogue as if its lists had been fetched at `now`; those of which only a part came along stay so. */
export async function freshCatalogue(now: number): Promise<Catalogue> {
  const { table, metadata } = await openCatalogue();
  const fetchedAt = new Date(now).toISOString();
  return new Catalogue({ ...metadata, sources: metadata.sources.map((of) => ({ ...of, fetchedAt })) }, table);
}

/** A line of a log, and what is true of it by the way it was made. */
export interface CrawlerLine {
  readonly line: string;
  readonly expected: "verified" | "impostor" | "unlisted" | "none";
}

/**
 * Lines without end: crawlers at addresses of their own lists, others that use their names from addresses that no list
 * of a crawler has, and browsers, half of which ask for a page that is named after a crawler.
 */
export function* crawlerLog(catalogue: Catalogue, random: Random): Generator<CrawlerLine> {
  const { table } = catalogue;
  const ofBots = ([4, 6] as const).flatMap((family) =>
    [...table.entries(family)].flatMap(({ prefix, match }) =>
      catalogue
        .claimsOf(match)
        .filter(({ node, source }) => node.type === "bot" && source?.id !== AS_SOURCE)
        .map(({ node }) => ({ prefix, id: node.id })),
    ),
  );
  const crawlers = CRAWLERS.map((crawler) => ({
    crawler,
    prefixes: ofBots.filter(
      ({ id }) => crawler.node !== null && (id === crawler.node || id.startsWith(`${crawler.node}/`)),
    ),
    isComplete: WHOLE.has(crawler.token) || crawler.node === "/bot/google",
  }));
  for (;;) {
    const { crawler, prefixes, isComplete } = crawlers[random.below(crawlers.length)]!;
    const kind = random.below(3);
    const isListed = kind === 0 && prefixes.length > 0;
    const { prefix } = isListed ? prefixes[random.below(prefixes.length)]! : { prefix: null };
    const address =
      prefix === null
        ? { family: 4 as const, w0: random.word(), w1: 0, w2: 0, w3: 0 }
        : random.below(2) === 0
          ? prefix
          : lastAddress(prefix);
    const nodes = catalogue.nodesOf(table.lookupAddress(address));
    // Other networks of the operators prove nothing.
    const isNear = nodes.some(({ type, id }) => type === "bot" || /^\/saas\/(google|apple|anthropic)(\/|$)/.test(id));
    if (!isListed && isNear) continue;
    const named = `Mozilla/5.0 (compatible; ${crawler.token}/1.0)`;
    const [page, agent] = kind === 2 ? [crawler.token, "Mozilla/5.0 (X11; Linux x86_64) Chrome/130"] : ["", named];
    const line = `${formatAddress(address)} - - [17/Jun/2026:19:00:00 +0000] "GET /${page} HTTP/1.1" 200 5 "-" "${agent}"`;
    yield { line, expected: kind === 2 ? "none" : isListed ? "verified" : isComplete ? "impostor" : "unlisted" };
  }
}
