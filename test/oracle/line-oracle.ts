/**
 * The slow implementation of the rules of `src/batch/lines/find-address.ts`, with strings and regular expressions. It
 * shares no code with the scanner or with the address room. Text is one character per byte (latin1).
 */

/** An address as 4 or 16 bytes; an IPv4-mapped one has 4. */
export type OracleAddress = readonly number[];

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])";
const QUAD = `(?:${OCTET}\\.){3}${OCTET}`;
const QUAD_FRONT = new RegExp(`^(${QUAD})(?=$|:|\\.+$)`);
const QUAD_WHOLE = new RegExp(`^${QUAD}$`);

/** The first address of a line, which is given without its line end. */
export function oracleAddressOf(line: string): OracleAddress | null {
  return oracleAddressesOf(line)[0] ?? null;
}

/** All addresses of a line, at most one per token. */
export function oracleAddressesOf(line: string): OracleAddress[] {
  const addresses: OracleAddress[] = [];
  for (const match of line.matchAll(/[A-Za-z0-9_.:]+/g)) {
    const before = line.slice(0, match.index);
    const after = line.slice(match.index + match[0].length);
    if (match[0] === "::" && before.endsWith(" ") && after.startsWith(" ")) continue;
    const address = addressOfToken(match[0], /[A-Za-z]\/$/.test(before));
    if (address !== null) addresses.push(address);
  }
  return addresses;
}

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

function addressOfToken(token: string, afterProductName: boolean): OracleAddress | null {
  let rest = token;
  for (;;) {
    const quad = QUAD_FRONT.exec(rest);
    if (quad !== null) {
      if (afterProductName && rest === token && quad[1]!.endsWith(".0.0")) return null;
      return quadBytes(quad[1]!);
    }
    const [, run, colons] = /^([A-Za-z0-9_.]*)(:*)/.exec(rest) as unknown as [string, string, string];
    const named = /[^0-9A-Fa-f.]/.test(run);
    const behind = rest.slice(run.length + 1);
    const isLabel = colons === ":::" || (colons === ":" && (run === "" || named || QUAD_FRONT.test(behind)));
    if (!isLabel) return named ? null : sixBytes(rest.replace(/\.+$/, "").replace(/(?<!:):$/, ""));
    rest = behind;
  }
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
