/** Whether a text is a URL of http or https. */
export function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

/** What is wrong with the base URL of a service, to which paths are appended, and the cure. */
export function baseUrlError(text: string): string | undefined {
  if (!isWebAddress(text)) return "write it with its scheme, such as https://ipsieve.example";
  return /[?#]/.test(text) ? "leave out what begins with ? or #" : undefined;
}
