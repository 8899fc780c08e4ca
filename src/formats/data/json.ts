import { jsonItems } from "../_json-items.ts";
import type { Format } from "../format.ts";
import { ruleJson } from "../rule-document.ts";

/** Rules as one JSON array of `{ip, name, expires_at, created_at, updated_at}`, one on each line. */
export const json = {
  about: "one JSON array",
  kinds: ["rules"],
  mediaType: "application/json",
  comments: "entries",
  *write(list) {
    yield* jsonItems(Iterator.from(list.entries()).map(ruleJson));
  },
} as const satisfies Format<"rules">;
