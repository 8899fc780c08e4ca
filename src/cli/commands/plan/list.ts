import type { Plan } from "../../../store/state.ts";
import type { Arguments, Command } from "../../runner/command.ts";
import {
  LIST_OF_ORGANISATIONS_OPTIONS,
  organisationNames,
  printOrganisationList,
} from "../../database/list-of-organisations.ts";
import { grouped } from "../../../words/numbers.ts";
import { dateText } from "../../database/service-database.ts";

export const listCommand: Command = {
  name: "plan list",
  summary: "list the plans of all organisations, or of one",
  operands: "",
  options: LIST_OF_ORGANISATIONS_OPTIONS,
  examples: [{ command: "ipsieve admin plan list --org Example", what: "of one organisation" }],
  run,
};

function run(args: Arguments): Promise<number> {
  return printOrganisationList<Plan>(args, {
    items: (state) => {
      const names = organisationNames(state);
      return state.plans.toSorted((a, b) => (names.get(a.organisationId)! < names.get(b.organisationId)! ? -1 : 1));
    },
    document: (plan) => plan,
    header: ["organisation", "area", "state", "per minute", "per month"],
    row: (plan, organisation) => [
      organisation,
      plan.area,
      stateText(plan),
      limitText(plan.perMinute),
      limitText(plan.perMonth),
    ],
    numbers: new Set([3, 4]),
  });
}

/** In words. */
export function planText(plan: Plan): string {
  return `${plan.area} ${stateText(plan)}, ${limitText(plan.perMinute)} requests per minute and ${limitText(plan.perMonth)} per month for each key`;
}

function stateText({ active, until }: Plan): string {
  if (!active) return "off";
  if (until === null) return "active";
  return `${until > Date.now() ? "active until" : "ended"} ${dateText(until)}`;
}

function limitText(limit: number | null): string {
  return limit === null ? "default" : grouped(limit);
}
