import { UpdateError } from "./update-error.ts";

/** Every character is examined a bounded number of times: pages are untrusted. */
const QUOTED_URL = /"(https?:\/\/[^"\s<>\\]{1,500})"/g;

/**
 * The URL that a page links to and whose path matches `link`; of several, the last in order, which has the newest date
 * in its name. It must be https and of the page's own domain. @throws UpdateError "link"
 */
export function findLink(page: string, pageUrl: string, link: RegExp): string {
  const found: URL[] = [];
  for (const [, text] of page.matchAll(QUOTED_URL)) {
    const url = URL.parse(text!);
    if (url !== null && link.test(url.pathname)) found.push(url);
  }
  const newest = found.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).at(-1);
  if (newest === undefined)
    throw new UpdateError(
      "link",
      `${pageUrl} no longer links to a list (${link.source}); the page may have changed, and a newer version of ipsieve may follow it`,
    );
  const domain = domainOf(new URL(pageUrl));
  if (newest.protocol === "https:" && domainOf(newest) === domain) return newest.href;
  throw new UpdateError("link", `${pageUrl} links to ${newest.href}, which is not https or not on ${domain}`);
}

function nameOf({ pathname }: URL): string {
  return pathname.slice(pathname.lastIndexOf("/") + 1);
}

/** The last two labels: for the publishers' pages, the registered domain. */
function domainOf({ hostname }: URL): string {
  return hostname.split(".").slice(-2).join(".");
}
