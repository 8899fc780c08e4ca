/**
 * The worked example of docs/choosing-lists.md shows what the command prints about its lists. Skipped where these lists
 * are missing: they are not part of the project.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { PUBLISHED } from "../cbs/published-lists.ts";
import { run, temporaryFolder } from "./run-command.ts";

const ROOT = join(import.meta.dirname, "../..");
const TEXT = readFileSync(join(ROOT, "docs/choosing-lists.md"), "utf8");
const BLOCKLISTS = resolve(PUBLISHED, "../blocklists");
const skip = existsSync(BLOCKLISTS) ? false : `no blocklists in ${BLOCKLISTS}`;
/** The columns of the first table: node ids. */
const NODES = ["/saas/github/web", "/saas/github/actions", "/cdn/cloudflare", "/bot/google", "/saas/microsoft365"];

/** The rows of the table below a heading: the cells of each, without backticks and without the two header lines. */
function rowsBelow(heading: string, text = TEXT): string[][] {
  const section = text.split(/^## /m).find((part) => part.startsWith(heading))!;
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .replaceAll("`", "")
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const grouped = (count: string | number): string => Number(count).toLocaleString("en");

interface Pair {
  readonly first: string;
  readonly second: string;
  readonly relation: string;
  readonly ipv4: { readonly first: string; readonly second: string; readonly shared: string };
}

describe("the worked example of choosing lists", { skip }, () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const files = new Map<string, string>();
  let pairs: Pair[] = [];
  let table = "";
  const command = (...args: string[]) => run(args, { cwd: folder.path });
  const pairOf = (one: string, other: string): Pair =>
    pairs.find(({ first, second }) => (first === one && second === other) || (first === other && second === one))!;
  const nameOf = (list: string): string => files.get(list) ?? assert.fail(`no file of the list ${list}`);

  before(async () => {
    const paths = globSync("*/*.{netset,ipset,txt,lst}", { cwd: BLOCKLISTS }).toSorted();
    const texts: Record<string, string> = {};
    for (const path of paths) {
      const text = readFileSync(join(BLOCKLISTS, path), "utf8");
      const name = basename(path) === "ipsum.txt" ? "ips.txt" : basename(path);
      texts[name] = name === "ips.txt" ? text.replaceAll(/\t.*$/gm, "") : text; // as `cut -f1` does
      files.set(basename(path).replace(/\.\w+$/, ""), name);
    }
    folder = temporaryFolder(texts);
    const list = (path: string): string => join(PUBLISHED, path);
    const sources = [
      `github=${list("github/meta.json")}`,
      `cloudflare=${list("cloudflare/ips-v4")}`,
      `cloudflare=${list("cloudflare/ips-v6")}`,
      `googlebot=${list("googlebot/googlebot.json")}`,
      `microsoft365=${list("microsoft365/worldwide.json")}`,
    ];
    const built = await command(
      "build",
      "-o",
      "published.ipsieve",
      ...sources.flatMap((source) => ["--source", source]),
    );
    assert.match(built.stdout + built.stderr, /published\.ipsieve: 6,487 prefixes/);
    const sets = [...files.values(), ...NODES.map((node) => `cbs:${node}`)];
    const compared = await command("sets", "compare", ...sets, "--snapshot", "published.ipsieve", "--json");
    pairs = compared.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Pair);
    table = (await command("sets", "compare", ...files.values())).stdout;
  });
  after(() => folder?.remove());

  /** What is wrong in the first table of a text. */
  const wrongHits = (text: string): string[] =>
    rowsBelow("Which lists hit them?", text).flatMap(([lists, ...counts]) =>
      lists!
        .replace(" (of IPsum)", "")
        .split(", ")
        .flatMap((list) => {
          const found = NODES.map((node) => grouped(pairOf(nameOf(list), `cbs:${node}`).ipv4.shared));
          return String(found) === String(counts) ? [] : [`${list}: ${found.join(" | ")}`];
        }),
    );

  test("which lists hit the services", () => {
    assert.deepEqual(wrongHits(TEXT), []);
    const named = rowsBelow("Which lists hit them?").flatMap(([lists]) =>
      lists!.replace(" (of IPsum)", "").split(", "),
    );
    assert.deepEqual(named.toSorted(), [...files.keys()].filter((list) => list !== "datacenter-ipv6").toSorted());
    assert.deepEqual(wrongHits(TEXT.replace("| 1,541 |", "| 1,542 |")).length, 1, "the negative control");
  });

  test("which lists are contained in another one, and how little others have of their own", () => {
    for (const [list, around] of rowsBelow("Which lists add nothing?")) {
      const { first, relation } = pairOf(nameOf(list!), nameOf(around!));
      assert.equal(relation, first === nameOf(list!) ? "within" : "covers", `${list} in ${around}`);
    }
    const own = new Map(
      table
        .split("\n")
        .map((line) => /^\s*(\S+)\s+IPv4\s+([\d,]+)\s+((?:< )?[\d.]+ %)\s*$/.exec(line))
        .filter((match) => match !== null)
        .map(([, list, count, share]) => [list!, { count: count!, share: share! }]),
    );
    const none = [...own].filter(([, { count }]) => count === "0").map(([list]) => list);
    assert.deepEqual(
      none.toSorted(),
      rowsBelow("Which lists add nothing?")
        .map(([list]) => nameOf(list!))
        .toSorted(),
    );
    for (const [list, count, share] of [
      ["tor_exits", "20", undefined],
      ["stopforumspam_30d", "389", "0.85 %"],
      ["cidr_report_bogons", "512", undefined],
      ["firehol_level2", "1,407", "4.26 %"],
      ["datacenter-ipv4", undefined, "98.69 %"],
    ] as const) {
      if (count !== undefined) assert.equal(own.get(nameOf(list))?.count, count, list);
      if (share !== undefined) assert.equal(own.get(nameOf(list))?.share, share, list);
      assert.ok(TEXT.includes(`\`${list}\``) && TEXT.includes(count ?? share), list);
    }
  });

  test("what remains of two lists without the needed addresses", async () => {
    const { stdout } = await command("sets", "union", nameOf("firehol_level1"), nameOf("firehol_level2"));
    const wanted = temporaryFolder({ "wanted.txt": stdout });
    const from = join(wanted.path, "wanted.txt");
    const nodes = ["cbs:/cdn/cloudflare", "cbs:/bot/google", "--snapshot", "published.ipsieve"];
    const left = await command("sets", "subtract", from, ...nodes);
    wanted.remove();
    const counts = [left.stdout, stdout].map((text) => grouped(text.trimEnd().split("\n").length));
    assert.ok(TEXT.includes(`${counts[0]} prefixes instead of ${counts[1]}`), counts.join(" instead of "));
  });

  test("what lists would have blocked in the sample log", async () => {
    const log = join(ROOT, "data/sample.log");
    for (const [list, lines, addresses] of rowsBelow("What would they have blocked?")) {
      const { stdout } = await command("replay", log, "--rules", nameOf(list!), "--json");
      const { hit, log: read } = JSON.parse(stdout);
      assert.deepEqual([hit.lines, hit.addresses].map(grouped), [lines, addresses], list);
      assert.ok(TEXT.includes(`of which ${grouped(read.with_address)} lines have an address`));
    }
  });
});
