import { signal } from "@preact/signals";
import { type PageLocation, readLocation } from "./location.ts";

export const pageLocation = signal<PageLocation>(readLocation(location.hash));

/** Goes to a page; `replace` leaves no entry in the history behind, as for filters that change at every key. */
export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  followAddress();
}

/** Call it once; it follows the browser's address from then on. */
export function startRouter(): void {
  addEventListener("hashchange", followAddress);
  addEventListener("popstate", followAddress);
}

function followAddress(): void {
  pageLocation.value = readLocation(location.hash);
}
