import { formatPrefix } from "../../address/prefix.ts";
import { type Collateral, type Hit, namedPrefixes } from "../../collateral/find-collateral.ts";
import type { NodeClass } from "../../collateral/node-classes.ts";
import type { ProtectedKind } from "../../collateral/protected.ts";
import { counted } from "../../words/numbers.ts";

/** Something that rules block but should not, as responses show it. */
export interface CollateralDocument {
  readonly kind: ProtectedKind | "wide";
  /** The id of the node, the ruleset or the list. */
  readonly id: string | null;
  readonly name: string;
  /** Of a service: what stands at its addresses. */
  readonly class: NodeClass | null;
  /** How many addresses, as texts, as they may be long. */
  readonly ipv4_addresses: string;
  readonly ipv6_addresses: string;
  /** The first prefixes. */
  readonly prefixes: string[];
  readonly detail: string;
}

/** What rules do, or would do, with the addresses. */
type Verb = "blocks" | "would block" | "leaves out";

/** Maximum entries listed, those with the most addresses first. */
const MAX_NAMED = 100;

export function collateralDocuments({ hits, tooWide, share }: Collateral, verb: Verb): CollateralDocument[] {
  const wide = tooWide.map((prefix): CollateralDocument => {
    const text = formatPrefix(prefix);
    const percent = `${(100 * share[prefix.family]).toPrecision(2)} % of all IPv${prefix.family} addresses`;
    const detail = `${text} is very wide; all of the rules together are ${percent}`;
    return {
      kind: "wide",
      id: null,
      name: text,
      class: null,
      ipv4_addresses: "0",
      ipv6_addresses: "0",
      prefixes: [text],
      detail,
    };
  });
  return [...wide, ...hits.map((hit) => hitDocument(hit, verb))].slice(0, MAX_NAMED);
}

function hitDocument(hit: Hit, verb: Verb): CollateralDocument {
  const { kind, id, name, addresses } = hit;
  const [ipv4, ipv6] = [addresses.size(4), addresses.size(6)];
  return {
    kind,
    id,
    name,
    class: hit.class ?? null,
    ipv4_addresses: String(ipv4),
    ipv6_addresses: String(ipv6),
    prefixes: namedPrefixes(hit).map(formatPrefix),
    detail: `${verb} ${hitText(hit)}`,
  };
}

/** How many addresses, and of what. */
export function hitText(hit: Hit): string {
  const counts = [ipv4Text(hit.addresses.size(4)), ipv6Text(hit.addresses.size(6))];
  return `${counts.filter(Boolean).join(" and ")} ${whose(hit)}`;
}

function whose({ kind, id, name }: Hit): string {
  if (kind === "service") return `of ${name} (${id})`;
  if (kind === "allowed") return `that the allowlist ${JSON.stringify(name)} allows`;
  if (kind === "own-network") return `of your own networks (${JSON.stringify(name)})`;
  return `for special use (${name})`;
}

function ipv4Text(count: bigint): string {
  return count === 0n ? "" : counted(count, "address", "addresses");
}

/** Large numbers are given as /64 networks, the number of addresses that a single host may have. */
function ipv6Text(count: bigint): string {
  if (count === 0n) return "";
  return count < 1n << 32n
    ? counted(count, "IPv6 address", "IPv6 addresses")
    : `${counted((count + (1n << 64n) - 1n) >> 64n, "IPv6 network")} (/64)`;
}

/** All of them in one line: the first one, and the number of others. */
export function summaryOf(documents: readonly CollateralDocument[]): string {
  const [first, ...more] = documents;
  return `${first!.detail}${more.length > 0 ? `, and ${more.length} more` : ""}`;
}

/** The member of a response, if there is something to say. */
export function warningsIn(warnings: readonly CollateralDocument[]): { warnings?: CollateralDocument[] } {
  return warnings.length === 0 ? {} : { warnings: [...warnings] };
}
