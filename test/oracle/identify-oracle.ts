import { oracleFormat } from "./address-oracle.ts";

/**
 * A prefix in these nodes, as the number of its first address (an IPv4 address has the number of its mapped form) and a
 * length within 128 bits.
 */
export interface Named {
  readonly first: bigint;
  readonly length: number;
  readonly ids: readonly string[];
  /** For each id, at the same index, its source and when that was updated. */
  readonly sources: readonly { readonly source: string | null; readonly source_updated_at: string | null }[];
}

const MAPPED = 0xffffn;

/**
 * The slow answer about addresses in a catalogue: goes through all its prefixes, and applies the contract to those that
 * cover the address. Shares no code with src.
 */
export class IdentifyOracle {
  readonly #named: readonly Named[];
  readonly #nameOf: (id: string) => string;
  /** The indexes of the IPv4 prefixes and of the others, and for each index four words and four masks. */
  readonly #ipv4: Uint32Array;
  readonly #ipv6: Uint32Array;
  readonly #words: Uint32Array;
  readonly #masks: Uint32Array;
  /** By the covering prefixes, which determine everything except the address. */
  readonly #known = new Map<string, string>();

  constructor(named: readonly Named[], nameOf: (id: string) => string) {
    this.#named = named;
    this.#nameOf = nameOf;
    const places = named.map((_, place) => place);
    const isIpv4 = (place: number): boolean => named[place]!.first >> 32n === MAPPED && named[place]!.length >= 96;
    this.#ipv4 = Uint32Array.from(places.filter(isIpv4));
    this.#ipv6 = Uint32Array.from(places.filter((place) => !isIpv4(place)));
    this.#words = Uint32Array.from(named.flatMap(({ first }) => wordsOf(first)));
    this.#masks = Uint32Array.from(
      named.flatMap(({ length }) => wordsOf(((1n << BigInt(length)) - 1n) << BigInt(128 - length))),
    );
  }

  /** The document of an address as JSON, without its first member, `ip`. O(prefixes). */
  document(address: bigint): string {
    const covering = this.#covering(address);
    const key = covering.join(" ");
    let document = this.#known.get(key);
    if (document === undefined) this.#known.set(key, (document = this.#write(covering)));
    return document;
  }

  #covering(address: bigint): number[] {
    const [w0, w1, w2, w3] = wordsOf(address) as [number, number, number, number];
    const words = this.#words;
    const masks = this.#masks;
    const covering: number[] = [];
    if (address >> 32n === MAPPED) {
      for (const place of this.#ipv4)
        if ((w3 & masks[4 * place + 3]!) >>> 0 === words[4 * place + 3]) covering.push(place);
      return covering;
    }
    for (const place of this.#ipv6) {
      const at = 4 * place;
      if ((w0 & masks[at]!) >>> 0 !== words[at] || (w1 & masks[at + 1]!) >>> 0 !== words[at + 1]) continue;
      if ((w2 & masks[at + 2]!) >>> 0 === words[at + 2] && (w3 & masks[at + 3]!) >>> 0 === words[at + 3])
        covering.push(place);
    }
    return covering;
  }

  #write(covering: readonly number[]): string {
    const prefixes = covering.map((place) => this.#named[place]!).sort((a, b) => b.length - a.length);
    const ids = sorted(prefixes.flatMap((prefix) => prefix.ids));
    const places = ids.map(placeOf);
    const matches = prefixes.flatMap((prefix) =>
      claimsOf(prefix).map(({ id, ...source }) => ({
        ...placeOf(id),
        cidr: cidrOf(prefix),
        cbs_id: id,
        label: this.#label(id),
        ...source,
      })),
    );
    return JSON.stringify({
      found: prefixes.length > 0,
      cidr: prefixes.length > 0 ? cidrOf(prefixes[0]!) : null,
      labels: sorted(ids.map((id) => this.#label(id))),
      cbs_ids: ids,
      providers: sorted(places.map((place) => place.provider)),
      types: sorted(places.map((place) => place.type)),
      services: sorted(places.map((place) => place.service)),
      regions: sorted(places.map((place) => place.region)),
      matches,
    });
  }

  #label(id: string): string {
    const parts = id.startsWith("/") ? id.slice(1).split("/") : [];
    return parts.length === 0
      ? this.#nameOf(id)
      : parts.map((_, i) => this.#nameOf(`/${parts.slice(0, i + 1).join("/")}`)).join(" > ");
  }
}

/** Each id with its source, sorted by id. */
function claimsOf({ ids, sources }: Named) {
  return ids.map((id, i) => ({ id, ...sources[i]! })).sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

function wordsOf(value: bigint): number[] {
  return [96n, 64n, 32n, 0n].map((shift) => Number((value >> shift) & 0xffff_ffffn));
}

function sorted(texts: readonly (string | null)[]): string[] {
  return [...new Set(texts.filter((text): text is string => text !== null && text !== ""))].sort();
}

function cidrOf({ first, length }: Named): string {
  const bits = first >> 32n === MAPPED && length >= 96 ? length - 96 : length;
  return length === 128 ? oracleFormat(first) : `${oracleFormat(first)}/${bits}`;
}

function placeOf(id: string): { provider: string; type: string; service: string | null; region: string | null } {
  if (!id.startsWith("/")) return { provider: id, type: "list", service: null, region: null };
  const [, type = "", provider = "", kind, one, other] = id.split("/");
  const [service = null, region = null] =
    kind === "by-service" ? [one, other] : kind === "by-region" ? [other, one] : [kind];
  return { provider, type, service, region: region?.toLowerCase() === "global" ? null : region };
}
