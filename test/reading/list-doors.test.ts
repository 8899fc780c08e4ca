/** The same line gives the same entries, or the same error, through every reader of lists. */
import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { quoted } from "../../src/address/address-error.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { GENERIC_IMPORTERS } from "../../src/cbs/importers/sources.ts";
import { ImportError } from "../../src/cbs/importers/import-error.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { openRuleset } from "../../src/datasets/ruleset-files.ts";
import { ListLineError } from "../../src/reading/list-error.ts";
import { readListLine } from "../../src/reading/list-line.ts";
import { errorText } from "../../src/rulesets/importers/imported-rule.ts";
import { RuleImport } from "../../src/rulesets/importers/import-rules.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import { readFetchedList } from "../../src/service/lists/read-fetched-list.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import type { ExternalListDefinition } from "../../src/store/records/external-list.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../api/start-server.ts";
import { SMALL_CATALOGUE } from "../api/harness/small-catalogue.ts";
import { LIST_LINES, type ListCase } from "../cases/list-lines.ts";
import { run, temporaryFolder } from "../cli/run-command.ts";
import { readFeed } from "../cti/feeds.ts";
import { sampled } from "../rounds.ts";

/** What a door makes of a list: its prefixes, or its error as `line 3, column 8: "value": problem`. */
type Outcome = { readonly prefixes: readonly string[] } | { readonly error: string };

/** Reads a list of which line 3 is of interest. */
type Door = (text: string) => Promise<Outcome> | Outcome;

/** The line that is tried stands behind a comment and an empty line. */
const before3 = "# first\n\n";

let folder: ReturnType<typeof temporaryFolder>;
let t: TestServer;
let key = "";
let rules = "";
before(async () => {
  folder = temporaryFolder({ "base.txt": "0.0.0.0/0\n::/0\n", "feed.txt": "64.0.0.0/3\n", "a.log": "192.0.2.1\n" });
  copyFileSync(SMALL_CATALOGUE, join(folder.path, "catalogue.ipsieve"));
  t = await startServer();
  key = (await addKey(t, await addOrganisation(t, "doors"))).text;
  const { body } = await ask(t, "GET", "/v1/edl/ip-rulesets/", { key });
  rules = `/v1/edl/ip-rulesets/${body.items[0].id}/rules`;
});
after(async () => {
  await t.close();
  folder.remove();
});

const command = (...args: string[]) => run(args, { cwd: folder.path, env: { IPSIEVE_HOME: folder.path } });
const written = (text: string, name = "list.txt"): string => {
  writeFileSync(join(folder.path, name), text);
  return name;
};
const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** Of a command: the prefixes that it has read, or the line that it complains about. */
async function outcomeOf(
  args: readonly string[],
  prefixesIn: (stdout: string) => string[] | Promise<string[]>,
): Promise<Outcome> {
  const { code, stdout, stderr } = await command(...args);
  const found = /^list\.txt:(\d+): (column .*)$/m.exec(stderr);
  // A line that cannot be read refuses the operation, whatever else the list holds.
  assert.equal(code === 2, found !== null, stderr);
  return found === null ? { prefixes: await prefixesIn(stdout) } : { error: `line ${found[1]}, ${found[2]}` };
}

async function rulesetOf(verb: "import" | "replace", text: string): Promise<Outcome> {
  const created = await command("ruleset", "create", "r.ipsieve", "--allow-special-purpose");
  assert.ok(created.code === 0 || /already exists/.test(created.stderr), created.stderr);
  await command("ruleset", "replace", "r.ipsieve", written("", "none.txt"), "--allow-empty");
  return outcomeOf(["ruleset", verb, "r.ipsieve", written(text), "--allow-empty"], async () =>
    Array.from(await openRuleset(join(folder.path, "r.ipsieve")), ({ prefix }) => formatPrefix(prefix)),
  );
}

const fetched = (never_block: boolean) => (text: string) =>
  readFetchedList(Buffer.from(text), { ...DEFINITION, never_block }, { content: null, text: null, accepted: null });
const DEFINITION: ExternalListDefinition = {
  description: "",
  url: "https://lists.example.org/list.txt",
  format: "text",
  schedule: "60m",
  active: true,
  max_change: 50,
  min_prefix_v4: 0,
  min_prefix_v6: 0,
  allow_empty: true,
};

/** Those that read labels behind an entry. */
const LABELLED: Readonly<Record<string, Door>> = {
  build: (text) =>
    outcomeOf(["build", written(text), written("203.0.113.255\n", "other.txt"), "-o", "b.ipsieve"], async () => {
      const { table } = await openCatalogue(join(folder.path, "b.ipsieve"));
      const all = [4, 6] as const;
      return all
        .flatMap((family) => Array.from(table.entries(family), ({ prefix }) => formatPrefix(prefix)))
        .filter((prefix) => prefix !== "203.0.113.255");
    }),
  "sets union": (text) => outcomeOf(["sets", "union", written(text)], linesOf),
  "sets compare": (text) => outcomeOf(["sets", "compare", written(text), "base.txt", "--json"], () => UNTOLD),
  "deployment render --include": (text) =>
    outcomeOf(["deployment", "render", "--include", written(text), "--allow-empty"], linesOf),
  "deployment render --exclude": async (text) => {
    const options = ["--include", "base.txt", "--min-prefix-v4", "0", "--min-prefix-v6", "0", "--allow-empty"];
    const rest = await outcomeOf(["deployment", "render", "--exclude", written(text), ...options], linesOf);
    if ("error" in rest) return rest;
    const all = AddressSet.of(["0.0.0.0/0", "::/0"].map((each) => parsePrefix(each)));
    const excluded = all.difference(AddressSet.of(rest.prefixes.map((each) => parsePrefix(each))));
    return { prefixes: Array.from(excluded.prefixes(), formatPrefix) };
  },
  "ruleset import --never": async (text) => {
    await command("ruleset", "create", "n.ipsieve");
    const args = [
      "ruleset",
      "import",
      "n.ipsieve",
      "feed.txt",
      "--guard",
      "warn",
      "--never",
      written(text),
      "--allow-empty",
    ];
    return outcomeOf(args, () => UNTOLD);
  },
};

/** The door does not say which prefixes it has read. */
const UNTOLD = ["?"];

/** All others. */
const PLAIN: Readonly<Record<string, Door>> = {
  "ruleset import": (text) => rulesetOf("import", text),
  "ruleset replace": (text) => rulesetOf("replace", text),
  "explain --rules": (text) => outcomeOf(["explain", "0.0.0.0/0", "--rules", written(text), "--json"], () => UNTOLD),
  "replay --rules": (text) => outcomeOf(["replay", "a.log", "--rules", written(text), "--json"], () => UNTOLD),
  "ruleset diff": (text) =>
    outcomeOf(["ruleset", "diff", written(text), "none.txt"], (stdout) =>
      linesOf(stdout)
        .filter((line) => line.startsWith("-"))
        .map((line) => line.split(/\s/)[1]!),
    ),
  "cti import": async (text) => {
    const file = written(`${text}\n203.0.113.255\n`);
    const { code, stderr } = await command("cti", "import", "--format", "list", file, "-o", "c.ipsieve");
    const found = /^list\.txt:(\d+):(\d+): (".*)$/m.exec(stderr);
    assert.equal(code, found === null ? 0 : 2, stderr);
    return found === null ? { prefixes: UNTOLD } : { error: `line ${found[1]}, column ${found[2]}: ${found[3]}` };
  },
  FeedImport: (text) => {
    const { entries, report } = readFeed(`${text}\n203.0.113.255\n`, { format: "list" });
    const [left] = report.skippedLines;
    if (left !== undefined) return { error: `line ${left.line}, column ${left.column}: ${left.message}` };
    return { prefixes: entries.map(([prefix]) => prefix).slice(0, -1) };
  },
  "--source text": (text) => {
    try {
      const { entries } = GENERIC_IMPORTERS.text!(`${text}\n203.0.113.255\n`);
      return { prefixes: entries.map(({ prefix }) => formatPrefix(prefix)).slice(0, -1) };
    } catch (error) {
      assert.ok(error instanceof ImportError);
      return { error: error.message };
    }
  },
  "an external list": async (text) => {
    const list = await fetched(false)(`${text}\n203.0.113.255\n`);
    assert.ok("content" in list && list.content !== null, JSON.stringify(list));
    const [left] = list.content.rejected.lines;
    if (left !== undefined) return { error: `line ${left.line}, ${left.reason}` };
    return { prefixes: UNTOLD };
  },
  "an external list that protects": async (text) => {
    const list = await fetched(true)(`${text}\n203.0.113.255\n`);
    if (!("problem" in list)) return { prefixes: UNTOLD };
    assert.equal(list.problem.code, "incomplete");
    return { error: list.problem.message.replace(/^.*; line (\d+): /, "line $1, ") };
  },
  RuleImport: (text) => {
    const list = new RuleImport("text", { allowSpecialPurpose: true });
    for (let at = 0; at < text.length; at += 7) list.write(text.slice(at, at + 7));
    const {
      rules: read,
      errors: [error],
    } = list.end();
    if (error !== undefined) return { error: `line ${error.line}, ${errorText(error)}` };
    return { prefixes: read.map(({ prefix }) => formatPrefix(prefix)) };
  },
  "Ruleset.import": (text) => {
    const ruleset = new Ruleset({ name: "r", allowSpecialPurpose: true });
    const {
      errors: [error],
    } = ruleset.import(text, "text");
    if (error !== undefined) return { error: `line ${error.line}, ${errorText(error)}` };
    return { prefixes: Array.from(ruleset, ({ prefix }) => formatPrefix(prefix)) };
  },
  "PUT .../rules as text/plain": async (text) => {
    const headers = { "Content-Type": "text/plain" };
    const { status, body } = await ask(t, "PUT", `${rules}?allow_empty=true&max_shrink=100`, {
      key,
      headers,
      body: text,
    });
    if (status === 200) return { prefixes: UNTOLD };
    const [[field, [message]]] = Object.entries(body.validation_errors) as [[string, [string]]];
    return { error: `${field}, ${message}` };
  },
};

function expected({ line, entries, error }: ListCase, labelled: readonly string[] | undefined): Outcome {
  if (labelled !== undefined || error === undefined) return { prefixes: merged(labelled ?? entries ?? []) };
  // Its value is told by the reader itself; here all doors must agree with it.
  try {
    readListLine(line);
  } catch (found) {
    assert.ok(found instanceof ListLineError);
    assert.equal(found.stack, String(found), "a stack for each line of a file that is no list takes seconds");
    return { error: `line 3, ${found.message}` };
  }
  throw new Error(`${quoted(line)} is no error`);
}

function merged(prefixes: readonly string[]): string[] {
  return Array.from(AddressSet.of(prefixes.map((each) => parsePrefix(each))).prefixes(), formatPrefix);
}

test("each line of the table is read, or refused with its code, its column and the cure", () => {
  for (const { line, entries = [], error, labelled } of LIST_LINES) {
    const read = (hasLabels: boolean) =>
      readListLine(line, { hasLabels })?.entries.flatMap(({ prefixes }) => prefixes) ?? [];
    if (labelled !== undefined) assert.deepEqual(read(true).map(formatPrefix), labelled, quoted(line));
    if (error === undefined) assert.deepEqual(read(false).map(formatPrefix), entries, quoted(line));
    else
      assert.throws(
        () => read(false),
        (found) => {
          assert.ok(found instanceof ListLineError);
          assert.deepEqual([found.code, found.at + 1], error.slice(0, 2), `${quoted(line)}: ${found.message}`);
          assert.ok(found.problem.includes(error[2]), `${quoted(line)}: ${found.problem}`);
          return true;
        },
      );
  }
});

/** The texts of errors differ in nothing but how much of a long value they show. */
function sameText(outcome: Outcome): Outcome {
  if (!("error" in outcome)) return outcome;
  return { error: outcome.error.replace(/ lists?\.txt/, "").replaceAll("…", "") };
}

for (const [doors, hasLabels] of [
  [LABELLED, true],
  [PLAIN, false],
] as const)
  describe(hasLabels ? "lists whose lines may have labels" : "lists of entries alone", () => {
    for (const [at, [name, door]] of Object.entries(doors).entries())
      test(name, async () => {
        for (const each of sampled(LIST_LINES, 4, at)) {
          const outcome = await door(`${before3}${each.line}`);
          const should = expected(each, hasLabels ? each.labelled : undefined);
          if ("prefixes" in outcome && outcome.prefixes !== UNTOLD)
            assert.deepEqual({ prefixes: merged(outcome.prefixes) }, should, quoted(each.line));
          else if ("prefixes" in outcome) assert.ok("prefixes" in should, `${quoted(each.line)} is no error`);
          else assert.deepEqual(sameText(outcome), sameText(should), quoted(each.line));
        }
      });
  });

test("standard input of commands that look addresses up: the same entries, the same errors", async () => {
  await command("ruleset", "create", "s.ipsieve", "--allow-special-purpose");
  const input = LIST_LINES.map(({ line }) => `${line}\n`).join("");
  const { stdout, stderr } = await run(["ruleset", "check", "s.ipsieve", "-"], { cwd: folder.path, input });
  const prefixes = LIST_LINES.filter(({ error }) => error === undefined).flatMap(({ entries = [] }) => entries);
  assert.deepEqual(
    linesOf(stdout).map((line) => formatPrefix(parsePrefix(line.split("\t")[0]!))),
    prefixes,
  );
  const errors = LIST_LINES.flatMap((each, at) => {
    const should = expected(each, undefined);
    return "error" in should ? [`ipsieve: standard input:${at + 1}: ${should.error.replace("line 3, ", "")}`] : [];
  });
  assert.deepEqual(linesOf(stderr), errors);
});
