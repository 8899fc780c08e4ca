/** A key of either kind, or the token of a feed, any character of which may be percent-encoded, once or more. */
const KEYS =
  /(?:i|%(?:25)*69)(?:p|%(?:25)*70)([sfbt]|%(?:25)*(?:73|66|62|74))(?:_|%(?:25)*5f)(?:[a-z0-9_-]|%(?:25)*[2-7][0-9a-f]){8,}/gi;

/**
 * The text without any key or token of a feed in it: one that a client puts in the wrong place does not appear in logs and
 * responses.
 */
export function redact(text: string): string {
  if (!mayHaveSecret(text) && !text.includes("%")) return text;
  return text.replaceAll(KEYS, (_key, kind: string) => `ip${kindOf(kind)}_[redacted]`);
}

/** Whether a text has what keys and tokens of feeds begin with. */
export function mayHaveSecret(text: string): boolean {
  return /ip[sfbt]_/i.test(text);
}

/** Its letter, which may be percent-encoded. */
function kindOf(text: string): string {
  return text.length === 1 ? text.toLowerCase() : String.fromCharCode(Number.parseInt(text.slice(-2), 16));
}

/** The path of a request's URL, without the query string and without keys. */
export function safePath(url: string): string {
  const end = url.indexOf("?");
  return redact(end < 0 ? url : url.slice(0, end));
}
