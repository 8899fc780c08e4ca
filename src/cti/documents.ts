import { type Classification, dateText } from "./_field-kinds.ts";
import type { CtiRecord } from "./fields.ts";

/** What feeds say about an address. An address that no feed names is not `seen`. */
export interface CtiDocument {
  /** The address as it was given. */
  readonly ip: string;
  readonly seen: boolean;
  /** Whether its traffic may have been sent by others in its name; null if unknown. */
  readonly spoofable: boolean | null;
  readonly classification: Classification;
  /** The group it belongs to; "" if unknown. */
  readonly actor: string;
  readonly tags: readonly string[];
}

/** Everything that feeds say about an address. All properties are always present: unknown ones are null, "" or []. */
export interface ExtendedCtiDocument extends CtiDocument {
  readonly rdns: string;
  /** Days in UTC: `2026-06-17`. */
  readonly first_seen: string | null;
  readonly last_seen: string | null;
  readonly active_days: number | null;
  readonly tag_ids: readonly string[];
  readonly cve: readonly string[];
  readonly src: {
    readonly asn: { readonly number: number | null; readonly name: string };
    readonly geo: { readonly country: Named; readonly continent: Named; readonly city: string };
  };
  readonly network: { readonly ports: readonly number[]; readonly non_spoofable_ports: readonly number[] };
  readonly fingerprints: {
    readonly muonfp: readonly string[];
    readonly ja3: readonly string[];
    readonly ja4: readonly string[];
  };
  readonly http: { readonly path: readonly string[]; readonly user_agent: readonly string[] };
}

/** A country or continent, by its code and its name. */
export interface Named {
  readonly code: string;
  readonly name: string;
}

export function documentOf(ip: string, seen: boolean, record: CtiRecord): CtiDocument {
  const { spoofable, classification, actor, tags } = record;
  return { ip, seen, spoofable, classification, actor, tags };
}

export function extendedDocumentOf(ip: string, seen: boolean, record: CtiRecord): ExtendedCtiDocument {
  return {
    ...documentOf(ip, seen, record),
    rdns: record.rdns,
    first_seen: record.firstSeen === null ? null : dateText(record.firstSeen),
    last_seen: record.lastSeen === null ? null : dateText(record.lastSeen),
    active_days: record.activeDays,
    tag_ids: record.tagIds,
    cve: record.cve,
    src: {
      asn: { number: record.asnNumber, name: record.asnName },
      geo: {
        country: { code: record.countryCode, name: record.countryName },
        continent: { code: record.continentCode, name: record.continentName },
        city: record.city,
      },
    },
    network: { ports: record.ports, non_spoofable_ports: record.nonSpoofablePorts },
    fingerprints: { muonfp: record.muonfp, ja3: record.ja3, ja4: record.ja4 },
    http: { path: record.httpPaths, user_agent: record.userAgents },
  };
}
