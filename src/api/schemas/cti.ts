import { Type } from "typebox";
import { AddressText, Count, MapOf, named, NullableText, strict, upTo } from "./common.ts";

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

export const ExtendedThreat = named(
  "ExtendedThreat",
  Type.Object({
    ...basic,
    rdns: Type.String(),
    first_seen: NullableText({ format: "date" }),
    last_seen: NullableText({ format: "date" }),
    active_days: NullableInteger,
    tag_ids: Texts,
    cve: Texts,
    src: Type.Object({
      asn: Type.Object({ number: NullableInteger, name: Type.String() }),
      geo: Type.Object({ country: Occurrence, continent: Occurrence, city: Type.String() }),
    }),
    network: Type.Object({ ports: Type.Array(Count), non_spoofable_ports: Type.Array(Count) }),
    fingerprints: Type.Object({ muonfp: Texts, ja3: Texts, ja4: Texts }),
    http: Type.Object({ path: Texts, user_agent: Texts }),
  }),
);

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
