import type { Address, Prefix } from "../../src/address/address.ts";
import type { ExtendedCtiDocument } from "../../src/cti/documents.ts";
import { PrefixOracle, prefixBits } from "../oracle/prefix-oracle.ts";

/** What a feed says about an address, as its JSON document. */
export type FeedDocument = Omit<ExtendedCtiDocument, "ip" | "seen">;

const GRAVITY = ["unknown", "benign", "promiscuous", "malicious"];

const united = <Element>(a: readonly Element[], b: readonly Element[]): Element[] =>
  [...new Set([...a, ...b])].sort((x, y) => (typeof x === "number" ? x - Number(y) : x < y ? -1 : 1));
const known = <Value>(values: readonly Value[]): Value[] => values.filter((value) => value !== null && value !== "");
const least = <Value>(none: Value, ...values: Value[]): Value =>
  known(values).sort((a, b) => (a < b ? -1 : 1))[0] ?? none;
const greatest = <Value>(none: Value, ...values: Value[]): Value =>
  known(values).sort((a, b) => (a < b ? 1 : -1))[0] ?? none;

/** The one whose texts and numbers, in order, sort first; unknown values sort last. */
function firstWhole<Whole>(a: Whole, b: Whole, parts: (whole: Whole) => (string | number | null)[]): Whole {
  const [ofA, ofB] = [parts(a), parts(b)];
  for (let i = 0; i < ofA.length; i++) {
    const [x, y] = [ofA[i]!, ofB[i]!];
    if (x === y) continue;
    if (x === null || x === "") return b;
    if (y === null || y === "") return a;
    return x < y ? a : b;
  }
  return a;
}

/** The rules of a union, written out on the JSON documents. Shares no code with src. */
function unite(a: FeedDocument, b: FeedDocument): FeedDocument {
  return {
    spoofable: [a, b].some(({ spoofable }) => spoofable === false) ? false : (a.spoofable ?? b.spoofable),
    classification: GRAVITY[
      Math.max(GRAVITY.indexOf(a.classification), GRAVITY.indexOf(b.classification))
    ] as FeedDocument["classification"],
    actor: least("", a.actor, b.actor),
    tags: united(a.tags, b.tags),
    rdns: least("", a.rdns, b.rdns),
    first_seen: least(null, a.first_seen, b.first_seen),
    last_seen: greatest(null, a.last_seen, b.last_seen),
    active_days: greatest(null, a.active_days, b.active_days),
    tag_ids: united(a.tag_ids, b.tag_ids),
    cve: united(a.cve, b.cve),
    src: {
      asn: firstWhole(a.src.asn, b.src.asn, ({ number, name }) => [number, name]),
      geo: firstWhole(a.src.geo, b.src.geo, ({ country, continent, city }) => [
        country.code,
        country.name,
        continent.code,
        continent.name,
        city,
      ]),
    },
    network: {
      ports: united(a.network.ports, b.network.ports),
      non_spoofable_ports: united(a.network.non_spoofable_ports, b.network.non_spoofable_ports),
    },
    fingerprints: {
      muonfp: united(a.fingerprints.muonfp, b.fingerprints.muonfp),
      ja3: united(a.fingerprints.ja3, b.fingerprints.ja3),
      ja4: united(a.fingerprints.ja4, b.fingerprints.ja4),
    },
    http: { path: united(a.http.path, b.http.path), user_agent: united(a.http.user_agent, b.http.user_agent) },
  };
}

/** The slow answer: a list of prefixes with their documents, read from start to end. */
export class DatasetOracle {
  readonly #prefixes = new PrefixOracle();
  readonly #documents = new Map<string, FeedDocument>();

  add(prefix: Prefix, document: FeedDocument): void {
    const bits = prefixBits(prefix);
    const before = this.#documents.get(bits);
    this.#prefixes.add(prefix, 1);
    this.#documents.set(bits, before === undefined ? document : unite(before, document));
  }

  /** The document of the most specific prefix that covers the address; undefined without one. */
  lookup(address: Address): FeedDocument | undefined {
    const longest = this.#prefixes.matches(address).at(-1);
    return longest && this.#documents.get(prefixBits(longest.prefix));
  }
}
