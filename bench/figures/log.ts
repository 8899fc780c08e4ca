import { createReadStream, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { accessLog, factsOf, labelOf } from "../data/files.ts";
import { cachePath } from "../data/cache.ts";
import { ensureFile } from "../data/generated-file.ts";
import { isInstalled, routedCatalogue, run, runIpsieve } from "./whole-command.ts";
import { Oracle } from "../data/oracle.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { prefixTexts } from "../data/texts.ts";
import { readRouted } from "./routed-table.ts";
import { summarize } from "./part.ts";
import type { Measurement, Part } from "./part.ts";
import type { Run } from "./whole-command.ts";

const ROUNDS = 5;

/** Identifying every line of an access log, rows to the null device, beside `wc -l` on the same file. */
export const part: Part = async () => {
  const facts = factsOf(accessLog);
  const input = await ensureFile(accessLog, facts);
  const catalogue = await routedCatalogue();
  const ours = (threads: number): readonly string[] => ["identify", "--format", "tsv", "--threads", String(threads), "--snapshot", catalogue];
  for (const threads of [1, 2]) await requireRightRows(ours(threads), input);
  const subjects = [
    { subject: "ipsieve identify", threads: 1, run: (): Run => runIpsieve([...ours(1), input], "nothing"), samples: [] as number[] },
    { subject: "ipsieve identify", threads: 2, run: (): Run => runIpsieve([...ours(2), input], "nothing"), samples: [] as number[] },
    ...(isInstalled("wc") ? [{ subject: "wc -l", threads: 1, run: (): Run => run("wc", ["-l", input], "nothing"), samples: [] as number[] }] : []),
  ];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { run: runOnce, samples } of subjects) samples.push(runOnce().milliseconds);
  }
  const measurements = subjects.map(({ subject, threads, samples }): Measurement => ({ subject, threads, unit: "ms", ...summarize(samples) }));
  return { measurements, refusals: [], notes: [`log: ${facts.bytes} bytes, ${facts.lines} lines, ${facts.matched} of them matched`] };
};

/** Compares every row with the log's own address and the oracle's prefix and value. */
async function requireRightRows(args: readonly string[], input: string): Promise<void> {
  const output = cachePath("rows.tsv");
  runIpsieve([...args, "-o", output, input], "nothing");
  const { datasets: [{ table: table4 }, { table: table6 }] } = await readRouted();
  const families = {
    4: { table: table4, oracle: new Oracle(table4), prefixes: prefixTexts(table4) },
    6: { table: table6, oracle: new Oracle(table6), prefixes: prefixTexts(table6) },
  };
  const rows = createInterface({ input: createReadStream(output) })[Symbol.asyncIterator]();
  let line = 0;
  for await (const logged of createInterface({ input: createReadStream(input) })) {
    line++;
    const text = logged.slice(0, logged.indexOf(" "));
    const { family, w0, w1, w2, w3 } = parseAddress(text);
    const { oracle, prefixes, table } = families[family];
    const index = oracle.prefixOf([w0, w1, w2, w3]);
    const [address, prefix, ids] = (await rows.next()).value!.split("\t") as [string, string, string];
    const right = index < 0
      ? prefix === "" && ids === ""
      : prefix === prefixes[index]!.replace(family === 4 ? /\/32$/ : /\/128$/, "") && ids.split(",").includes(labelOf(table.values[index]!));
    if (address !== text || !right) throw new Error(`row ${line} is wrong: ${address} ${prefix} ${ids}`);
  }
  if (!(await rows.next()).done || line !== factsOf(accessLog).lines) throw new Error(`${line} lines in, another number of rows out`);
  rmSync(output);
}
