import { ADDRESS_LISTS, type AddressList } from "../data/address-lists.ts";
import { cachePath } from "../data/cache.ts";
import { factsOf } from "../data/files.ts";
import { ensureFile } from "../data/generated-file.ts";
import { summarize, type Measurement, type Part } from "./part.ts";
import { IPSIEVE, isInstalled, measureTurns, peakMegabytes, run, runIpsieve, type Turn } from "./whole-command.ts";

const ROUNDS = 5;

/** `build` of lists of single addresses in random order, by the whole command, beside Debian's iprange. */
export const part: Part = async () => {
  const turns: Turn[] = [];
  const memory: Measurement[] = [];
  const notes: string[] = [];
  const peers = isInstalled("iprange") ? ["iprange"] : [];
  if (peers.length === 0) notes.push("builds: iprange not measured: not installed (apt-get install iprange)");
  for (const list of ADDRESS_LISTS) {
    const input = await ensureFile(list, factsOf(list));
    for (const name of ["ipsieve build", ...peers]) {
      const { program, args, ...turn } = builderOf(name, list, input);
      requireAll(name, list, input);
      turns.push(turn);
      const peak = peakMegabytes(program, args);
      if (peak !== null) memory.push({ subject: turn.subject, threads: 1, unit: "MB", ...summarize([peak]) });
    }
  }
  if (memory.length === 0) notes.push("builds: memory not measured: GNU time not installed (apt-get install time)");
  return { measurements: [...measureTurns(turns, ROUNDS), ...memory], refusals: [], notes };
};

interface Builder extends Turn {
  readonly program: string;
  readonly args: readonly string[];
}

function builderOf(name: string, list: AddressList, input: string): Builder {
  const [program, args] =
    name === "iprange" ? ["iprange", [input]] : [IPSIEVE[0], [IPSIEVE[1], ...buildOf(list, input)]];
  const subject = `${name}, ${list.addresses.toLocaleString("en-US")} addresses`;
  return { subject, threads: 1, program, args, run: () => run(program, args, "nothing") };
}

function buildOf(list: AddressList, input: string): string[] {
  return ["build", "--label", "listed", input, "-o", catalogueOf(list)];
}

function catalogueOf({ name }: AddressList): string {
  return cachePath(`${name}.ipsieve`);
}

/** Throws unless what is built holds every address of the list, and no more. */
function requireAll(name: string, list: AddressList, input: string): void {
  const { addresses } = list;
  if (name === "iprange") {
    const { stdout } = run("iprange", ["-C", input], "stdout");
    if (stdout.trim().split(",")[1] !== String(addresses))
      throw new Error(`iprange counted ${stdout.trim()} of ${addresses}`);
    return;
  }
  runIpsieve(buildOf(list, input), "nothing");
  const { stdout } = runIpsieve(["identify", "-c", "--snapshot", catalogueOf(list), input], "stdout");
  if (Number(stdout) !== addresses) throw new Error(`the catalogue has ${stdout.trim()} of ${addresses} addresses`);
}
