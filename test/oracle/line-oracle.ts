/**
 * The slow implementation of the rules of `src/batch/lines/find-address.ts`, with strings and regular expressions. It
 * shares no code with the scanner or with the address room. Text is one character per byte (latin1).
 */

/** An address as 4 or 16 bytes; an IPv4-mapped one has 4. */
export type OracleAddress = readonly number[];

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])";
const QUAD = `(?:${OCTET}\\.){3}${OCTET}`;
const PORT = "(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}|0)";
const QUAD_FRONT = new RegExp(`^(${QUAD})(?=$|:|\\.+$|(\\.${PORT})(?::|\\.*)$)`);
const BEFORE_PORT = new RegExp(`^(.+)[.:]${PORT}$`);
const UNSPECIFIED = new RegExp(`^:::${PORT}(?::|\\.*)$`);
const QUAD_WHOLE = new RegExp(`^${QUAD}$`);

/** The first address of a line, which is given without its line end. */
export function oracleAddressOf(line: string): OracleAddress | null {
  return oracleAddressesOf(line)[0] ?? null;
}

/** All addresses of a line, at most one per token. */
export function oracleAddressesOf(line: string): OracleAddress[] {
  const addresses: OracleAddress[] = [];
  for (const match of line.matchAll(/[A-Za-z0-9_.:]+/g)) {
    const escape = escapeBefore(line.slice(0, match.index), match[0]);
    if (escape === null) continue;
    const token = match[0].slice(escape);
    const before = line.slice(0, match.index + escape);
    const after = line.slice(match.index + match[0].length);
    const address = addressOfToken(token, before, after);
    if (address !== null) addresses.push(address);
  }
  return addresses;
}

/**
 * How many characters at the front of a token belong to an escape that begins before it; null: the escape stands for a
 * character of the token, which is then no token.
 */
function escapeBefore(before: string, token: string): number | null {
  const [, pattern] = ESCAPES.find(([front]) => front.test(before)) ?? [];
  const found = pattern?.exec(token);
  if (!found) return 0;
  const { two, four, eight, octal, letter } = found.groups ?? {};
  const isPercent = before.endsWith("%");
  if ((isPercent || letter !== undefined) && WHOLE_GROUP.test(token)) return 0;
  if (isPercent && WHOLE_GROUP.test(token.slice(percentSigns(token)))) return percentSigns(token);
  const code = octal === undefined ? parseInt(two ?? four ?? eight ?? "20", 16) : parseInt(octal, 8);
  const rest = token.slice(found[0].length);
  const isLikely = code >= 32 || [0, 9, 10, 13, 27].includes(code);
  if (octal !== undefined && before.endsWith("#")) return code < 32 && isLikely ? 3 : 0;
  if (octal !== undefined && !isLikely) return 1;
  if (octal !== undefined && FRONT.test(rest) && FRONT.test(token.slice(1))) return null;
  if (isPercent && (!isLikely || (code >= 127 && !FRONT.test(rest)))) return percentSigns(token);
  if (code === 58)
    return FRONT.test(rest) && !/(%3[aA]|\\x3[aA]|\\072|\\u003[aA])\1$/.test(before + found[0])
      ? found[0].length
      : null;
  return code < 256 && /[A-Za-z0-9_.]/.test(String.fromCharCode(code)) ? null : found[0].length;
}

/** How many characters of a token are percent signs that are escaped themselves, before one that escapes nothing. */
function percentSigns(token: string): number {
  return /^(?:25(?=[0-9A-Fa-f]{2}))*/.exec(token)![0].length;
}

const WHOLE_GROUP = /^[0-9A-Fa-f]{4}:/;

/** The first octet of a quad. */
const FRONT = new RegExp(`^${OCTET}\\.`);

/** What is before a token, and what of the token is part of an escape then. */
const ESCAPES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\\$/,
    /^(?:(?<letter>[bfnrtv])|x(?<two>[0-9A-Fa-f]{2})|u(?<four>[0-9A-Fa-f]{4})|U(?<eight>[0-9A-Fa-f]{8})|(?<octal>0[0-7]{2})|0)/,
  ],
  [/%$/, /^(?:25(?=[0-9A-Fa-f]{2}))*(?<two>[0-9A-Fa-f]{2})/],
  [/#$/, /^(?<octal>0[0-7]{2})/],
  // eslint-disable-next-line no-control-regex
  [/(?:\x1b|\\x1[bB]|%1[bB]|\\u001[bB]|[\\#]033|\\e|\^\[)\[[0-9;]{0,32}$/, /^[0-9]*[G-Zg-z]/],
];

/** The address that a text as a whole is. */
export function oracleExactAddress(text: string): OracleAddress | null {
  return QUAD_WHOLE.test(text) ? quadBytes(text) : sixBytes(text);
}

/** The lines of a text, without a CR before an LF or at the very end. */
export function oracleLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => line.replace(/\r$/, ""));
}

/** The address before the port of a text that is no address by itself. */
export function oracleAddressBeforePort(text: string): OracleAddress | null {
  return oracleExactAddress(BEFORE_PORT.exec(text)?.[1] ?? "");
}

function addressOfToken(token: string, before: string, after: string): OracleAddress | null {
  const afterProductName = /(?<!%.)[A-Za-z](?:\\*\/|%2[fF]|\\+(?:x|u00)2[fF])$/.test(before);
  const labels: string[] = [];
  let rest = token;
  for (;;) {
    const quad = QUAD_FRONT.exec(rest);
    if (quad !== null) {
      if (afterProductName && rest === token && (quad[1]!.endsWith(".0.0") || quad[2] !== undefined)) return null;
      return quadBytes(quad[1]!);
    }
    const [, run, colons] = /^([A-Za-z0-9_.]*)(:*)/.exec(rest) as unknown as [string, string, string];
    const named = /[^0-9A-Fa-f.]/.test(run);
    const behind = rest.slice(run.length + 1);
    const isUnspecified = rest === token && UNSPECIFIED.test(rest) && /(^|[ \t])$/.test(before);
    const isLabel =
      (colons === ":::" && !isUnspecified) || (colons === ":" && (run === "" || named || QUAD_FRONT.test(behind)));
    if (!isLabel) {
      if (named || isGlued(labels.at(-1) ?? "", rest)) return null;
      if (rest === "::" && after.startsWith(" ") && (rest !== token || before.endsWith(" "))) return null;
      const text = rest.replace(/\.+$/, "").replace(/(?<!:):$/, "");
      return sixBytes(text) ?? sixBytes(BEFORE_PORT.exec(text)?.[1] ?? "");
    }
    labels.push(run);
    rest = behind;
  }
}

/** Whether a label ends in what may be a group of the address behind it. */
function isGlued(label: string, address: string): boolean {
  const [tail] = /[0-9A-Fa-f]*$/.exec(label)!;
  if (!/[0-9]/.test(tail)) return false;
  if (tail.length > 2 || (tail.length === 2 && label.length < 4)) return true;
  return !/^(?::|[0-9A-Fa-f]{4}(?![0-9A-Fa-f]))/.test(address);
}

function quadBytes(text: string): number[] {
  return text.split(".").map(Number);
}

/** RFC 4291, section 2.2: eight groups, or fewer with one `::`; the last two may be a quad. */
function sixBytes(text: string): OracleAddress | null {
  const halves = text.split("::");
  if (halves.length > 2 || !text.includes(":")) return null;
  const head = groupBytes(halves[0]!, halves.length === 1);
  const tail = groupBytes(halves[1] ?? "", true);
  if (head === null || tail === null) return null;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return null;
  const bytes = [...head, ...new Array<number>(missing).fill(0), ...tail];
  const isMapped = bytes.slice(0, 12).join() === "0,0,0,0,0,0,0,0,0,0,255,255";
  return isMapped ? bytes.slice(12) : bytes;
}

function groupBytes(text: string, mayEndInQuad: boolean): number[] | null {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    if (mayEndInQuad && index === groups.length - 1 && QUAD_WHOLE.test(group)) bytes.push(...quadBytes(group));
    else if (/^[0-9A-Fa-f]{1,4}$/.test(group)) bytes.push(parseInt(group, 16) >> 8, parseInt(group, 16) & 255);
    else return null;
  }
  return bytes;
}
