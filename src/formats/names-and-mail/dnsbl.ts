import { formatAddress } from "../../address/format-address.ts";
import { inSections } from "../_sections.ts";
import type { Format } from "../format.ts";

/**
 * A file for `rbldnsd ZONE:combined:FILE`, with a data set for each family. Listed addresses are answered with 127.0.0.2
 * (RFC 5782) and a text that names the address.
 */
export const dnsbl = {
  about: "for rbldnsd",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  write: (list) =>
    inSections(list, {
      begin: (family) => `$DATASET ip${family}trie @\n:127.0.0.2:$ is listed\n`,
      line: ({ prefix }) => `${formatAddress(prefix)}/${prefix.length}\n`,
    }),
} as const satisfies Format<"rules">;
