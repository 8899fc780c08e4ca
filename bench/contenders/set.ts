import type { Contender, Pass, Queries } from "../harness/contender.ts";
import type { TableData } from "../data/table-data.ts";

/** JavaScript's own set of numbers: the usual way to keep a list of single IPv4 addresses without a library. */
export const contender: Contender = {
  name: "Set",
  package: null,
  families: [4],
  answers: "member",
  forms: ["native"],
  async build(data) {
    requireSingles(data);
    const set = new Set<number>(data.words);
    return { pass: (_form, queries) => passOf(set, queries) };
  },
};

function requireSingles({ family, lengths }: TableData): void {
  if (family === 4 && lengths.every((length) => length === 32)) return;
  throw new Error("a Set holds single IPv4 addresses only");
}

function passOf(set: ReadonlySet<number>, { words, count }: Queries): Pass {
  return (out) => {
    for (let i = 0; i < count; i++) out[i] = set.has(words[i]!) ? 1 : 0;
  };
}
