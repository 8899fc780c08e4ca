import type { IdentifyResult } from "../../batch/identify-result.ts";
import type { AddressRanking } from "../../batch/top-addresses.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { identifyText } from "../../cbs/identify.ts";
import { fullServiceName, linesBy } from "../../cbs/lines-by.ts";
import { csvRow } from "../../csv/write-row.ts";

/** An address and its lines. */
export interface TopAddress {
  readonly ip: string;
  readonly lines: number;
  readonly cidr: string | null;
  readonly cbs_ids: readonly string[];
  readonly labels: readonly string[];
}

/** Addresses with or without a match: how many different ones, and those with the most lines. */
export interface TopList {
  readonly distinct: number;
  readonly addresses: readonly TopAddress[];
}

/** What a run has counted. A line counts once for each type, provider and service that it belongs to. */
export interface Counts {
  readonly lines: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly no_address: number;
  readonly types?: readonly { readonly type: string; readonly name: string; readonly lines: number }[];
  readonly providers?: readonly {
    readonly type: string;
    readonly provider: string;
    readonly name: string;
    readonly lines: number;
  }[];
  readonly services?: readonly {
    readonly type: string;
    readonly provider: string;
    readonly service: string;
    readonly name: string;
    readonly lines: number;
  }[];
  readonly top?: { readonly matched: TopList; readonly unmatched: TopList };
}

/**
 * The counts of a run: with `isSummary` (of one with `countMatches`) by type, provider and service, most first; and its
 * top addresses.
 */
export function countsOf(
  result: IdentifyResult,
  catalogue: Catalogue,
  { isSummary }: { readonly isSummary: boolean },
): Counts {
  const { lines, matched, unmatched, withoutAddress, top } = result;
  return {
    lines,
    matched,
    unmatched,
    no_address: withoutAddress,
    ...(isSummary && summaryOf(result, catalogue)),
    ...(top !== null && {
      top: { matched: topList(top.matched, catalogue), unmatched: topList(top.unmatched, catalogue) },
    }),
  };
}

function summaryOf(
  { perMatch }: IdentifyResult,
  catalogue: Catalogue,
): Pick<Counts, "types" | "providers" | "services"> {
  const names = new Map(catalogue.nodes.map(({ id, name }) => [id, name]));
  return {
    types: linesBy(catalogue, perMatch, ({ type }) => type).map(({ key, lines }) => ({
      type: key,
      name: names.get(`/${key}`) ?? key,
      lines,
    })),
    providers: linesBy(catalogue, perMatch, ({ type, provider }) => provider && `/${type}/${provider}`).map(
      ({ node: { type, provider, providerName }, lines }) => ({ type, provider, name: providerName, lines }),
    ),
    services: linesBy(
      catalogue,
      perMatch,
      ({ type, provider, service }) => service && `/${type}/${provider}/${service}`,
    ).map(({ node, lines }) => ({
      type: node.type,
      provider: node.provider,
      service: node.service!,
      name: fullServiceName(node, names),
      lines,
    })),
  };
}

export function topList({ distinct, addresses }: AddressRanking, catalogue: Catalogue): TopList {
  return {
    distinct,
    addresses: addresses.map(({ address, lines }) => {
      const { ip, cidr, cbs_ids, labels } = identifyText(catalogue, address);
      return { ip, lines, cidr, cbs_ids, labels };
    }),
  };
}

/** One JSON document. */
export function countsJson(counts: Counts): string {
  return `${JSON.stringify(counts)}\n`;
}

/** One row per count: what is counted, its key, its name, and the number of lines. */
export function countsCsv({
  lines,
  matched,
  unmatched,
  no_address,
  types = [],
  providers = [],
  services = [],
  top,
}: Counts): string {
  const rows: (readonly [count: string, key: string | null, name: string | null, lines: number])[] = [
    ["lines", null, null, lines],
    ["matched", null, null, matched],
    ["unmatched", null, null, unmatched],
    ["no_address", null, null, no_address],
    ...types.map(({ type, name, lines: own }) => ["type", type, name, own] as const),
    ...providers.map(
      ({ type, provider, name, lines: own }) => ["provider", `/${type}/${provider}`, name, own] as const,
    ),
    ...services.map(
      ({ type, provider, service, name, lines: own }) =>
        ["service", `/${type}/${provider}/${service}`, name, own] as const,
    ),
    ...(top?.matched.addresses ?? []).map(
      ({ ip, labels, lines: own }) => ["matched_address", ip, labels.join(", ") || null, own] as const,
    ),
    ...(top?.unmatched.addresses ?? []).map(({ ip, lines: own }) => ["unmatched_address", ip, null, own] as const),
  ];
  return [
    "count,key,name,lines\n",
    ...rows.map(([count, key, name, own]) => csvRow([count, key, name, String(own)])),
  ].join("");
}
