import { createReadStream, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { accessLog, factsOf, labelOf, twentiethList, wholeList } from "../data/files.ts";
import { cachePath } from "../data/cache.ts";
import { checksum } from "../data/checksum.ts";
import { catalogueOf, ENGINES, isInstalled, measureTurns, run, runIpsieve } from "./whole-command.ts";
import { ensureFile } from "../data/generated-file.ts";
import { everyNth } from "../data/table-data.ts";
import { Oracle } from "../data/oracle.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { prefixTexts } from "../data/texts.ts";
import { readRouted } from "./routed-table.ts";
import type { Part } from "./part.ts";
import type { PrefixList } from "../data/files.ts";
import type { Turn } from "./whole-command.ts";

const ROUNDS = 5;
const LISTS = { whole: wholeList, twentieth: twentiethList };

/**
 * Identifying every line of an access log, a row each, beside grepcidr, which prints the lines that match, and `wc -l`.
 * With the whole list and with a twentieth of it. All output goes to the null device: grepcidr, like ipsieve, does not
 * look what its stdout is, and hands every byte to the system.
 */
export const part: Part = async () => {
  const facts = factsOf(accessLog);
  const input = await ensureFile(accessLog, facts);
  const hasGrepcidr = isInstalled("grepcidr");
  const turns: Turn[] = [];
  const notes = [`log: ${facts.bytes} bytes, ${facts.lines} lines, ${facts.matched} of them matched`];
  for (const list of ["whole", "twentieth"] as const) {
    const oracle = await LogOracle.create(LISTS[list]);
    const catalogue = await catalogueOf(LISTS[list]);
    const ours = ENGINES.flatMap((engine) =>
      [1, 2].map((threads) => {
        const args = [
          "identify",
          "--format",
          "tsv",
          "--engine",
          engine,
          "--threads",
          String(threads),
          "--snapshot",
          catalogue,
        ];
        return { engine, threads, args };
      }),
    );
    const matched = await requireRightRows(
      ours.map(({ args }) => args),
      input,
      oracle,
    );
    for (const { engine, threads, args } of ours) {
      turns.push({
        subject: "ipsieve identify",
        engine,
        list,
        threads,
        run: () => runIpsieve([...args, input], "nothing"),
      });
    }
    notes.push(`log: ${matched} lines match the ${list} list of ${factsOf(LISTS[list].patterns).lines} prefixes`);
    if (!hasGrepcidr) continue;
    const args = ["-f", await ensureFile(LISTS[list].patterns, factsOf(LISTS[list].patterns)), input];
    requireCount(run("grepcidr", ["-c", ...args], "stdout").stdout, matched);
    turns.push({ subject: "grepcidr", list, threads: 1, run: () => run("grepcidr", args, "nothing") });
  }
  if (isInstalled("wc")) turns.push({ subject: "wc -l", threads: 1, run: () => run("wc", ["-l", input], "nothing") });
  if (!hasGrepcidr) notes.push("log: grepcidr not measured: grepcidr not installed (apt-get install grepcidr)");
  return { measurements: measureTurns(turns, ROUNDS), refusals: [], notes };
};

/** The right row of an address, by the oracle of each family. */
class LogOracle {
  readonly #families;

  private constructor(routed: Awaited<ReturnType<typeof readRouted>>, every: number) {
    const [family4, family6] = routed.datasets.map(({ table }) => {
      const listed = everyNth(table, every);
      return { table: listed, oracle: new Oracle(listed), prefixes: prefixTexts(listed) };
    });
    this.#families = { 4: family4!, 6: family6! };
  }

  static async create({ every }: PrefixList): Promise<LogOracle> {
    return new LogOracle(await readRouted(), every);
  }

  /** The prefix and the label of the address; both empty where nothing matches. */
  answer(text: string): { prefix: string; label: string } {
    const { family, w0, w1, w2, w3 } = parseAddress(text);
    const { oracle, prefixes, table } = this.#families[family];
    const index = oracle.prefixOf([w0, w1, w2, w3]);
    if (index < 0) return { prefix: "", label: "" };
    return {
      prefix: prefixes[index]!.replace(family === 4 ? /\/32$/ : /\/128$/, ""),
      label: labelOf(table.values[index]!),
    };
  }
}

/** Throws unless all commands write the same rows and these are the right ones; returns how many lines match. */
async function requireRightRows(
  commands: readonly (readonly string[])[],
  input: string,
  oracle: LogOracle,
): Promise<number> {
  const output = cachePath("rows.tsv");
  const sums = commands.map((args) => {
    runIpsieve([...args, "-o", output, input], "nothing");
    return checksum(readFileSync(output));
  });
  const other = sums.findIndex((sum) => sum !== sums[0]);
  if (other > 0) throw new Error(`other rows than of ${commands[0]!.join(" ")}: ${commands[other]!.join(" ")}`);
  const matched = await compareRows(output, input, oracle);
  rmSync(output);
  return matched;
}

/** Compares every row with the log's own address and the oracle's prefix and value; returns how many lines match. */
async function compareRows(output: string, input: string, oracle: LogOracle): Promise<number> {
  const rows = createInterface({ input: createReadStream(output) })[Symbol.asyncIterator]();
  let line = 0;
  let matched = 0;
  for await (const logged of createInterface({ input: createReadStream(input) })) {
    line++;
    const text = logged.slice(0, logged.indexOf(" "));
    const right = oracle.answer(text);
    const [address, prefix, ids] = (await rows.next()).value!.split("\t") as [string, string, string];
    if (address !== text || prefix !== right.prefix || !ids.split(",").includes(right.label)) {
      throw new Error(`row ${line} is wrong: ${address} ${prefix} ${ids}`);
    }
    if (prefix !== "") matched++;
  }
  if (!(await rows.next()).done || line !== factsOf(accessLog).lines)
    throw new Error(`${line} lines in, another number of rows out`);
  return matched;
}

function requireCount(printed: string, matched: number): void {
  if (Number(printed) !== matched) throw new Error(`grepcidr counts ${printed.trim()} lines, right is ${matched}`);
}
