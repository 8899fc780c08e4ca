import type { Address } from "../address/address.ts";
import type { Catalogue } from "../cbs/catalogue.ts";
import { type ClaimedCrawler, CrawlerJudge, crawlersIn } from "../cbs/crawler-verdict.ts";

/** Verdicts of one catalogue hold for an hour: whether a list is old changes by the day. */
const JUDGED_FOR = 3_600_000;

const judges = new WeakMap<Catalogue, { readonly judge: CrawlerJudge; readonly since: number }>();

/** The crawler that a request says it is from, judged at the first read. */
export class CrawlerClaim {
  readonly #client: Address | null;
  readonly #userAgent: string | undefined;
  readonly #catalogue: Catalogue | undefined;
  readonly #now: number;
  #claimed: ClaimedCrawler | null | undefined;

  constructor(client: Address | null, userAgent: string | undefined, catalogue: Catalogue | undefined, now: number) {
    this.#client = client;
    this.#userAgent = userAgent;
    this.#catalogue = catalogue;
    this.#now = now;
  }

  /** Null without a catalogue, an address, or a user agent that names a crawler. */
  get claimed(): ClaimedCrawler | null {
    return this.#claimed === undefined ? (this.#claimed = this.#find()) : this.#claimed;
  }

  #find(): ClaimedCrawler | null {
    const [client, catalogue] = [this.#client, this.#catalogue];
    if (client === null || catalogue === undefined || this.#userAgent === undefined) return null;
    const crawlers = crawlersIn(this.#userAgent);
    if (crawlers.length === 0) return null;
    const { table, now } = catalogue;
    const match = table.activeMatch(table.lookupAddress(client), now);
    return judgeOf(catalogue, this.#now).judge(match, crawlers);
  }
}

function judgeOf(catalogue: Catalogue, now: number): CrawlerJudge {
  const known = judges.get(catalogue);
  if (known !== undefined && now - known.since < JUDGED_FOR && now >= known.since) return known.judge;
  const judge = new CrawlerJudge(catalogue, now);
  judges.set(catalogue, { judge, since: now });
  return judge;
}
