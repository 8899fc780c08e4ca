/** What the members of JSON logs call the user agent: `user_agent`, `userAgent`, `http_user_agent`, `User-Agent`, `ua`. */
const MEMBER = /^(?:(?:http|cs|request)[-_.(]*)?user[-_. ]?agent\)?$|^(?:agent|ua)$/i;
/** How deep it may be: `request.headers.User-Agent[0]`. */
const MAX_DEPTH = 4;
/**
 * A text in quotes, in which quotes are escaped; what nginx and Apache write. One that is not closed matches to its end,
 * without the second group: otherwise it would be searched again from each quote in it.
 */
const QUOTED = /"([^"\\]*(?:\\.[^"\\]*)*)(?:(")|\\?$)/gs;

/**
 * The user agent in a line of a log: the member of that name of a JSON object, otherwise the last text in quotes that
 * holds words, as in the combined formats of web servers. Null if there is none: what stands elsewhere in a line, such
 * as in its URL, says nothing about who sent the request.
 */
export function userAgentOf(line: string): string | null {
  if (/^\s*\{/.test(line)) {
    const object = parsed(line);
    if (object !== undefined) return memberOf(object, MAX_DEPTH);
  }
  const quoted = [...line.matchAll(QUOTED)].flatMap(([, text, end]) => (end === undefined ? [] : text!));
  // The first text is the request; what follows the user agent may be addresses, or a dash for none.
  return quoted.slice(1).findLast((text) => /[g-z]/i.test(text) && !/^https?:/i.test(text)) ?? null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, depth: number): string | null {
  if (typeof value !== "object" || value === null || depth === 0) return null;
  for (const [name, member] of Object.entries(value)) {
    if (!MEMBER.test(name)) continue;
    const text: unknown = Array.isArray(member) ? member[0] : member;
    if (typeof text === "string") return text;
  }
  for (const member of Object.values(value)) {
    const found = memberOf(member, depth - 1);
    if (found !== null) return found;
  }
  return null;
}
