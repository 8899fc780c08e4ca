import type { Plan } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { columnLines } from "../../output/columns.ts";
import { grouped } from "../../output/numbers.ts";
import { styleFor } from "../../output/style.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  dateText,
  ORGANISATION_OPTION,
  withStore,
} from "../../service-database.ts";

export const listCommand: Command = {
  name: "plan list",
  summary: "list the plans of all organisations, or of one",
  operands: "",
  minOperands: 0,
  maxOperands: 0,
  options: [
    { ...ORGANISATION_OPTION, help: "only of this organisation, by name or id" },
    { name: "json", help: "print one JSON document" },
    ...DATABASE_OPTIONS,
  ],
  examples: [{ command: "ipsieve plan list --org Example", what: "of one organisation" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const state = await withStore(args, false, (store) => store.load(null));
  const only = args.has("org") ? chosenOrganisation(state, args).id : undefined;
  const names = new Map(state.organisations.map(({ id, name }) => [id, name]));
  const plans = state.plans.filter(({ organisationId }) => only === undefined || organisationId === only);
  plans.sort((a, b) => (names.get(a.organisationId)! < names.get(b.organisationId)! ? -1 : 1));
  if (args.has("json")) process.stdout.write(`${JSON.stringify(plans)}\n`);
  else {
    const rows = plans.map((plan) => [
      names.get(plan.organisationId)!,
      plan.area,
      stateText(plan),
      limitText(plan.perMinute),
      limitText(plan.perMonth),
    ]);
    const lines = columnLines(
      [["organisation", "area", "state", "per minute", "per month"], ...rows],
      new Set([3, 4]),
      styleFor(process.stdout),
    );
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  return plans.length > 0 ? EXIT.matched : EXIT.nothing;
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
