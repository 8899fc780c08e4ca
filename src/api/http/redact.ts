/** A key, any character of which may be percent-encoded, once or more. */
const KEYS =
  /(?:i|%(?:25)*69)(?:p|%(?:25)*70)(?:s|%(?:25)*73)(?:_|%(?:25)*5f)(?:[a-z0-9_-]|%(?:25)*[2-7][0-9a-f]){8,}/gi;

/**
 * The text without any API key in it: a key that a client puts in the wrong place does not appear in logs and
 * responses.
 */
export function redact(text: string): string {
  return text.includes("ips_") || text.includes("%") ? text.replaceAll(KEYS, "ips_[redacted]") : text;
}

/** The path of a request's URL, without the query string and without keys. */
export function safePath(url: string): string {
  const end = url.indexOf("?");
  return redact(end < 0 ? url : url.slice(0, end));
}
