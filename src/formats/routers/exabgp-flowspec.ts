import { cidr } from "../_cidr.ts";
import { type Format, UnexportableError } from "../format.ts";

/**
 * Flow routes that discard what comes from listed addresses, as lines that a process of ExaBGP prints (`encoder text`).
 * @throws UnexportableError for an allowlist
 */
export const exabgpFlowspec = {
  about: "flow routes that discard",
  kinds: ["rules"],
  mediaType: "text/plain",
  *write(list) {
    if (list.purpose === "allowlist")
      throw new UnexportableError("allowlist", "flow routes discard; choose another format for an allowlist");
    for (const { prefix } of list.entries())
      yield `announce flow route { match { source ${cidr(prefix)}; } then { discard; } }\n`;
  },
} as const satisfies Format<"rules">;
