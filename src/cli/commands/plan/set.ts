import { AREAS, type Area } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { wholeNumber } from "../../runner/parse-arguments.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  midnight,
  ORGANISATION_OPTION,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../database/service-database.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { planText } from "./list.ts";

const MAX_REQUESTS = 999_999_999;

export const setCommand: Command = {
  name: "plan set",
  summary: "set which areas of the service an organisation may use",
  operands: "AREA...",
  operandWords: AREAS,
  options: [
    ORGANISATION_OPTION,
    { name: "off", help: "deactivate the plan, but keep it" },
    {
      name: "until",
      value: "DATE",
      help: "the plan ends at the start of this date (YYYY-MM-DD, UTC); default: never",
    },
    { name: "per-minute", value: "N", help: "requests per key and minute; default: the server's setting" },
    { name: "per-month", value: "N", help: "requests per key and month; default: the server's setting" },
    ...DATABASE_OPTIONS,
  ],
  notes: [
    "Areas: edl (rulesets), cbs (business services), cti (threat intelligence). Every setting that is not given is reset to its default.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    { command: "ipsieve admin plan set edl cbs cti --org Example", what: "everything" },
    { command: "ipsieve admin plan set cti --until 2030-01-01 --per-minute 600", what: "one area, until a date" },
    { command: "ipsieve admin plan set cti --off", what: "turn an area off" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const areas = [...new Set(args.operands.map(checkedArea))];
  const number = (option: string) => {
    const text = args.value(option);
    return text === undefined ? null : wholeNumber(option, text, MAX_REQUESTS);
  };
  const until = args.value("until");
  const plan = {
    active: !args.has("off"),
    until: until === undefined ? null : midnight("until", until),
    perMinute: number("per-minute"),
    perMonth: number("per-month"),
  };
  await withStore(args, false, async (store) => {
    const { id: organisationId, name } = chosenOrganisation(await store.load(null), args);
    for (const area of areas) {
      const outcome = await store.write({ kind: "set-plan", organisationId, area, ...plan, ...signature() });
      process.stdout.write(`${name}: ${planText(outcome.plan)}\n`);
    }
  });
  return EXIT.matched;
}

function checkedArea(text: string): Area {
  const area = AREAS.find((known) => known === text);
  if (area === undefined) throw new UsageError(`unknown area ${JSON.stringify(text)}; choose from ${AREAS.join(", ")}`);
  return area;
}
