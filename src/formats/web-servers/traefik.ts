import type { Prefix } from "../../address/address.ts";
import { parsePrefix } from "../../address/prefix.ts";
import { AddressSet } from "../../sets/address-set.ts";
import { cidr } from "../_cidr.ts";
import { addressesOf } from "../_minimal.ts";
import { type Format, UnexportableError } from "../format.ts";
import { checkSetName, resourceNameOf } from "../set-name.ts";

const EVERYTHING = ["0.0.0.0/0", "::/0"].map((text): Prefix => parsePrefix(text));

/**
 * Dynamic configuration of Traefik 3: a middleware NAME that lets the listed addresses through or, for a blocklist, all
 * others, as Traefik can only allow.
 * @throws UnexportableError if no address is allowed; RangeError for a name that no middleware can have
 */
export const traefik = {
  about: "a middleware with the allowed addresses",
  kinds: ["rules"],
  mediaType: "application/yaml",
  comments: "#",
  isNamed: true,
  rejectsLists: true,
  writesRest: true,
  *write(list) {
    const name = resourceNameOf(checkSetName(list.name));
    const listed = yield* addressesOf(list);
    const allowed = list.purpose === "allowlist" ? listed : AddressSet.of(EVERYTHING).difference(listed);
    if (allowed.isEmpty)
      throw new UnexportableError(name, "Traefik needs an address that is allowed, and none is; check the list");
    yield `http:\n  middlewares:\n    ${name}:\n      ipAllowList:\n        sourceRange:\n`;
    for (const prefix of allowed.prefixes()) yield `        - "${cidr(prefix)}"\n`;
  },
} as const satisfies Format<"rules">;
