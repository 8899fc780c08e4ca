/**
 * One measurement of the library that was built in a checkout: `node --expose-gc measure-once.ts CHECKOUT
 * lookups|freeze`. Prints the milliseconds of processor time; fails when an answer is wrong.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readDataset } from "../data/dataset.ts";
import { prefixAt } from "../data/texts.ts";
import { collectGarbage } from "../figures/part.ts";

/** So many passes over the queries are one measurement. */
const PASSES = 20;

const [checkout, name] = process.argv.slice(2) as [string, string];
const library = (await import(
  pathToFileURL(join(checkout, "dist/index.js")).href
)) as typeof import("../../src/index.ts");
const { table: data, queries } = readDataset("routed4");
const trie = new library.PrefixTrie();
for (let i = 0; i < data.count; i++) trie.insert(prefixAt(data, i), data.values[i]!);

function measure(work: () => void): number {
  work(); // until the code is compiled
  collectGarbage();
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function freezing(): number {
  let count = 0;
  const milliseconds = measure(() => {
    count = library.freeze(trie).prefixCount(4);
  });
  if (count !== trie.size) throw new Error(`the table holds ${count} of ${trie.size} prefixes`);
  return milliseconds;
}

function lookingUp(): number {
  const table = library.freeze(trie);
  const { words, answers } = queries.hits;
  const matches = new Uint32Array(answers.length);
  const milliseconds = measure(() => {
    for (let pass = 0; pass < PASSES; pass++) table.lookupBatchInto(4, words, matches);
  });
  type MatchId = Parameters<typeof table.value>[0];
  const wrong = matches.findIndex((match, i) => match === 0 || table.value(match as MatchId) !== answers[i]);
  if (wrong >= 0) throw new Error(`hit ${wrong} got match ${matches[wrong]}, right is value ${answers[wrong]}`);
  return milliseconds;
}

process.stdout.write(String(name === "freeze" ? freezing() : lookingUp()));
