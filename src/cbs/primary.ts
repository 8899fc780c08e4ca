import type { MatchId } from "../table/match-id.ts";
import { ALL_SERVICES, compareTexts } from "./_node-id.ts";
import { AS_SOURCE, type Catalogue, type CatalogueNode, type CatalogueSource, sourceKey } from "./catalogue.ts";
import type { LookupPrimary } from "./lookup-document.ts";

/** The primary claim of all addresses with one match; `length` is that of its prefix, which the address completes. */
export interface PrimaryClaim extends Omit<LookupPrimary, "cidr"> {
  readonly length: number;
}

/** What the table of networks says about an address, as far as a sentence has room for it. */
export interface NetworkName {
  readonly asn: number;
  readonly name: string | null;
  /** ISO 3166-1, two letters. */
  readonly country: string | null;
}

/** One claim of the chain of a match. */
interface Candidate {
  readonly number: number;
  readonly node: CatalogueNode;
  readonly source: CatalogueSource | null;
  readonly length: number;
}

/** Those who run the blocks that others rent. */
const OWNERS: ReadonlySet<string> = new Set(["cloud", "isp"]);

/**
 * Services by which publishers list everything that is theirs, or what most of their customers rent: any other service
 * of the same provider says more. 0: as if no service was named; 1: the least particular one.
 */
const BREADTH: ReadonlyMap<string, 0 | 1> = new Map([
  ["aws amazon", 0],
  ["aws ec2", 1],
  ["azure azurecloud", 0],
  ["azure-government azurecloud", 0],
  ["azure-china azurecloud", 0],
  ["google google-cloud", 0],
  ["oracle oci", 0],
  ["oracle osn", 1],
]);

/**
 * The claim that answers "who is this?", of all that cover an address. Pure; in this order:
 *
 *  1. A crawler or monitor (type `bot`), the most specific one: it lists its own machines, wherever it rents them.
 *  2. What is said about the most specific prefix, unless that only names the owner of a block: an AS number, or a
 *     cloud or access provider without a particular service.
 *  3. Then a publisher's list above it that names who is inside: another provider that is neither cloud nor access
 *     provider, or a particular service of the same provider; the most specific one.
 *  4. Otherwise the owner of the most specific prefix.
 *
 * Of several claims about one prefix: lists before AS numbers, then who is inside before clouds, and these before access
 * providers; then the more particular service, one with a region before one without, and last the id, backwards, which
 * puts a longer name before a shorter one that it begins with, and the source likewise. A claim without a region has that of its provider's most
 * specific claim that has one. Null for match 0.
 */
export function primaryOf(catalogue: Catalogue, match: MatchId): PrimaryClaim | null {
  if (match === 0) return null;
  const only = catalogue.onlyValueOf(match);
  const candidates = only === 0 ? candidatesOf(catalogue, match) : [candidate(catalogue, match, only)];
  const chosen = choose(candidates);
  return chosen === undefined ? null : claimOf(catalogue, chosen, candidates);
}

/**
 * The answer to "who is this?" as a sentence: `Amazon EC2 in eu-west-3 (AS16509 Amazon.com, FR)`, without the
 * parentheses if `network` is not known, and by the network alone if there is no `primary`: `CERN (AS513, CH)`. Null if
 * neither is known. `primary` is that of a lookup document.
 */
export function primarySentence(
  primary: Pick<LookupPrimary, "name" | "region"> | null,
  network: NetworkName | null = null,
): string | null {
  const asn = network === null ? "" : `AS${network.asn}`;
  if (primary === null) {
    if (network === null) return null;
    return network.name === null
      ? [asn, network.country].filter((part) => part !== null).join(", ")
      : `${network.name} (${[asn, network.country].filter((part) => part !== null).join(", ")})`;
  }
  const place = primary.region === null ? "" : ` in ${primary.region}`;
  if (network === null) return `${primary.name}${place}`;
  const about = network.name === null ? asn : `${asn} ${network.name}`;
  return `${primary.name}${place} (${[about, network.country].filter((part) => part !== null).join(", ")})`;
}

/** All claims of the chain, the best of the most specific prefix first. */
function candidatesOf(catalogue: Catalogue, match: MatchId): Candidate[] {
  const { table } = catalogue;
  const all: Candidate[] = [];
  for (let covering = match; covering !== 0; covering = table.parent(covering)) {
    const own = catalogue.valuesOf(covering).map((value) => candidate(catalogue, covering, value));
    all.push(...(own.length > 1 ? own.sort(compare) : own));
  }
  return all;
}

function candidate(catalogue: Catalogue, match: MatchId, value: number): Candidate {
  const number = catalogue.numberOf(value);
  const source = catalogue.metadata.sources[catalogue.sourceOf(value) - 1] ?? null;
  return { number, node: catalogue.node(number), source, length: catalogue.table.prefixLength(match) };
}

function choose(candidates: readonly Candidate[]): Candidate | undefined {
  const first = candidates[0];
  if (candidates.length < 2) return first;
  const crawler = candidates.find(({ node }) => node.type === "bot");
  if (crawler !== undefined) return crawler;
  if (!isOwner(first!)) return first;
  return candidates.find((other) => isInside(other, first!)) ?? first;
}

/** Whether it says no more than whose block it is. */
function isOwner(of: Candidate): boolean {
  return isByNumber(of) || (OWNERS.has(of.node.type) && particularity(of.node) === 0);
}

/** Whether a wider claim says more than the owner of a block inside it. */
function isInside(other: Candidate, { node }: Candidate): boolean {
  if (isByNumber(other)) return false;
  const isSame = other.node.type === node.type && other.node.provider === node.provider;
  return isSame ? particularity(other.node) > 0 : !OWNERS.has(other.node.type);
}

function compare(a: Candidate, b: Candidate): number {
  return (
    Number(isByNumber(a)) - Number(isByNumber(b)) ||
    depth(b.node) - depth(a.node) ||
    particularity(b.node) - particularity(a.node) ||
    Number(b.node.region !== null) - Number(a.node.region !== null) ||
    compareTexts(b.node.id, a.node.id) ||
    compareTexts(keyOf(b), keyOf(a))
  );
}

function keyOf({ source }: Candidate): string {
  return source === null ? "" : sourceKey(source);
}

function isByNumber({ source }: Candidate): boolean {
  return source?.id === AS_SOURCE;
}

/** How far inside others' blocks a provider of this type is. */
function depth({ type }: CatalogueNode): number {
  return type === "bot" ? 3 : !OWNERS.has(type) ? 2 : type === "cloud" ? 1 : 0;
}

function particularity({ provider, service }: CatalogueNode): number {
  return service === null ? 0 : (BREADTH.get(`${provider} ${service.toLowerCase()}`) ?? 2);
}

function claimOf(catalogue: Catalogue, chosen: Candidate, candidates: readonly Candidate[]): PrimaryClaim {
  const { node, source, length } = chosen;
  const { id, type, provider, service } = node;
  const region =
    node.region ??
    candidates.find(
      (other) => other.node.region !== null && other.node.type === type && other.node.provider === provider,
    )?.node.region ??
    null;
  const name = nameOf(catalogue, chosen);
  return Object.freeze({
    name,
    cbs_id: id,
    provider,
    type,
    service,
    region,
    length,
    source: source === null ? null : sourceKey(source),
  });
}

/**
 * The provider with its service, without what the service begins with itself: "GitHub Web", but "Amazon EC2",
 * "Googlebot", "Microsoft AzureFrontDoor.FirstParty".
 */
function nameOf(catalogue: Catalogue, { number, node }: Candidate): string {
  const { providerName } = node;
  if (node.service === null || particularity(node) === 0) return providerName;
  const service = serviceName(catalogue, number);
  if (service === ALL_SERVICES) return providerName;
  const words = providerName.split(/[^\p{L}\p{N}.]+/u).filter((word) => word.length > 2);
  const initials = words.length > 2 ? [`${words.map((word) => word[0]).join("")} `] : [];
  const isFront = (word: string): boolean => service.toLowerCase().startsWith(word.toLowerCase());
  if (initials.some(isFront)) return service;
  const named = words.findIndex(isFront);
  return [...(named < 0 ? [providerName] : words.slice(0, named)), service].join(" ");
}

/** What the service is called: the name of the uppermost node that has one. */
function serviceName(catalogue: Catalogue, number: number): string {
  let at = number;
  for (;;) {
    const parent = catalogue.parentOf(at);
    if (parent === 0 || catalogue.node(parent).service === null) return catalogue.node(at).name;
    at = parent;
  }
}
