import fc from "fast-check";
import { ADDRESS_FORMAT } from "../../../src/api/schemas/common.ts";
import type { ApiDocument, Schema } from "./api-document.ts";
import { EDGES, QUERY_NUMBERS } from "./numbers.ts";

/** Names that have caused errors in programs, and texts at the limits of what text can be. */
const NASTY_TEXTS = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "true",
  "0",
  "'; drop table rules; --",
  "=1+1",
  "../../etc/passwd",
  "<script>",
  "%00",
  "𝕏".repeat(255),
  "e\u0301",
  "\u202e",
  "\uffff",
  "🏳️‍🌈",
];
/** Those that no name may contain. */
const REFUSED_TEXTS = ["\0", "a\nb", "\u2028", "\u007f", "\u0085", "\ud800", "x\udfff", "n".repeat(256)];

export const BAD_ADDRESSES = [
  "",
  "x",
  "1.2.3",
  "1.2.3.4.5",
  "01.2.3.4",
  "1.2.3.256",
  " 1.2.3.4",
  "1.2.3.4 ",
  "1.2.3.4/33",
  "1.2.3.4/",
  "1.2.3.4/+8",
  "1.2.3.4/08",
  "::1::",
  "[::1]",
  "fe80::1%eth0",
  "1.2.3.4:80",
  "::ffff:1.2.3.4/95x",
  "1:2:3:4:5:6:7:8:9",
  "٢.2.3.4",
  "1.2.3.4\0",
  "1.2.3.4,1.2.3.5",
  "0x7f.1",
  "::/129",
  "1".repeat(99),
];
const HOST_BITS = ["10.0.0.1/8", "2001:db8::1/32", "::ffff:10.0.0.1/104"];

const byte = fc.nat(255);
const group = fc.nat(0xffff).map((value) => value.toString(16));

/** An address, often from a small universe, so that rules interact. */
const anyAddress: fc.Arbitrary<string> = fc.oneof(
  fc.nat(40).map((last) => `192.0.2.${last}`),
  fc.nat(15).map((last) => `2001:DB8::${last.toString(16)}`),
  fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join(".")),
  fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(":")),
  fc.tuple(byte, byte).map(([a, b]) => `::ffff:198.51.${a}.${b}`),
  fc.constantFrom("0.0.0.0", "255.255.255.255", "::", "::1", "1.1.1.1", "198.51.100.130"),
);

const anyPrefix: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: anyAddress },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("192.0.2.0", "0.0.0.0"), fc.constantFrom(32, 31))
      .map(([address, length]) => `${address}/${length}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "192.0.2.0/24",
      "0.0.0.0/0",
      "::/0",
      "2001:db8::/32",
      "2001:db8::/128",
      "::ffff:192.0.2.0/120",
      "128.0.0.0/1",
    ),
  },
);

const timestamp = fc.oneof(
  fc
    .date({ min: new Date(0), max: new Date(Date.UTC(9999, 11, 31)), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    "2026-12-31T00:00:00+02:00",
    "2026-11-21T12:00:00Z",
    "2026-11-21T12:00:00.001Z",
    "2024-02-29T23:59:59-1130",
  ),
);

const line = fc.oneof(fc.constantFrom(...NASTY_TEXTS), fc.string({ unit: "grapheme", maxLength: 40 }));

/**
 * Values that match a schema of the document, and what its prose requires beyond the schema: addresses, timestamps,
 * names.
 */
export function validValue(api: ApiDocument, reference: Schema, name = ""): fc.Arbitrary<any> {
  const schema = api.resolve(reference);
  if (schema.oneOf !== undefined) return fc.oneof(...schema.oneOf.map((each) => validValue(api, each, name)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const kinds = [schema.type ?? []].flat().map((type) => ofType(api, schema, type, name));
  return kinds.length === 1 ? kinds[0]! : fc.oneof(...kinds);
}

function ofType(api: ApiDocument, schema: Schema, type: string, name: string): fc.Arbitrary<any> {
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return anyInteger(schema.minimum ?? 0, schema.maximum ?? Infinity);
    case "array": {
      const items = validValue(api, schema.items!, name);
      const options = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 8, 8) };
      return schema.uniqueItems === true
        ? fc.uniqueArray(items, { ...options, selector: (item) => JSON.stringify(item) })
        : fc.array(items, options);
    }
    case "object":
      return validObject(api, schema);
    default:
      return validText(schema, name);
  }
}

/** Small integers, and those at the edges of what programs count with. */
function anyInteger(min: number, max: number): fc.Arbitrary<number> {
  const edges = [...EDGES.map(Number), min, max].filter((edge) => edge >= min && edge <= max && Number.isFinite(edge));
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min, max: Math.min(max, min + 100_000) }) },
    { weight: 1, arbitrary: fc.constantFrom(...edges) },
  );
}

function validText({ format, minLength = 0, maxLength = 200 }: Schema, name: string): fc.Arbitrary<string> {
  if (format === ADDRESS_FORMAT) return anyAddress;
  if (/^ips?$/.test(name)) return anyPrefix;
  if (name === "expires_at" || format === "date-time") return timestamp;
  if (name === "actor")
    return fc.constantFrom(
      "command",
      `key:${"0".repeat(8)}-1111-4222-8333-${"4".repeat(12)}`,
      `user:${"5".repeat(8)}-1111-4222-8333-${"6".repeat(12)}`,
    );
  if (name === "cursor") return fc.constant("");
  if (name === "accept") return fc.stringMatching(/^[A-Za-z0-9_-]{43}$/);
  if (name === "set_name") return fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,24}$/);
  if (name === "id" && format === "uuid") return fc.uuid({ version: 4 });
  if (name === "id")
    return fc.oneof(
      fc.constantFrom("/cloud", "/cdn/cloudflare", "/cloud/aws", "/saas/github"),
      line.map((text) => text.slice(0, maxLength)),
    );
  // 255 characters of two code units each are valid as a name.
  return line.filter((text) => [...text].length >= minLength && [...text].length <= maxLength && !REFUSED.test(text));
}

/** Characters that no name may contain. */
const REFUSED = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

function validObject(
  api: ApiDocument,
  { properties = {}, required = [], minProperties = 0 }: Schema,
): fc.Arbitrary<object> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, validValue(api, each, name)]),
  );
  return fc
    .record(members, { requiredKeys: [...required] })
    .map((value) => {
      // Both expiries at once are rejected.
      if ("expires_at" in value && "expires_in_days" in value) delete value["expires_in_days"];
      return value;
    })
    .filter((value) => Object.keys(value).length >= minProperties);
}

const WRONG: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  "",
  "x",
  [],
  {},
  [[]],
  "9".repeat(300),
  ...REFUSED_TEXTS,
];

/** All values that differ from this one in one place, by a member that is missing, unknown or of another type. */
export function* mutationsOf(value: any, name = ""): Generator<unknown> {
  const wrong = /^ips?$/.test(name) && typeof value === "string" ? [...WRONG, ...BAD_ADDRESSES, ...HOST_BITS] : WRONG;
  yield* wrong;
  if (Array.isArray(value)) {
    for (const [index, each] of value.slice(0, 2).entries())
      for (const other of mutationsOf(each, name)) yield value.with(index, other);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      const { [key]: _, ...others } = value;
      yield others;
      for (const other of mutationsOf(each, key)) yield { ...value, [key]: other };
    }
    for (const unknown of ["unknown", "constructor", "Ip", ""]) yield { ...value, [unknown]: 1 };
    yield JSON.parse(
      `${JSON.stringify(value).slice(0, -1)}${Object.keys(value).length === 0 ? "" : ","}"__proto__":{}}`,
    );
  }
}

/** Whether the document rejects a body: by its schemas, or by its prose about addresses and names. */
export function isRefused(api: ApiDocument, schema: Schema, value: unknown): boolean {
  return !api.fits(schema, value) || (!isFilter(api, schema) && hasBadText(value, ""));
}

/** The name in a filter is a part of names, and may be any text: text that no name contains is not found. */
function isFilter(api: ApiDocument, schema: Schema): boolean {
  return api.resolve(schema).properties?.["expiring_within_days"] !== undefined;
}

function hasBadText(value: unknown, name: string): boolean {
  if (typeof value === "string") {
    if (/^ips?$/.test(name)) return [BAD_ADDRESSES, HOST_BITS, WRONG].some((texts) => texts.includes(value));
    if (name === "expires_at") return WRONG.includes(value);
    return REFUSED.test(value);
  }
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, each]) => hasBadText(each, Array.isArray(value) ? name : key));
}

/** Texts that are not valid for a query parameter. */
export function badQueryTexts(schema: Schema, name: string): string[] {
  if (schema.enum !== undefined)
    return [
      "",
      "x",
      String(schema.enum[0]).toUpperCase() === String(schema.enum[0]) ? "?" : String(schema.enum[0]).toUpperCase(),
      "\0",
    ];
  if (schema.type === "boolean") return ["", "yes", "TRUE", "2", "01", " true", "null"];
  if (schema.type === "integer") {
    const { minimum = 0, maximum = Infinity } = schema;
    const outside = QUERY_NUMBERS.filter(
      (text) => !/^\d+$/.test(text) || Number(text) < minimum || Number(text) > maximum,
    );
    return ["", "x", " 1", "١", String(minimum - 1), ...outside];
  }
  if (name === "ip") return BAD_ADDRESSES;
  const { minLength = 0, maxLength } = schema;
  return [...(minLength > 0 ? [""] : []), ...(maxLength === undefined ? [] : ["q".repeat(maxLength + 1)])];
}
