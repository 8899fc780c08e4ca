import { Type } from "typebox";
import {
  Count,
  LookedUpText,
  MapOf,
  named,
  NullableObject,
  NullableText,
  NullableTimestamp,
  pageOf,
  pageParameters,
  PrefixText,
  strict,
  Timestamp,
  upTo,
} from "./common.ts";
import { ExportFormat, SetName } from "./export.ts";

const Texts = Type.Array(Type.String());

/** Who announces an address. */
const CbsNetwork = Type.Object({
  asn: Type.Integer({ minimum: 0, maximum: 4_294_967_295, description: "the number of the autonomous system" }),
  name: Type.String({ description: "the organisation that the number is registered for" }),
  country: NullableText({
    description: "ISO 3166-1 alpha-2, as the regional registry says for these addresses; null where it says nothing",
  }),
  cidr: Type.String({ description: "the prefix that this is known of" }),
});

export const CbsLookup = named(
  "CbsLookup",
  Type.Object({
    ip: Type.String({ description: "as sent" }),
    found: Type.Boolean(),
    cidr: NullableText({ description: "the most specific prefix that matches" }),
    primary: NullableObject(
      Type.Object({
        name: Type.String({ description: "for people", examples: ["Amazon EC2"] }),
        cbs_id: Type.String(),
        provider: Type.String(),
        type: Type.String(),
        service: NullableText(),
        region: NullableText({
          description: "of the node, or else of the provider's most specific prefix that has one",
        }),
        cidr: Type.String(),
        source: NullableText({ description: "as in the matches" }),
      }),
      {
        description:
          'the match that answers "who is this?": a crawler first, then the most specific service of the most specific prefix, and who is inside a rented block before its owner; null if nothing matches',
      },
    ),
    labels: Texts,
    cbs_ids: Texts,
    providers: Texts,
    types: Texts,
    services: Texts,
    regions: Texts,
    matches: Type.Array(
      named(
        "CbsMatch",
        Type.Object({
          provider: Type.String(),
          type: Type.String(),
          service: NullableText(),
          region: NullableText(),
          cidr: Type.String(),
          cbs_id: Type.String(),
          label: Type.String({ description: "of the node; the labels of the document are sorted independently" }),
          source: NullableText({
            description:
              "where this comes from: the id of a publisher's list, asn for AS numbers, or the name of the operator's own list; null in catalogues of format 2, which do not record it",
            examples: ["aws"],
          }),
          source_updated_at: NullableTimestamp,
        }),
      ),
    ),
    network: NullableObject(CbsNetwork, {
      description:
        "who announces the address, or all of the prefix; null if no one does, or if the server has no networks (its log says why)",
    }),
  }),
);

const as_of = Type.Optional(
  Type.String({
    maxLength: 40,
    description:
      "answer from the newest catalogue that was made no later than this: a date such as 2026-06-30 (until its end, UTC), or a date and time with a zone such as 2026-06-30T12:00:00Z; by default, from the current one",
  }),
);

export const CbsLookupQuery = Type.Object({ ip: PrefixText, as_of });
export const CbsBulkQuery = Type.Object({ as_of });

/** A body with a maximum number of addresses. */
export function CbsBulkBody(most: number) {
  return named(
    "CbsBulkRequest",
    Type.Object(
      { ips: Type.Array(LookedUpText, { ...upTo(most, "bulk-addresses"), examples: [["1.1.1.1", "203.0.113.0/24"]] }) },
      strict,
    ),
  );
}

export const CbsBulk = named("CbsBulk", MapOf(CbsLookup, { description: "by address, as sent" }));

export const CbsLayer = named(
  "CbsLayer",
  Type.Enum(["official", "as-numbers", "own"], {
    description: "a publisher's own list, the AS number table, or the operator's own list",
  }),
);

const extent = { ipv4_count: Count, ipv6_count: Count, ipv4_addresses: Count };

const CbsSource = named(
  "CbsSource",
  Type.Object({
    source: Type.String({ description: "as in the matches of a lookup", examples: ["aws"] }),
    name: Type.String(),
    layer: CbsLayer,
    url: NullableText(),
    updated_at: NullableTimestamp,
    published_at: NullableTimestamp,
    fetched_at: NullableTimestamp,
    changed_at: NullableTimestamp,
  }),
);

export const CbsNode = named(
  "CbsNode",
  Type.Object({
    id: NullableText({ description: "null for the root" }),
    name: Type.String(),
    label: Type.String(),
    type: NullableText(),
    provider: NullableText(),
    service: NullableText(),
    region: NullableText(),
    parent: NullableText(),
    path: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    ...extent,
    updated_at: Timestamp,
    source_url: NullableText({ description: "of the only source; null if there are several" }),
    sources: Type.Array(CbsSource, {
      description:
        "the sources of the prefixes of the node and those below it; empty for catalogues built by older versions",
    }),
    children: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        ...extent,
        has_children: Type.Boolean(),
        sources: Type.Array(Type.String(), { description: "the names of its sources; empty as those of the node" }),
      }),
    ),
  }),
);

const NodeId = Type.String({ maxLength: 1000, description: "a node's path", examples: ["/cdn/cloudflare"] });

export const CbsNodeQuery = Type.Object({ id: Type.Optional(NodeId), as_of });

const selection = {
  id: Type.Optional(NodeId),
  family: Type.Optional(Type.Enum([4, 6], { description: "IPv4 or IPv6 only" })),
  aggregate: Type.Optional(
    Type.Boolean({ default: false, description: "the fewest prefixes that cover the same addresses" }),
  ),
  source: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: "only prefixes from this source: a publisher's list, or asn for AS numbers",
      examples: ["cloudflare"],
    }),
  ),
};

export const CbsRangesQuery = Type.Object({ ...selection, as_of, ...pageParameters });

export const CbsExportQuery = Type.Object({
  ...selection,
  format: ExportFormat,
  purpose: Type.Optional(
    Type.Enum(["blocklist", "allowlist"], {
      default: "blocklist",
      description: "whether the file blocks the prefixes or lets them in, in formats that say so",
    }),
  ),
  set_name: SetName("the id of the node"),
  as_of,
});

export const CbsRanges = pageOf(
  "PagedCbsRanges",
  named(
    "CbsRange",
    Type.Object({
      cidr: Type.String(),
      cbs_ids: Texts,
      sources: Type.Array(Type.String(), {
        description: "its sources, sorted; empty if prefixes of several sources are aggregated",
      }),
    }),
  ),
);

export const CbsSearchQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 200,
    description: "words from a name or id, or an address or prefix; words also find organisations, AS15169 a number",
    examples: ["cloudflare"],
  }),
  type: Type.Optional(Type.String({ maxLength: 100 })),
  as_of,
  ...pageParameters,
});

/** The networks that a search lists. */
export const MAX_FOUND_NETWORKS = 20;

export const CbsSearch = pageOf(
  "PagedCbsSearch",
  named(
    "CbsFound",
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      label: Type.String(),
      type: Type.String(),
      provider: Type.String(),
      service: NullableText(),
      region: NullableText(),
    }),
  ),
  {
    networks: Type.Array(named("CbsFoundNetwork", Type.Object({ asn: Type.Integer(), name: Type.String() })), {
      maxItems: MAX_FOUND_NETWORKS,
      description:
        "AS numbers whose organisation has all these words, the best first, on every page the same; none for an address, with a type, or if the server has no networks",
    }),
    network_count: Type.Integer({ minimum: 0, description: "how many there are, also those not listed" }),
  },
);

const filter = Type.Optional(Type.String({ maxLength: 200 }));

export const CbsListQuery = Type.Object({
  type: filter,
  provider: filter,
  service: filter,
  region: filter,
  as_of,
  ...pageParameters,
});

export const CbsList = pageOf(
  "PagedCbsList",
  named(
    "CbsListItem",
    Type.Object({
      type: Type.String(),
      provider: Type.String(),
      provider_name: Type.String(),
      key: Type.String(),
      name: Type.String(),
      id: Type.String(),
      ...extent,
    }),
  ),
);

const moment = (description: string) => Type.String({ maxLength: 40, description });

export const CbsDiffQuery = Type.Object({
  from: moment("the catalogue before: the newest that was made no later than this, as `as_of` of other operations"),
  to: Type.Optional(moment("the catalogue after, likewise; by default, the current one")),
  ...pageParameters,
});

const DiffedExtent = named("CbsExtent", Type.Object(extent));

export const CbsDiff = pageOf(
  "PagedCbsDiff",
  named(
    "CbsPrefixChange",
    Type.Object({
      cidr: Type.String(),
      added: Type.Array(Type.String(), { description: "nodes that have it now" }),
      removed: Type.Array(Type.String(), { description: "nodes that had it" }),
    }),
  ),
  {
    before: DiffedExtent,
    after: DiffedExtent,
    prefixes_added: Count,
    prefixes_removed: Count,
    prefixes_moved: Count,
    nodes_added: Texts,
    nodes_removed: Texts,
    nodes_renamed: Type.Array(Type.Object({ id: Type.String(), before: Type.String(), after: Type.String() })),
    nodes: Type.Array(
      Type.Object({
        id: Type.String(),
        ipv4_added: Count,
        ipv4_removed: Count,
        ipv6_added: Count,
        ipv6_removed: Count,
        ipv4_addresses_before: Count,
        ipv4_addresses_after: Count,
      }),
      { description: "each node that gained or lost prefixes, without what is below it" },
    ),
  },
);
