import { Type } from "typebox";
import { QUERY_LIMITS } from "../../cti/search/parse-query.ts";
import { OPERATORS, SEARCH_FIELDS } from "../../cti/search/search-fields.ts";
import {
  AddressText,
  Count,
  MapOf,
  named,
  NullableText,
  pageOf,
  pageParameters,
  shownAs,
  strict,
  upTo,
} from "./common.ts";

const Classification = named("Classification", Type.Enum(["malicious", "promiscuous", "benign", "unknown"]));
const Texts = Type.Array(Type.String());
const NullableBoolean = Type.Unsafe<boolean | null>({ type: ["boolean", "null"] });
const NullableInteger = Type.Unsafe<number | null>({ type: ["integer", "null"] });
const Occurrence = named("Occurrence", Type.Object({ code: Type.String(), name: Type.String() }));

const basic = {
  ip: Type.String({ description: "as sent" }),
  seen: Type.Boolean(),
  spoofable: NullableBoolean,
  classification: Classification,
  actor: Type.String(),
  tags: Texts,
};

export const ThreatParameters = Type.Object({ ip: AddressText });

export const Threat = named("Threat", Type.Object(basic));

const details = {
  rdns: Type.String(),
  first_seen: NullableText({ format: "date" }),
  last_seen: NullableText({ format: "date" }),
  active_days: NullableInteger,
  tag_ids: Texts,
  cve: Texts,
  src: named(
    "ThreatSource",
    Type.Object({
      asn: named("ThreatAsn", Type.Object({ number: NullableInteger, name: Type.String() })),
      geo: named("ThreatPlace", Type.Object({ country: Occurrence, continent: Occurrence, city: Type.String() })),
    }),
  ),
  network: named("ThreatPorts", Type.Object({ ports: Type.Array(Count), non_spoofable_ports: Type.Array(Count) })),
  fingerprints: named("ThreatFingerprints", Type.Object({ muonfp: Texts, ja3: Texts, ja4: Texts })),
  http: named("ThreatRequests", Type.Object({ path: Texts, user_agent: Texts })),
};

export const ExtendedThreat = named("ExtendedThreat", Type.Object({ ...basic, ...details }));

const example = ["203.0.113.7", "2001:db8::1"];

/**
 * A body with a maximum number of addresses: a bare list, or the property `ips`. The lookup reports which of them are
 * malformed, all of them together.
 */
export function BulkThreatBody(most: number) {
  const ips = Type.Array(Type.Unknown(), { ...upTo(most, "bulk-addresses"), examples: [example] });
  return Type.Union([Type.Object({ ips }, strict), ips]);
}

/** The same as the OpenAPI document describes it. */
export function BulkThreatRequest(most: number) {
  const ips = Type.Array(AddressText, { ...upTo(most, "bulk-addresses"), examples: [example] });
  return named("BulkThreatRequest", Type.Union([named("BulkThreatList", Type.Object({ ips }, strict)), ips]));
}

export const BulkThreats = named(
  "BulkThreats",
  MapOf(named("BulkThreat", Type.Object({ seen: Type.Boolean(), spoofable: NullableBoolean })), {
    description: "by address, as sent",
  }),
);

const FIELD_EXAMPLES = ["tag", "src.geo.country.code"];

/** The operation says where a query is wrong, so no validator looks at it. */
const QueryText = shownAs(
  {
    type: "string",
    minLength: 1,
    maxLength: QUERY_LIMITS.characters,
    examples: ['classification:"malicious" AND port:23'],
  },
  Type.String({ description: "a query: FIELD OP VALUE, joined by AND, OR, NOT and parentheses" }),
);

export const SearchThreatsQuery = Type.Object({
  q: QueryText,
  extended: Type.Optional(Type.Boolean({ default: false, description: "with everything that feeds say" })),
  page: pageParameters.page,
  page_size: pageParameters.page_size,
});

const Unavailable = Type.Array(Type.String(), {
  description: "fields of the query that no dataset holds: clauses about them match nothing",
});

const FoundThreat = named(
  "FoundThreat",
  Type.Object({
    ...basic,
    ip: Type.String({ description: "the address or prefix that feeds name" }),
    ...Object.fromEntries(Object.entries(details).map(([name, schema]) => [name, Type.Optional(schema)])),
  }),
);

const ThreatPage = pageOf("ThreatPage", FoundThreat) as ReturnType<typeof Type.Object>;
ThreatPage.properties["unavailable"] = Unavailable;
ThreatPage.required?.push("unavailable");
export const FoundThreats = ThreatPage;

const MAX_FACETS = 20;
const MAX_FACET_VALUES = 100;

export const CountThreatValues = named(
  "CountThreatValues",
  Type.Object(
    {
      q: Type.Optional(QueryText),
      fields: Type.Array(Type.String({ maxLength: 100 }), {
        minItems: 1,
        maxItems: MAX_FACETS,
        examples: [FIELD_EXAMPLES],
        description: "names of fields, all but ip",
      }),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_FACET_VALUES, default: 10, description: "values of each field" }),
      ),
    },
    strict,
  ),
);

export const ThreatValues = named(
  "ThreatValues",
  Type.Object({
    count: Type.Integer({ minimum: 0, description: "documents that the query matches" }),
    unavailable: Unavailable,
    facets: Type.Array(
      named(
        "ThreatFacet",
        Type.Object({
          field: Type.String(),
          distinct: Type.Integer({ minimum: 0, description: "how many values there are in all" }),
          values: Type.Array(
            named(
              "ThreatValueCount",
              Type.Object({
                value: Type.String({ description: "as a query has it" }),
                count: Count,
              }),
            ),
            { description: "the most frequent first" },
          ),
        }),
      ),
    ),
  }),
);

export const SearchFields = named(
  "SearchFields",
  Type.Array(
    named(
      "SearchField",
      Type.Object({
        name: Type.String(),
        aliases: Type.Array(Type.String()),
        type: Type.Enum(Object.keys(OPERATORS)),
        operators: Type.Array(Type.String()),
        is_available: Type.Boolean({ description: "whether datasets hold it; clauses about others match nothing" }),
        ignores_case: Type.Boolean(),
        values: Type.Unsafe<readonly string[] | null>({
          type: ["array", "null"],
          items: { type: "string" },
          description: "all values that it can have; null for any",
        }),
      }),
    ),
    { maxItems: SEARCH_FIELDS.length },
  ),
);
