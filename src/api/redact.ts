const KEYS = /ips_[A-Za-z0-9_-]{8,}/g;

/** The text without any API key that stands in it: whoever puts one in the wrong place does not find it in logs and answers. */
export function redact(text: string): string {
  return text.includes("ips_") ? text.replaceAll(KEYS, "ips_[redacted]") : text;
}

/** The path of a request's URL, without the query string and without keys. */
export function safePath(url: string): string {
  const end = url.indexOf("?");
  return redact(end < 0 ? url : url.slice(0, end));
}
