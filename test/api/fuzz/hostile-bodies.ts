import fc from "fast-check";

/** A body that no operation accepts, as a client may send it. */
export interface HostileBody {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_TYPE = "application/json";
/** Members that bodies of some operation have, with values that are wrong for all of them. */
const MEMBERS = ["ips", "rules", "items", "ip", "name", "password", "role", "x", "__proto__"];
const UNITS = [
  "1",
  "{}",
  "[]",
  "null",
  '""',
  '{"ip":1}',
  '{"op":"add"}',
  '{"op":"x","ip":{}}',
  "-0",
  "1e400",
  "9223372036854775808",
  "true",
];
const NUMBERS = [
  "1e400",
  "-1e400",
  "1e-400",
  "9223372036854775808",
  "-9223372036854775809",
  "0.1e1",
  "1".repeat(5000),
  `0.${"0".repeat(5000)}1`,
];
const CHARSETS = ["utf-16", "utf-16le", "iso-8859-1", "windows-1252", "utf-7", "us-ascii", "x-none", '"utf-8', ""];
/** Cut in the middle of a character, continued without a beginning, too long, of half a pair, beyond the last. */
const BAD_UTF8 = ["c3", "80", "c0af", "eda080", "f4908080", "f09f92", "ff", "e282"];
const CODINGS = ["gzip", "deflate", "br", "zstd", "compress", "gzip, gzip", "identity, gzip", "x-none"];
/** An empty gzip file. */
const GZIP = Buffer.from("1f8b0800000000000003030000000000000000", "hex");

/** The contents of attacking bodies, of up to this many bytes. */
export function hostileBodies(most: number): fc.Arbitrary<HostileBody> {
  const json = (name: string, text: fc.Arbitrary<string>): fc.Arbitrary<HostileBody> =>
    text.map((each) => ({ name, type: JSON_TYPE, bytes: Buffer.from(each) }));
  const size = fc.integer({ min: 1, max: most });
  const member = fc.constantFrom(...MEMBERS);
  return fc.oneof(
    json(
      "a list of wrong items",
      fc
        .tuple(member, fc.constantFrom(...UNITS), size)
        .map(([name, unit, bytes]) => `{"${name}":[${repeated(unit, bytes)}]}`),
    ),
    json(
      "a bare list of wrong items",
      fc
        .tuple(fc.constantFrom(...UNITS.filter((unit) => unit !== '""')), size)
        .map(([unit, bytes]) => `[${repeated(unit, bytes)}]`),
    ),
    json(
      "deep nesting",
      fc
        .tuple(fc.constantFrom("[", '{"a":', '{"ips":[', '[{"rules":'), size)
        .map(([unit, bytes]) => unit.repeat(Math.ceil(bytes / unit.length))),
    ),
    json(
      "deep nesting that ends",
      size.map((bytes) => "[".repeat(bytes / 2 + 2) + "]".repeat(bytes / 2 + 2)),
    ),
    json(
      "unknown members",
      size.map(
        (bytes) =>
          `{${Array.from({ length: Math.ceil(bytes / 8) }, (_, index) => `"${index.toString(36)}":0`).join(",")}}`,
      ),
    ),
    json(
      "a member again and again",
      fc.tuple(member, size).map(([name, bytes]) => `{${repeated(`"${name}":0`, bytes)},"${name}":0}`),
    ),
    json(
      "a member again, spelled otherwise",
      member.map((name) => `{"${name}":0,"\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${name.slice(1)}":0}`),
    ),
    json(
      "a number that is none of ours",
      fc.tuple(member, fc.constantFrom(...NUMBERS)).map(([name, number]) => `{"${name}":${number}}`),
    ),
    json(
      "a long text",
      fc
        .tuple(member, fc.constantFrom("a", "\\u0000", "\\ud800", "é", '\\"'), size)
        .map(([name, unit, bytes]) => `{"${name}":{"":"${unit.repeat(Math.ceil(bytes / unit.length))}"}}`),
    ),
    json(
      "a long name of a member",
      size.map((bytes) => `{"${"m".repeat(bytes)}":0}`),
    ),
    json(
      "blanks",
      size.map((bytes) => `${" \t\r\n".repeat(bytes / 4)}{`),
    ),
    json(
      "more after the end",
      fc
        .tuple(fc.constantFrom(...UNITS), size)
        .map(([unit, bytes]) => `{}${unit.repeat(Math.ceil(bytes / unit.length))}`),
    ),
    fc.tuple(member, fc.constantFrom(...BAD_UTF8)).map(([name, hex]) => ({
      name: "bytes that are no UTF-8",
      type: JSON_TYPE,
      bytes: Buffer.concat([Buffer.from(`{"${name}":"`), Buffer.from(hex, "hex"), Buffer.from('"}')]),
    })),
    fc.constantFrom(...CHARSETS).map((charset) => ({
      name: "another charset",
      type: `${JSON_TYPE}; charset=${charset}`,
      bytes: Buffer.from('{"x":["\u00e9"]}', charset.startsWith("utf-16") ? "utf16le" : "latin1"),
    })),
    fc.constantFrom(...CODINGS).map((coding) => ({
      name: "a compressed body",
      type: JSON_TYPE,
      bytes: GZIP,
      headers: { "Content-Encoding": coding },
    })),
  );
}

function repeated(unit: string, bytes: number): string {
  return Array.from({ length: Math.max(1, Math.floor(bytes / (unit.length + 1))) }, () => unit).join(",");
}
