/** A key, of which any character may be percent-encoded, once or more. */
const KEYS =
  /(?:i|%(?:25)*69)(?:p|%(?:25)*70)(?:s|%(?:25)*73)(?:_|%(?:25)*5f)(?:[a-z0-9_-]|%(?:25)*[2-7][0-9a-f]){8,}/gi;

/**
 * The text without any API key that stands in it: whoever puts one in the wrong place does not find it in logs and
 * answers.
 */
export function redact(text: string): string {
  return text.includes("ips_") || text.includes("%") ? text.replaceAll(KEYS, "ips_[redacted]") : text;
}

/** The path of a request's URL, without the query string and without keys. */
export function safePath(url: string): string {
  const end = url.indexOf("?");
  return redact(end < 0 ? url : url.slice(0, end));
}
