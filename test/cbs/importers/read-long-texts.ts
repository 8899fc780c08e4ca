/**
 * `read-long-texts.ts ours|quadratic`: makes importers, and what looks for user agents, read texts that are each long in
 * one way. It is a process of its own so that it can be killed part-way.
 */
import { crawlersIn } from "../../../src/cbs/crawler-verdict.ts";
import { ImportError } from "../../../src/cbs/importers/import-error.ts";
import type { Importer } from "../../../src/cbs/importers/imported-list.ts";
import { userAgentOf } from "../../../src/cbs/user-agent-of.ts";
import { rounds } from "../../rounds.ts";
import { kinds } from "./kinds.ts";

const long = rounds({ short: 200_000, long: 400_000 });
const texts = [
  " ".repeat(long),
  "\n".repeat(long),
  "#".repeat(long),
  "[".repeat(long),
  '{"a":'.repeat(long),
  '"'.repeat(long),
  ",".repeat(long),
  "|".repeat(long),
  "-".repeat(long),
  ".".repeat(long),
  `## ${" #".repeat(long)}x`,
  `|a|\n|-|\n|${" ".repeat(long)}x|`,
  `## Legacy networks\n|IP range|\n|-|\n|x${" ".repeat(long)}<br${" ".repeat(long)}|`,
  `192.0.2.0/24${" ".repeat(long)};x`,
  `"${'""'.repeat(long)}`,
  `"${"\n".repeat(long)}`,
  `"${'\\"'.repeat(long)}`,
  `"x" "${"\\\\".repeat(long)}\\`,
  JSON.stringify({ [".".repeat(long) + "x"]: ["192.0.2.0/24"] }),
  JSON.stringify(["1".repeat(long)]),
  JSON.stringify({ creationTime: "2".repeat(long), prefixes: [] }),
  `    ${" ".repeat(long)}`,
  `192.0.2.0/24,US,US-${"0".repeat(long)},x`,
];

/** Looks for the end of a run of blanks from each blank in it. */
const quadratic: Importer = (text) => {
  if (/[ \n#]+$/.test(`${text}.`)) throw new Error("it cannot end so");
  return kinds[0]!("[]");
};

for (const text of texts) {
  crawlersIn(userAgentOf(text) ?? text);
  for (const importer of process.argv[2] === "quadratic" ? [quadratic] : kinds) {
    try {
      importer(text);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
    }
  }
}
