import {
  CLASSIFICATIONS,
  type Classification,
  classification,
  count,
  type FieldKind,
  firstDay,
  lastDay,
  number,
  ports,
  spoofable,
  text,
  texts,
} from "./_field-kinds.ts";

export { CLASSIFICATIONS, type Classification };

/**
 * What feeds say about an address or a prefix. Lists are sorted sets; days are days since 1970-01-01, UTC; unknown is
 * null, "" or [].
 */
export interface CtiRecord {
  readonly spoofable: boolean | null;
  readonly classification: Classification;
  readonly actor: string;
  readonly tags: readonly string[];
  readonly rdns: string;
  readonly firstSeen: number | null;
  readonly lastSeen: number | null;
  readonly activeDays: number | null;
  readonly tagIds: readonly string[];
  readonly cve: readonly string[];
  readonly asnNumber: number | null;
  readonly asnName: string;
  readonly countryCode: string;
  readonly countryName: string;
  readonly continentCode: string;
  readonly continentName: string;
  readonly city: string;
  readonly ports: readonly number[];
  readonly nonSpoofablePorts: readonly number[];
  readonly muonfp: readonly string[];
  readonly ja3: readonly string[];
  readonly ja4: readonly string[];
  readonly httpPaths: readonly string[];
  readonly userAgents: readonly string[];
}

/** A field of a record: its path in the JSON documents of feeds, which is also its column in tables. */
export interface Field {
  readonly member: keyof CtiRecord;
  readonly path: string;
  readonly kind: FieldKind<unknown>;
  /** Fields of one unit only make sense together: when two feeds are merged, one of them supplies all. */
  readonly unit: string;
}

function field<Member extends keyof CtiRecord>(
  member: Member,
  path: string,
  kind: FieldKind<CtiRecord[Member]>,
  unit: string = path,
): Field {
  return { member, path, kind: kind as FieldKind<unknown>, unit };
}

/**
 * The index of a field is its number in stored documents: append only. `spoofable` is the first, so it is found without
 * reading on.
 */
export const FIELDS: readonly Field[] = [
  field("spoofable", "spoofable", spoofable),
  field("classification", "classification", classification),
  field("actor", "actor", text),
  field("tags", "tags", texts),
  field("rdns", "rdns", text),
  field("firstSeen", "first_seen", firstDay),
  field("lastSeen", "last_seen", lastDay),
  field("activeDays", "active_days", count),
  field("tagIds", "tag_ids", texts),
  field("cve", "cve", texts),
  field("asnNumber", "src.asn.number", number, "src.asn"),
  field("asnName", "src.asn.name", text, "src.asn"),
  field("countryCode", "src.geo.country.code", text, "src.geo"),
  field("countryName", "src.geo.country.name", text, "src.geo"),
  field("continentCode", "src.geo.continent.code", text, "src.geo"),
  field("continentName", "src.geo.continent.name", text, "src.geo"),
  field("city", "src.geo.city", text, "src.geo"),
  field("ports", "network.ports", ports),
  field("nonSpoofablePorts", "network.non_spoofable_ports", ports),
  field("muonfp", "fingerprints.muonfp", texts),
  field("ja3", "fingerprints.ja3", texts),
  field("ja4", "fingerprints.ja4", texts),
  field("httpPaths", "http.path", texts),
  field("userAgents", "http.user_agent", texts),
];

/** Whether a field has a list of values. */
export function isListField({ kind }: Field): boolean {
  return kind === texts || kind === ports;
}

const TEXT_MEMBERS: ReadonlySet<keyof CtiRecord> = new Set(
  FIELDS.filter(({ kind }) => kind === text || kind === texts).map(({ member }) => member),
);

/** Whether a field has texts, which documents store as numbers of texts. */
export function isTextField(member: keyof CtiRecord): boolean {
  return TEXT_MEMBERS.has(member);
}

/** How many of them, from the first on, belong to the basic document. */
export const BASIC_FIELDS = 4;

/** A record with these fields; the others are empty. Lists may be in any order. */
export function recordOf(known: Partial<CtiRecord>): CtiRecord {
  const given = FIELDS.filter(({ member, kind }) => known[member] !== undefined && !kind.isEmpty(known[member]));
  // Merging a list with itself sorts it.
  return {
    ...NOTHING_KNOWN,
    ...Object.fromEntries(given.map(({ member, kind }) => [member, kind.merge(known[member], known[member])])),
  };
}

/** Of an address that no feed names. */
export const NOTHING_KNOWN: CtiRecord = Object.fromEntries(
  FIELDS.map(({ member, kind }) => [member, kind.empty]),
) as unknown as CtiRecord;

// Not by Map.groupBy: `ipsieve/core` runs where that is missing, too.
const UNITS: readonly (readonly Field[])[] = Array.from(new Set(FIELDS.map(({ unit }) => unit)), (one) =>
  FIELDS.filter(({ unit }) => unit === one),
);

/**
 * Merges what two feeds say about one prefix: the union of sets, the more severe classification, the earliest and the
 * latest day, the larger number of days, not spoofable if one feed knows so; of other texts the one that sorts first,
 * AS and location each as a whole. The result depends neither on the order of feeds nor on repetition.
 */
export function mergeRecords(a: CtiRecord, b: CtiRecord): CtiRecord {
  const merged: Partial<Record<keyof CtiRecord, unknown>> = {};
  for (const unit of UNITS) {
    const knowsA = unit.some(({ member, kind }) => !kind.isEmpty(a[member]));
    const knowsB = unit.some(({ member, kind }) => !kind.isEmpty(b[member]));
    if (knowsA && knowsB && unit.length === 1) {
      const [{ member, kind }] = unit as [Field];
      merged[member] = kind.merge(a[member], b[member]);
      continue;
    }
    const from = knowsA && (!knowsB || comesFirst(unit, a, b)) ? a : b;
    for (const { member } of unit) merged[member] = from[member];
  }
  return merged as unknown as CtiRecord;
}

/** Whether the unit of `a` sorts before that of `b`: by the first field in which they differ, known before unknown. */
function comesFirst(unit: readonly Field[], a: CtiRecord, b: CtiRecord): boolean {
  for (const { member, kind } of unit) {
    const [ofA, ofB] = [a[member], b[member]];
    if (ofA === ofB) continue;
    if (kind.isEmpty(ofA) || kind.isEmpty(ofB)) return kind.isEmpty(ofB);
    return kind.merge(ofA, ofB) === ofA;
  }
  return true;
}
