import type { MatchId } from "../table/match-id.ts";
import { AS_SOURCE, type Catalogue, type CatalogueSource, sourceUpdatedAt } from "./catalogue.ts";
import { ageDays, OLD_DAYS } from "./catalogue-ages.ts";
import { type Crawler, CRAWLERS } from "./crawlers.ts";

/**
 * `verified`: the address is in the lists of the crawler that the user agent names. `impostor`: it is not, and these
 * lists are complete and not old. `unlisted`: it is not, but that proves nothing: there is no list, or it is incomplete
 * or older than 30 days.
 */
export type CrawlerVerdict = "verified" | "impostor" | "unlisted";

/** What a user agent says about who sent a request, and whether the address agrees. */
export interface ClaimedCrawler {
  readonly verdict: CrawlerVerdict;
  /** `Googlebot` */
  readonly name: string;
  /** The node of the crawler's lists; null if there are none. */
  readonly cbs_id: string | null;
}

/** A token that other letters precede is part of another name; "like Googlebot" names nobody. */
const TOKENS = CRAWLERS.map(({ token }) => token.replace(/[.+]/g, "\\$&")).join("|");
const NAMED = new RegExp(`(?<![a-z0-9_-])(?<!like )(?:${TOKENS})`, "gi");
const ANYWHERE = new RegExp(`${TOKENS}|\\\\u`, "i");
const BY_TOKEN = new Map(CRAWLERS.map((crawler) => [crawler.token.toLowerCase(), crawler]));

/** False if no user agent in this text, which may be JSON, names a crawler; in a fraction of the time. */
export function mayNameCrawler(text: string): boolean {
  return ANYWHERE.test(text);
}

/** The crawlers that a user agent names, in order; most name none. */
export function crawlersIn(userAgent: string): readonly Crawler[] {
  const found = userAgent.match(NAMED);
  return found === null ? [] : [...new Set(found.map((token) => BY_TOKEN.get(token.toLowerCase())!))];
}

/**
 * The crawler that a user agent names, and whether the address agrees, by the lists of the catalogue; null if it names
 * none. Lists older than 30 days at `now` (milliseconds since the Unix epoch) verify, but never show an impostor.
 * @throws AddressError for a malformed address
 */
export function claimedCrawler(
  catalogue: Catalogue,
  address: string,
  userAgent: string,
  now: number = Date.now(),
): ClaimedCrawler | null {
  const { table } = catalogue;
  const match = table.activeMatch(table.lookup(address), catalogue.now);
  const crawlers = crawlersIn(userAgent);
  return crawlers.length === 0 ? null : new CrawlerJudge(catalogue, now).judge(match, crawlers);
}

/** Judges the claims of user agents by a catalogue, as of one moment. */
export class CrawlerJudge {
  readonly #catalogue: Catalogue;
  readonly #now: number;
  readonly #isComplete = new Map<Crawler, boolean>();
  #listed: ReadonlyMap<string, ReadonlySet<CatalogueSource>> | undefined;

  /** `now`, in milliseconds since the Unix epoch, decides which lists are old. */
  constructor(catalogue: Catalogue, now: number = Date.now()) {
    this.#catalogue = catalogue;
    this.#now = now;
  }

  /**
   * The verdict about an address with this match, by the crawlers that its user agent names; null if it names none. Of
   * several, one that is verified counts, then one without a verdict: an impostor is in the lists of none of them.
   */
  judge(match: MatchId, crawlers: readonly Crawler[]): ClaimedCrawler | null {
    let best: ClaimedCrawler | null = null;
    for (const crawler of crawlers) {
      const verdict = this.#verdictOf(match, crawler);
      if (best === null || RANK[verdict] < RANK[best.verdict])
        best = { verdict, name: crawler.name, cbs_id: crawler.node };
    }
    return best;
  }

  /** Whether the lists of any crawler are complete and fresh: otherwise nobody is called an impostor. */
  get canTellImpostors(): boolean {
    return CRAWLERS.some((crawler) => crawler.node !== null && this.#hasAll(crawler));
  }

  #verdictOf(match: MatchId, crawler: Crawler): CrawlerVerdict {
    if (crawler.node === null) return "unlisted";
    if (this.#isIn(match, crawler.node, true)) return "verified";
    if (crawler.network !== undefined && this.#isIn(match, crawler.network, false)) return "unlisted";
    let isComplete = this.#isComplete.get(crawler);
    if (isComplete === undefined) this.#isComplete.set(crawler, (isComplete = this.#hasAll(crawler)));
    return isComplete ? "impostor" : "unlisted";
  }

  /** Whether a covering prefix is in the node or below it; `byList`: as a list says, not AS numbers. */
  #isIn(match: MatchId, id: string, byList: boolean): boolean {
    const { table } = this.#catalogue;
    for (let covering = match; covering !== 0; covering = table.parent(covering))
      for (const value of this.#catalogue.valuesOf(covering)) {
        if (!isAtOrBelow(this.#catalogue.idOf(this.#catalogue.numberOf(value)), id)) continue;
        if (!byList || this.#sourceOf(value)?.id !== AS_SOURCE) return true;
      }
    return false;
  }

  #sourceOf(value: number): CatalogueSource | null {
    return this.#catalogue.metadata.sources[this.#catalogue.sourceOf(value) - 1] ?? null;
  }

  /** Whether each list that the crawler may come from is there, as a whole, and not old. */
  #hasAll({ node, complete = [node!] }: Crawler): boolean {
    return complete.every((id) => {
      const sources = this.#sourcesBelow(id);
      return sources.size > 0 && [...sources].every((source) => source.isPartial !== true && this.#isFresh(source));
    });
  }

  #isFresh(source: CatalogueSource): boolean {
    const time = source.fetchedAt ?? sourceUpdatedAt(source);
    return time !== null && ageDays(Date.parse(time), this.#now) <= OLD_DAYS;
  }

  /** The publishers' lists that name the node or one below it. */
  #sourcesBelow(id: string): Set<CatalogueSource> {
    const found = new Set<CatalogueSource>();
    this.#listed ??= this.#sourcesByNode();
    for (const [node, sources] of this.#listed)
      if (isAtOrBelow(node, id)) for (const source of sources) found.add(source);
    return found;
  }

  /** Of crawlers' nodes. O(values) */
  #sourcesByNode(): Map<string, Set<CatalogueSource>> {
    const byNode = new Map<string, Set<CatalogueSource>>();
    for (let value = 1; value <= this.#catalogue.valueCount; value++) {
      const id = this.#catalogue.idOf(this.#catalogue.numberOf(value));
      const source = this.#sourceOf(value);
      if (!id.startsWith("/bot/") || source === null || source.id === null || source.id === AS_SOURCE) continue;
      const sources = byNode.get(id);
      if (sources === undefined) byNode.set(id, new Set([source]));
      else sources.add(source);
    }
    return byNode;
  }
}

const RANK: Readonly<Record<CrawlerVerdict, number>> = { verified: 0, unlisted: 1, impostor: 2 };

function isAtOrBelow(id: string, root: string): boolean {
  return id === root || id.startsWith(`${root}/`);
}
