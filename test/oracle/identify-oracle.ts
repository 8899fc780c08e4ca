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
      primary: this.#primary(prefixes),
      labels: sorted(ids.map((id) => this.#label(id))),
      cbs_ids: ids,
      providers: sorted(places.map((place) => place.provider)),
      types: sorted(places.map((place) => place.type)),
      services: sorted(places.map((place) => place.service)),
      regions: sorted(places.map((place) => place.region)),
      matches,
    });
  }

  /** The rule of `primaryOf` as rounds over all claims: the first round that one of them passes decides. */
  #primary(prefixes: readonly Named[]): object | null {
    const all = prefixes.flatMap((prefix) =>
      claimsOf(prefix).map((claim) => ({ ...claim, ...placeOf(claim.id), prefix, cidr: cidrOf(prefix) })),
    );
    if (all.length === 0) return null;
    const isOwner = ({ type, service }: Place): boolean => ["cloud", "isp"].includes(type) && isWhole(service);
    const isListed = ({ source }: { source: string | null }): boolean => source !== "asn";
    const own = all.filter(({ prefix }) => prefix === prefixes[0]);
    const first = best(own)!;
    const rounds: ((claim: (typeof all)[number]) => boolean)[] = [
      ({ type }) => type === "bot",
      (claim) => claim.prefix === prefixes[0] && claim === first && isListed(claim) && !isOwner(claim),
      (claim) =>
        isListed(claim) &&
        (claim.type === first.type && claim.provider === first.provider
          ? !isWhole(claim.service)
          : !["cloud", "isp"].includes(claim.type)),
      () => true,
    ];
    const passed = rounds.map((round) => all.filter(round)).find((claims) => claims.length > 0)!;
    const chosen = best(passed.filter(({ prefix }) => prefix === passed[0]!.prefix))!;
    const { id, provider, type, service, region, cidr, source } = chosen;
    const regions = prefixes
      .map((prefix) =>
        all.filter((claim) => claim.prefix === prefix && claim.type === type && claim.provider === provider),
      )
      .map((claims) => best(claims.filter((claim) => claim.region !== null))?.region ?? null);
    return {
      name: this.#nameOfClaim(id, provider, type, service),
      cbs_id: id,
      provider,
      type,
      service,
      region: region ?? regions.find((found) => found !== null) ?? null,
      cidr,
      source,
    };
  }

  #nameOfClaim(id: string, provider: string, type: string, service: string | null): string {
    if (!id.startsWith("/")) return this.#nameOf(id);
    const root = this.#nameOf(`/${type}/${provider}`);
    if (isWhole(service)) return root;
    const at = id.split("/").findIndex((part, i) => i > 2 && part === service && !part.startsWith("by-"));
    const name = this.#nameOf(
      id
        .split("/")
        .slice(0, at + 1)
        .join("/"),
    );
    if (name === "All services") return root;
    const words = [...root.matchAll(/[\p{L}\p{N}.]{3,}/gu)].map(([word]) => word);
    const begins = (word: string): boolean => name.slice(0, word.length).toLowerCase() === word.toLowerCase();
    if (words.length > 2 && begins(`${words.map((word) => word.slice(0, 1)).join("")} `)) return name;
    for (let front = 0; front < words.length; front++)
      if (begins(words[front]!)) return words.slice(0, front).concat(name).join(" ");
    return `${root} ${name}`;
  }

  #label(id: string): string {
    const parts = id.startsWith("/") ? id.slice(1).split("/") : [];
    return parts.length === 0
      ? this.#nameOf(id)
      : parts.map((_, i) => this.#nameOf(`/${parts.slice(0, i + 1).join("/")}`)).join(" > ");
  }
}

interface Place {
  readonly provider: string;
  readonly type: string;
  readonly service: string | null;
  readonly region: string | null;
}

/** Services that stand for all of their provider. */
function isWhole(service: string | null): boolean {
  return service === null || ["amazon", "azurecloud", "google-cloud", "oci"].includes(service);
}

/** The first one of claims about one prefix, by texts that sort like the rule. */
function best<Claim extends Place & { readonly id: string; readonly source: string | null }>(
  claims: readonly Claim[],
): Claim | undefined {
  const rank = ({ source, type, service, region }: Claim): string =>
    [
      source === "asn" ? 1 : 2,
      { bot: 4, cloud: 2, isp: 1 }[type] ?? 3,
      isWhole(service) ? 1 : service === "ec2" || service === "osn" ? 2 : 3,
      region === null ? 1 : 2,
    ].join("");
  const tie = ({ id, source }: Claim): string => `${id} ${source ?? ""}`;
  return claims.toSorted((a, b) => (rank(a) === rank(b) ? (tie(a) < tie(b) ? 1 : -1) : rank(a) < rank(b) ? 1 : -1))[0];
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

function placeOf(id: string): Place {
  if (!id.startsWith("/")) return { provider: id, type: "list", service: null, region: null };
  const [, type = "", provider = "", kind, one, other] = id.split("/");
  const [service = null, region = null] =
    kind === "by-service" ? [one, other] : kind === "by-region" ? [other, one] : [kind];
  return { provider, type, service, region: region?.toLowerCase() === "global" ? null : region };
}
