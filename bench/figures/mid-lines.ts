import { factsOf, wholeList } from "../data/files.ts";
import { ensureFile } from "../data/generated-file.ts";
import { MID_LINE_LOGS, type MidLineLog } from "../data/mid-line-logs.ts";
import type { Part } from "./part.ts";
import { catalogueOf, ENGINES, measureTurns, runIpsieve, type Turn } from "./whole-command.ts";

const ROUNDS = 5;

/**
 * Counting the lines whose address, in the middle of the line, is on the list: found anywhere, and in a field.
 */
export const part: Part = async () => {
  const catalogue = await catalogueOf(wholeList);
  const turns: Turn[] = [];
  const notes: string[] = [];
  for (const log of MID_LINE_LOGS) {
    const { bytes, lines, matched } = factsOf(log);
    const input = await ensureFile(log, factsOf(log));
    notes.push(`mid-lines: ${log.shape}: ${lines} lines of ${bytes} bytes, ${matched} of them matched`);
    turns.push(...identifyTurns(log, catalogue, input, String(matched)));
  }
  return { measurements: measureTurns(turns, ROUNDS), refusals: [], notes };
};

function identifyTurns({ shape, field }: MidLineLog, catalogue: string, input: string, stdout: string): Turn[] {
  const ways = field === null ? [[]] : [[], ["--field", field]];
  return ENGINES.flatMap((engine) =>
    ways.map((way): Turn => {
      const args = ["identify", "-c", "--threads", "1", "--engine", engine, "--snapshot", catalogue, ...way, input];
      const subject = ["ipsieve identify -c", ...way, shape].join(" ");
      return { subject, engine, threads: 1, stdout, run: () => runIpsieve(args, "stdout") };
    }),
  );
}
