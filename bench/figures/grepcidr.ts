import { addressLines, factsOf, wholeList } from "../data/files.ts";
import { catalogueOf, ENGINES, isInstalled, measureTurns, run, runIpsieve } from "./whole-command.ts";
import { ensureFile } from "../data/generated-file.ts";
import type { Part } from "./part.ts";
import type { Turn } from "./whole-command.ts";

const ROUNDS = 5;

/**
 * Counting the lines whose address is on the list, by the whole command, beside Debian's grepcidr with the same list.
 */
export const part: Part = async () => {
  const facts = factsOf(addressLines);
  const stdout = String(facts.matched);
  const input = await ensureFile(addressLines, facts);
  const patterns = await ensureFile(wholeList.patterns, factsOf(wholeList.patterns));
  const catalogue = await catalogueOf(wholeList);
  const turns: Turn[] = ENGINES.flatMap((engine) =>
    [1, 2].map((threads): Turn => {
      const args = ["identify", "-c", "--engine", engine, "--threads", String(threads), "--snapshot", catalogue, input];
      return { subject: "ipsieve identify -c", engine, threads, stdout, run: () => runIpsieve(args, "stdout") };
    }),
  );
  turns.push({
    subject: "ipsieve identify -c < FILE",
    threads: 1,
    stdout,
    run: () => runIpsieve(["identify", "-c", "--threads", "1", "--snapshot", catalogue], "stdout", input),
  });
  const notes = [
    `grepcidr: ${facts.lines} lines, ${facts.matched} of them on the list of ${factsOf(wholeList.patterns).lines} prefixes`,
  ];
  if (isInstalled("grepcidr")) {
    turns.push({
      subject: "grepcidr -c",
      threads: 1,
      stdout,
      run: () => run("grepcidr", ["-c", "-f", patterns, input], "stdout"),
    });
  } else {
    notes.push("grepcidr: not measured: grepcidr not installed (apt-get install grepcidr)");
  }
  return { measurements: measureTurns(turns, ROUNDS), refusals: [], notes };
};
