import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { confirm } from "../../runner/confirm.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const undoCommand: Command = {
  name: "audit undo",
  summary: "undo a change of rules or rulesets on a server exactly, after confirmation",
  operands: "NUMBER",
  operandWords: [],
  options: [{ name: "yes", help: "undo it without asking" }, ...CONNECTION_OPTIONS],
  notes: [
    'NUMBER is the number of the change, as "ipsieve audit list" shows it. Rules get their names, expiries and creation times back, and deleted rules and rulesets are restored.',
    "A change cannot be undone if what it changed has been changed again since. The undo is itself a change, and can be undone.",
    KEY_NOTE,
    "Exit code: 0 if it was undone, 1 if you did not agree, 2 after an error.",
  ],
  examples: [{ command: "ipsieve audit undo 1207", what: "shows what it was, and asks" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const text = args.operands[0]!;
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new UsageError(`${JSON.stringify(text)}: give the number of a change; "ipsieve audit list" lists them`);
  const sequence = Number(text);
  const connection = new ServiceConnection(args);
  const summary = await connection.use(async (client) => {
    const query = { before: sequence + 1, limit: 1 };
    const [found] = (await client.get("/v1/audit", { params: { query } })).items;
    if (found?.sequence === sequence) return found.summary;
    throw new UsageError(`there is no change ${sequence}; "ipsieve audit list" lists them`);
  });
  if (!args.has("yes") && !(await confirm(`Undo change ${sequence}, ${summary}?`, "--yes"))) return EXIT.nothing;
  await connection.use((client) => client.post("/v1/audit/{sequence}:undo", { params: { path: { sequence } } }));
  await printText(`change ${sequence} undone: ${oneLine(summary)}\n`);
  return EXIT.matched;
}
