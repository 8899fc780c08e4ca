import { formatPrefix } from "../../address/prefix.ts";
import type { Format } from "../format.ts";
import { ruleDocument } from "../rule-document.ts";
import { setsOf } from "./_label-sets.ts";
import { perLabels } from "../_per-labels.ts";

/** The catalogue as one JSON document per line, `{cidr, cbs_ids, labels, providers, types, services, regions}`. */
export const jsonl = {
  about: "one JSON document per line",
  kinds: ["catalogue"],
  mediaType: "application/x-ndjson",
  *write(list) {
    const restOf = perLabels((labels) => JSON.stringify(setsOf(labels)).slice(1));
    for (const { prefix, labels } of list.entries()) yield `{"cidr":"${formatPrefix(prefix)}",${restOf(labels)}\n`;
  },
} as const satisfies Format<"catalogue">;

/** Rules as one JSON document per line, `{ip, name, expires_at, created_at, updated_at}`. */
export const ndjson = {
  about: "one JSON document per line",
  kinds: ["rules"],
  mediaType: "application/x-ndjson",
  comments: "entries",
  *write(list) {
    for (const entry of list.entries()) yield `${JSON.stringify(ruleDocument(entry))}\n`;
  },
} as const satisfies Format<"rules">;
