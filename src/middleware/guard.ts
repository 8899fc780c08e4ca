import type { Address } from "../address/address.ts";
import { Catalogue } from "../cbs/catalogue.ts";
import { Networks } from "../networks/networks.ts";
import type { Rule } from "../rulesets/rule.ts";
import { Ruleset } from "../rulesets/ruleset.ts";
import { ClientFinder } from "./client-finder.ts";
import { PROXY_HEADERS, type ProxyHeader } from "./forwarded-for.ts";
import { CrawlerClaim } from "./crawler-claim.ts";
import { type Decision, Visit } from "./visit.ts";

/** Holds the newest version of something, such as a `SnapshotHolder`: it is read at every request. */
export interface Holder<Content> {
  readonly current: { readonly content: Content } | undefined;
}

/** Denies clients whose user agents name a crawler that they are not, by the lists of `catalogue`. */
export interface ImpostorRule {
  readonly impostors: boolean;
}

/** One of the things that clients are denied by. */
export type Denied = Ruleset | Holder<Ruleset> | ImpostorRule;

/** How a guard decides. */
export interface GuardOptions {
  /** For `services`, `crawler`, and to deny impostors. */
  readonly catalogue?: Catalogue | Holder<Catalogue>;
  /** For `network`. */
  readonly networks?: Networks | Holder<Networks>;
  /** Clients that one of these rulesets covers are allowed, even if one of `deny` covers them too. */
  readonly allow?: Ruleset | Holder<Ruleset> | readonly (Ruleset | Holder<Ruleset>)[];
  /**
   * Clients that one of these rulesets covers are denied. `{ impostors: true }`, alone or among them: also those that
   * call themselves a crawler, such as Googlebot, and are elsewhere than its complete list of the last 30 days says.
   */
  readonly deny?: Denied | readonly Denied[];
  /** What to do with clients that no ruleset covers. Default "allow". */
  readonly otherwise?: "allow" | "deny";
  /**
   * Your proxies: addresses and prefixes, and "unix" for those that connect through a Unix socket. Only what they write
   * in the header is trusted. Default none.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * The header to which your proxies append the address that the request came from. The other one is never read: a
   * client could send it. Default "x-forwarded-for".
   */
  readonly proxyHeader?: ProxyHeader;
  /** If false, nothing is denied; the decision can only be read. Default true. */
  readonly enforce?: boolean;
}

/** As in Node: repeated headers of these names are joined by commas. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const OPTIONS: Readonly<Record<keyof GuardOptions, true>> = {
  catalogue: true,
  networks: true,
  allow: true,
  deny: true,
  otherwise: true,
  trustedProxies: true,
  proxyHeader: true,
  enforce: true,
};

type Sources = readonly (() => Ruleset)[];

/** Decides about requests; the same for every framework. */
export class Guard {
  readonly #clients: ClientFinder;
  readonly #catalogue: () => Catalogue | undefined;
  readonly #networks: () => Networks | undefined;
  readonly #allow: Sources;
  readonly #deny: Sources;
  readonly #deniesImpostors: boolean;
  readonly #isOpen: boolean;
  readonly #enforces: boolean;

  /** @throws TypeError for invalid options, AddressError for a malformed proxy */
  constructor(options: GuardOptions) {
    const { trustedProxies = [], proxyHeader = "x-forwarded-for", otherwise = "allow", enforce = true } = options;
    checkNames(options);
    if (!PROXY_HEADERS.includes(proxyHeader)) throw wrong("proxyHeader", proxyHeader, PROXY_HEADERS.join(" or "));
    if (otherwise !== "allow" && otherwise !== "deny") throw wrong("otherwise", otherwise, "allow or deny");
    if (typeof enforce !== "boolean") throw wrong("enforce", enforce, "true or false");
    if (!Array.isArray(trustedProxies)) throw wrong("trustedProxies", trustedProxies, "an array of prefixes");
    this.#clients = new ClientFinder(trustedProxies, proxyHeader);
    this.#catalogue =
      options.catalogue === undefined ? () => undefined : sourceOf("catalogue", options.catalogue, Catalogue);
    this.#networks =
      options.networks === undefined ? () => undefined : sourceOf("networks", options.networks, Networks);
    this.#allow = rulesetsOf("allow", options.allow);
    const denied: readonly Denied[] =
      options.deny === undefined ? [] : isList(options.deny) ? options.deny : [options.deny];
    this.#deny = rulesetsOf(
      "deny",
      denied.filter((one): one is Ruleset | Holder<Ruleset> => !isImpostorRule(one)),
    );
    this.#deniesImpostors = denied.some((one) => isImpostorRule(one) && one.impostors);
    if (this.#deniesImpostors && options.catalogue === undefined)
      throw new TypeError("to deny impostors, the guard needs the lists of crawlers; give it a catalogue");
    this.#isOpen = otherwise === "allow";
    this.#enforces = enforce;
  }

  /** What is known and decided about a request: its peer's address as the socket gives it, and its headers. */
  visit(remote: string | undefined, headers: Headers): Visit {
    const client = this.#clients.find(remote, (name) => headers[name]?.toString());
    const now = Date.now();
    const crawler = new CrawlerClaim(client, headers["user-agent"]?.toString(), this.#catalogue(), now);
    return new Visit(client, this.#decide(client, crawler, now), this.#catalogue(), this.#networks(), crawler);
  }

  /** Whether a request is to be denied. */
  denies({ isAllowed }: Decision): boolean {
    return this.#enforces && !isAllowed;
  }

  /** Allow before block, as in the service; an address that cannot be determined might be on any blocklist. */
  #decide(client: Address | null, crawler: CrawlerClaim, now: number): Decision {
    if (client === null) return { isAllowed: false, reason: "unknown-client", rule: null };
    const allowing = deciding(this.#allow, client, now);
    if (allowing !== null) return { isAllowed: true, reason: "allow-rule", rule: allowing };
    const denying = deciding(this.#deny, client, now);
    if (denying !== null) return { isAllowed: false, reason: "deny-rule", rule: denying };
    if (this.#deniesImpostors && crawler.claimed?.verdict === "impostor")
      return { isAllowed: false, reason: "impostor", rule: null };
    return { isAllowed: this.#isOpen, reason: "no-rule", rule: null };
  }
}

function deciding(sources: Sources, client: Address, now: number): Rule | null {
  for (const source of sources) {
    const rule = source().check(client, now);
    if (rule !== null) return rule;
  }
  return null;
}

/** A guard with a misspelt option would let everyone in. `onDeny` is read before, by each framework. */
function checkNames(options: GuardOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined)
    throw new TypeError(
      `there is no option ${JSON.stringify(unknown)}; the options are ${[...Object.keys(OPTIONS), "onDeny"].join(", ")}`,
    );
}

/** A holder may have any members, but a rule about impostors has this one alone. */
function isImpostorRule(one: Denied): one is ImpostorRule {
  if (typeof one !== "object" || one === null || one instanceof Ruleset || !("impostors" in one)) return false;
  const unknown = Object.keys(one).find((name) => name !== "impostors");
  if (unknown !== undefined)
    throw new TypeError(`deny: beside impostors, there is no option ${JSON.stringify(unknown)}`);
  if (typeof one.impostors !== "boolean") throw wrong("deny.impostors", one.impostors, "true or false");
  return true;
}

function rulesetsOf(name: string, given: GuardOptions["allow"]): Sources {
  if (given === undefined) return [];
  return (isList(given) ? given : [given]).map((one) => sourceOf(name, one, Ruleset));
}

function isList<One>(given: One | readonly One[]): given is readonly One[] {
  return Array.isArray(given);
}

/** Returns the newest version; throws if a holder has loaded nothing yet, so that no request passes unchecked. */
function sourceOf<Content extends object>(
  name: string,
  given: Content | Holder<Content>,
  kind: abstract new (...args: never[]) => Content,
): () => Content {
  if (given instanceof kind) return () => given;
  if (typeof given !== "object" || given === null || !("current" in given))
    throw wrong(name, given, `a ${kind.name}, or a holder of one`);
  return () => {
    const content = given.current?.content;
    if (content instanceof kind) return content;
    throw new TypeError(`${name}: the holder has no ${kind.name}; open it before the first request`);
  };
}

function wrong(name: string, value: unknown, expected: string): TypeError {
  const shown = typeof value === "object" && value !== null ? "an object" : JSON.stringify(value);
  return new TypeError(`${name} is ${expected}, not ${shown}`);
}
