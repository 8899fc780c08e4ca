import { prefixLines } from "./_prefix-lines.ts";

/** A list of one prefix a line and nothing else, as most products fetch them from a URL; each has limits of its own. */
function prefixList(about: string) {
  return { about, kinds: ["rules"], mediaType: "text/plain", write: prefixLines } as const;
}

export const paloalto = prefixList("external dynamic list of PAN-OS");
export const fortinet = prefixList("external IP block list of FortiOS");
export const cisco = prefixList("security intelligence feed");
export const juniper = prefixList("a file of a feed for dynamic-address");
export const sonicwall = prefixList("dynamic external address group");
export const pfsense = prefixList("URL table alias");
export const opnsense = prefixList("URL table alias");
export const rspamd = prefixList("ip map");
