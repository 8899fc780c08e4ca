import { readFlatObject } from "./_flat-json.ts";
import { LineProblem, type LineReader, lineTooLong } from "./imported-rule.ts";

/** `created_at` and `updated_at` are set by the ruleset: they are allowed, because exports have them, and ignored. */
const MEMBERS = ["ip", "name", "expires_at", "created_at", "updated_at"];

/** One JSON object per line, with the member `ip` and, optionally, `name` and `expires_at`, each a text or null. */
export function ndjsonLines(): LineReader {
  return (line, isCut) => {
    if (isCut === true) throw lineTooLong(line);
    if (line.trim() === "") return null;
    const members = readFlatObject(line, MEMBERS);
    const ip = members.get("ip");
    if (ip === undefined || ip === null)
      throw new LineProblem(0, line, "the member ip is missing: the address or prefix of the rule");
    return { ip, name: members.get("name"), expiresAt: members.get("expires_at") };
  };
}
