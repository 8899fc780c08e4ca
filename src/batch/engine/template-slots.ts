import type { MatchId } from "../../table/match-id.ts";
import { NO_ADDRESS } from "../lines/find-address.ts";
import type { MatchTemplates } from "./row-templates.ts";

/** A slot for each template: the first for lines without an address, then those of keys, or else of match ids. */
export interface TemplateSlots {
  readonly count: number;
  readonly slotOf: (match: number) => number;
}

export function templateSlots(sharing: MatchTemplates["sharing"], matchCount: number): TemplateSlots {
  if (sharing === null) return { count: matchCount + 2, slotOf: (match) => match + 1 };
  return {
    count: sharing.keyCount + 1,
    slotOf: (match) => (match === NO_ADDRESS ? 0 : sharing.keyOf(match as MatchId) + 1),
  };
}
