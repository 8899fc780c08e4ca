import { CLASSIFICATIONS, type CtiRecord } from "../fields.ts";

/** How the values of a field are compared, and which operators it has. */
export type FieldType =
  | "bool"
  | "country"
  | "date"
  | "fingerprint"
  | "float"
  | "int"
  | "ip"
  | "keyword"
  | "mitre"
  | "port"
  | "text";

/** An operator as it is written; `range` is `[a TO b]` and `within` a relative time, both after `FIELD:`. */
export type Operator =
  | ":"
  | "!:"
  | "~:"
  | "!~:"
  | "="
  | "!="
  | ">"
  | ">="
  | "<"
  | "<="
  | "IN"
  | "range"
  | "exists"
  | "not_exists"
  | "within";

const EQUAL: readonly Operator[] = [":", "!:", "=", "!="];
const NAMED: readonly Operator[] = [...EQUAL, "IN", "exists", "not_exists"];
const ANALYSED: readonly Operator[] = [":", "!:", "~:", "!~:", "=", "!=", "IN", "exists", "not_exists"];
const COMPARED: readonly Operator[] = [">", ">=", "<", "<="];
const WHOLE: readonly Operator[] = [...EQUAL, ...COMPARED, "IN", "range"];

/** The operators of each type, as its errors list them. */
export const OPERATORS: Readonly<Record<FieldType, readonly Operator[]>> = {
  bool: EQUAL,
  country: NAMED,
  date: [":", "=", ...COMPARED, "range", "within"],
  fingerprint: ANALYSED,
  float: [...EQUAL, ...COMPARED, "range"],
  int: WHOLE,
  ip: [...EQUAL, "IN", "range"],
  keyword: NAMED,
  mitre: NAMED,
  port: WHOLE,
  text: ANALYSED,
};

/** A field that queries name. */
export interface SearchField {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly type: FieldType;
  /** What of a record it is; null for the address itself, for `seen`, and for what datasets do not hold. */
  readonly member: keyof CtiRecord | null;
  /** Whether datasets hold it; a clause about another one matches no document. */
  readonly isAvailable: boolean;
  /** Whether "A" and "a" are the same. */
  readonly ignoresCase: boolean;
  /** All values that it can have. */
  readonly values: readonly string[] | null;
}

interface Choices {
  readonly aliases?: readonly string[];
  readonly ignoresCase?: boolean;
  readonly values?: readonly string[];
}

function held(name: string, type: FieldType, member: keyof CtiRecord | null, choices: Choices = {}): SearchField {
  const { aliases = [], ignoresCase = false, values = null } = choices;
  return { name, aliases, type, member, isAvailable: true, ignoresCase, values };
}

function missing(name: string, type: FieldType, choices: Choices = {}): SearchField {
  return { ...held(name, type, null, choices), isAvailable: false };
}

/**
 * Every field of the query language. The vendor's catalogue (its builders carry it) says which ignore case: names that
 * people write, but no codes and no fingerprints.
 */
export const SEARCH_FIELDS: readonly SearchField[] = [
  held("ip", "ip", null),
  held("classification", "keyword", "classification", { values: CLASSIFICATIONS }),
  held("seen", "bool", null),
  held("spoofable", "bool", "spoofable"),
  held("rdns", "text", "rdns", { ignoresCase: true }),
  held("active_days", "int", "activeDays"),
  held("last_seen", "date", "lastSeen"),
  held("first_seen", "date", "firstSeen"),
  held("network.port", "port", "ports", { aliases: ["port"] }),
  held("network.non_spoofable_port", "port", "nonSpoofablePorts"),
  missing("network.spoofable_port", "port"),
  held("src.asn.number", "int", "asnNumber", { aliases: ["asn"] }),
  held("src.asn.name", "keyword", "asnName", { ignoresCase: true }),
  held("src.geo.country.code", "country", "countryCode", { aliases: ["country"] }),
  held("src.geo.country.name", "country", "countryName"),
  held("src.geo.city", "keyword", "city", { aliases: ["city"], ignoresCase: true }),
  held("src.geo.continent.code", "keyword", "continentCode"),
  held("src.geo.continent.name", "keyword", "continentName"),
  missing("src.geo.latitude", "float"),
  missing("src.geo.longitude", "float"),
  missing("dst.geo.country.code", "country"),
  missing("dst.geo.country.name", "country"),
  missing("dst.geo.city", "keyword", { ignoresCase: true }),
  missing("dst.geo.continent.code", "keyword"),
  missing("dst.geo.continent.name", "keyword"),
  missing("dst.geo.latitude", "float"),
  missing("dst.geo.longitude", "float"),
  held("http.path", "text", "httpPaths", { aliases: ["path"], ignoresCase: true }),
  held("http.user_agent", "text", "userAgents", { aliases: ["ua", "user_agent"], ignoresCase: true }),
  missing("ssh.auth.username", "text", { aliases: ["username"], ignoresCase: true }),
  missing("ssh.auth.password", "text", { aliases: ["password"], ignoresCase: true }),
  missing("ssh.auth.attempt_count", "int"),
  missing("ssh.auth.first_seen", "date"),
  missing("ssh.auth.last_seen", "date"),
  held("fingerprints.muonfp", "fingerprint", "muonfp", { aliases: ["muonfp"] }),
  held("fingerprints.ja4", "fingerprint", "ja4", { aliases: ["ja4"] }),
  missing("fingerprints.ja4t", "fingerprint", { aliases: ["ja4t"] }),
  missing("fingerprints.ja4h", "fingerprint", { aliases: ["ja4h"] }),
  missing("fingerprints.ja4ssh", "fingerprint", { aliases: ["ja4ssh"] }),
  held("fingerprints.ja3", "fingerprint", "ja3", { aliases: ["ja3"] }),
  held("tag", "text", "tags", { ignoresCase: true }),
  held("tag_id", "text", "tagIds"),
  held("actor", "text", "actor", { ignoresCase: true }),
  held("cve", "text", "cve", { ignoresCase: true }),
  missing("mitre_attack.tactics", "mitre", { aliases: ["tactic"] }),
  missing("mitre_attack.techniques", "mitre", { aliases: ["technique"] }),
  missing("mitre_attack.sub_techniques", "mitre", { aliases: ["sub_technique"] }),
];

const BY_NAME: ReadonlyMap<string, SearchField> = new Map(
  SEARCH_FIELDS.flatMap((field) => [field.name, ...field.aliases].map((name) => [name, field] as const)),
);

/** All names and aliases. */
export const FIELD_NAMES: readonly string[] = [...BY_NAME.keys()];

/** A field by its name or one of its aliases. */
export function searchField(name: string): SearchField | undefined {
  return BY_NAME.get(name);
}

/** A text as a field compares it. Letter by letter: a sigma ends no word, or a pattern would differ from its text. */
export function folded(text: string, { ignoresCase }: SearchField): string {
  return ignoresCase ? text.toLowerCase().replaceAll("ς", "σ") : text;
}

/** The words of analysed text, in lower case: letters, marks and digits that follow one another. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
