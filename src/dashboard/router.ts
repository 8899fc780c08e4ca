import { signal } from "@preact/signals";
import { type PageLocation, readLocation } from "./location.ts";

export const pageLocation = signal<PageLocation>(readLocation(location.hash));

/** Opens a page; with `replace`, without an entry in the history, for filters that change with every key press. */
export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  followAddress();
}

/** Call it once; it follows the browser's URL from then on. */
export function startRouter(): void {
  addEventListener("hashchange", followAddress);
  addEventListener("popstate", followAddress);
}

function followAddress(): void {
  pageLocation.value = readLocation(location.hash);
}
