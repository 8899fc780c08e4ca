import type { StoreReport } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { counted } from "../../../words/numbers.ts";
import { DATABASE_OPTIONS, withStore } from "../../database/service-database.ts";

export const checkCommand: Command = {
  name: "db check",
  summary: "check the integrity of the whole database",
  operands: "",
  options: [{ name: "json", help: "print one JSON document" }, ...DATABASE_OPTIONS],
  notes: ["The server may be running."],
  examples: [{ command: "ipsieve admin db check", what: "exit code 0: intact" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const report = await withStore(args, false, (store) => store.check());
  process.stdout.write(args.has("json") ? `${JSON.stringify(report)}\n` : `intact: ${reportText(report)}\n`);
  return EXIT.matched;
}

export function reportText({ schema, sequence, organisations, keys, rulesets, rules }: StoreReport): string {
  const counts = [
    counted(organisations, "organisation"),
    counted(keys, "key"),
    counted(rulesets, "ruleset"),
    counted(rules, "rule"),
  ];
  return `${counts.join(", ")}; schema ${schema}, change ${sequence}`;
}
