import type { Client, Ruleset } from "../client/client.ts";
import { chosenRuleset } from "./chosen-ruleset.ts";
import type { Arguments } from "./command.ts";
import { counted } from "./output/numbers.ts";
import { type LeftOut, listRefusal, reportLeftOut } from "./list-refusal.ts";
import { refuseUnreadable } from "./read-list.ts";
import { formatOf, type SentList, sendList } from "./sent-list.ts";
import { withService } from "./service-connection.ts";

/**
 * Sends the list of the operands `RULESET FILE|-` by `send`, and reports the lines that were left out. Throws as
 * `withService`, and UsageError where the list is refused.
 */
export async function uploadList<Answer extends LeftOut>(
  args: Arguments,
  send: (client: Client, path: { readonly ruleset_id: string }, list: SentList) => Promise<Answer>,
): Promise<{ readonly ruleset: Ruleset; readonly answer: Answer }> {
  const [text, file] = args.operands as [string, string];
  refuseUnreadable(file);
  const format = formatOf(args, file);
  const ruleset = await withService(args, (client) => chosenRuleset(client, text));
  const answer = await withService(
    args,
    (client) =>
      refused(
        file,
        args,
        sendList(file, format, (list) => send(client, { ruleset_id: ruleset.id }, list)),
      ),
    { once: true },
  );
  reportLeftOut(file, format === "json", answer);
  return { ruleset, answer };
}

async function refused<Answer>(file: string, args: Arguments, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw listRefusal(file, args.has("skip-invalid"), error);
  }
}

/** What the sentence about a list says of lines that were left out. */
export function leftOutText(invalid: number): string {
  return invalid === 0 ? "" : `; ${counted(invalid, "line")} left out`;
}

/** What it says where so much has changed that it cannot be taken back. */
export function undoText(changed: number, canUndo: boolean): string {
  return canUndo || changed === 0 ? "" : "; too many rules to undo";
}
