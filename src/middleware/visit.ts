import type { Address } from "../address/address.ts";
import { formatAddress } from "../address/format-address.ts";
import type { Catalogue } from "../cbs/catalogue.ts";
import type { ClaimedCrawler } from "../cbs/crawler-verdict.ts";
import { identify } from "../cbs/identify.ts";
import type { LookupDocument } from "../cbs/lookup-document.ts";
import { CrawlerClaim } from "./crawler-claim.ts";
import type { Network, Networks } from "../networks/networks.ts";
import type { Rule } from "../rulesets/rule.ts";

/** Why a request is allowed or denied. */
export type Reason =
  /** A rule of an allowlist covers the client. */
  | "allow-rule"
  /** A rule of a blocklist covers the client, and none of an allowlist. */
  | "deny-rule"
  /** The user agent names a crawler that the client is not. */
  | "impostor"
  /** No rule covers the client: `otherwise` decides. */
  | "no-rule"
  /** The client's address cannot be determined. */
  | "unknown-client";

/** What was decided about a request. */
export interface Decision {
  readonly isAllowed: boolean;
  readonly reason: Reason;
  /** The most specific active rule of the ruleset that decides; null if none does. */
  readonly rule: Rule | null;
}

/** What is known about the client of a request: `request.ipsieve`. */
export class Visit implements Decision {
  readonly isAllowed: boolean;
  readonly reason: Reason;
  readonly rule: Rule | null;
  readonly #client: Address | null;
  readonly #catalogue: Catalogue | undefined;
  readonly #crawler: CrawlerClaim;
  readonly #networks: Networks | undefined;
  #services: LookupDocument | null | undefined;
  #network: Network | null | undefined;

  constructor(
    client: Address | null,
    decision: Decision,
    catalogue: Catalogue | undefined,
    networks: Networks | undefined,
    crawler: CrawlerClaim = new CrawlerClaim(client, undefined, catalogue, 0),
  ) {
    this.#client = client;
    this.#crawler = crawler;
    this.#catalogue = catalogue;
    this.#networks = networks;
    this.isAllowed = decision.isAllowed;
    this.reason = decision.reason;
    this.rule = decision.rule;
  }

  /** The client's address in canonical form; null if it cannot be determined. */
  get address(): string | null {
    return this.#client === null ? null : formatAddress(this.#client);
  }

  /**
   * The crawler that the user agent names, and whether the address agrees (`verdict`: "verified", "impostor" or
   * "unlisted"); null if it names none, and without a catalogue or an address.
   */
  get crawler(): ClaimedCrawler | null {
    return this.#crawler.claimed;
  }

  /** The services that the address belongs to, looked up at the first read; null without a catalogue or an address. */
  get services(): LookupDocument | null {
    if (this.#services === undefined) {
      const [client, catalogue] = [this.#client, this.#catalogue];
      this.#services =
        client === null || catalogue === undefined ? null : identify(catalogue, client, formatAddress(client));
    }
    return this.#services;
  }

  /**
   * Who announces the address (AS number, organisation) and its country, looked up at the first read; null without
   * networks or an address, and where no one does.
   */
  get network(): Network | null {
    if (this.#network === undefined) {
      const [client, networks] = [this.#client, this.#networks];
      this.#network = client === null || networks === undefined ? null : networks.networkOf(client);
    }
    return this.#network;
  }
}
