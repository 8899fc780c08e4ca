import { formatPrefix } from "../../address/prefix.ts";
import type { Format } from "../format.ts";
import { checkSetName } from "../set-name.ts";

/** Caddy has no matcher that matches nothing, so this one matches what is both something and not. */
const NOTHING = "expression false\n";

/**
 * A matcher for a site of a Caddyfile, to be imported there: `import blocklist.caddy`, then `respond @NAME 403`.
 * @throws RangeError for a name that no matcher can have
 */
export const caddy = {
  about: "matcher",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  isNamed: true,
  *write(list) {
    yield `@${checkSetName(list.name)} {\n`;
    let count = 0;
    for (const { prefix } of list.entries()) {
      yield `remote_ip ${formatPrefix(prefix)}\n`;
      count++;
    }
    yield count === 0 ? `${NOTHING}}\n` : "}\n";
  },
} as const satisfies Format<"rules">;
