import type { Client, Ruleset } from "../client/client.ts";
import { chosenRuleset, RULESET_NOTE } from "./chosen-ruleset.ts";
import type { Arguments } from "./command.ts";
import { counted } from "./output/numbers.ts";
import { printText } from "./output/standard-output.ts";
import { type LeftOut, listRejection, reportLeftOut } from "./list-rejection.ts";
import { rejectUnreadable } from "./read-list.ts";
import { formatOf, LIST_NOTE, type SentList, sendList } from "./sent-list.ts";
import { KEY_NOTE, withService } from "./service-connection.ts";

/** What the commands that send a list to a ruleset take besides options. */
export const UPLOAD_OPERANDS = { operands: "RULESET FILE|-", minOperands: 2, maxOperands: 2 } as const;

/** The notes of such a command; `effect` says what an upload does, `exit` the exit codes. */
export function uploadNotes(effect: string, exit: string): readonly string[] {
  return [
    `${RULESET_NOTE} ${LIST_NOTE}`,
    `${effect}: every invalid line is reported as FILE:LINE. With --skip-invalid, the first 200 skipped lines are.`,
    KEY_NOTE,
    exit,
  ];
}

/**
 * Sends the list of the operands `RULESET FILE|-` by `send`, and reports the lines that were left out. Throws as
 * `withService`, and UsageError where the list is rejected.
 */
export async function uploadList<Answer extends LeftOut>(
  args: Arguments,
  send: (client: Client, path: { readonly ruleset_id: string }, list: SentList) => Promise<Answer>,
): Promise<{ readonly ruleset: Ruleset; readonly answer: Answer }> {
  const [text, file] = args.operands as [string, string];
  rejectUnreadable(file);
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
    throw listRejection(file, args.has("skip-invalid"), error);
  }
}

/** Prints the server's response, or `counts`, the sentence about it; `changed` is how many rules it changed. */
export async function printUpload(
  args: Arguments,
  ruleset: Ruleset,
  answer: { readonly invalid?: number; readonly can_undo: boolean },
  counts: string,
  changed: number,
): Promise<void> {
  const { invalid = 0, can_undo: canUndo } = answer;
  const skipped = invalid === 0 ? "" : `; ${counted(invalid, "line")} left out`;
  const undo = canUndo || changed === 0 ? "" : "; too many rules to undo";
  await printText(args.has("json") ? `${JSON.stringify(answer)}\n` : `${ruleset.name}: ${counts}${skipped}${undo}\n`);
}
