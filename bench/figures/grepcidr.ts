import { addressLines, factsOf, patterns } from "../data/files.ts";
import { ensureFile } from "../data/generated-file.ts";
import { isInstalled, routedCatalogue, run, runIpsieve } from "./whole-command.ts";
import { summarize } from "./part.ts";
import type { Measurement, Part } from "./part.ts";
import type { Run } from "./whole-command.ts";

const ROUNDS = 5;

/** Counting the lines whose address is on the list, by the whole command, beside Debian's grepcidr with the same list. */
export const part: Part = async () => {
  const expected = factsOf(addressLines).matched;
  const input = await ensureFile(addressLines, factsOf(addressLines));
  const list = await ensureFile(patterns, factsOf(patterns));
  const catalogue = await routedCatalogue();
  const ours = (threads: number) => (): Run => runIpsieve(["identify", "-c", "--threads", String(threads), "--snapshot", catalogue, input], "stdout");
  const hasGrepcidr = isInstalled("grepcidr");
  const contenders = [
    { subject: "ipsieve identify -c", threads: 1, run: ours(1), samples: [] as number[] },
    { subject: "ipsieve identify -c", threads: 2, run: ours(2), samples: [] as number[] },
    ...(hasGrepcidr ? [{ subject: "grepcidr -c", threads: 1, run: () => run("grepcidr", ["-c", "-f", list, input], "stdout"), samples: [] as number[] }] : []),
  ];
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of contenders) {
      const { milliseconds, stdout } = contender.run();
      if (Number(stdout) !== expected) throw new Error(`${contender.subject} counted ${stdout.trim()} lines, right is ${expected}`);
      contender.samples.push(milliseconds);
    }
  }
  const measurements = contenders.map(({ subject, threads, samples }): Measurement => ({ subject, threads, unit: "ms", ...summarize(samples) }));
  const notes = [`grepcidr: ${factsOf(addressLines).lines} lines, ${expected} of them on the list of ${factsOf(patterns).lines} prefixes`];
  if (!hasGrepcidr) notes.push("grepcidr: not measured: grepcidr not installed (apt-get install grepcidr)");
  return { measurements, refusals: [], notes };
};
