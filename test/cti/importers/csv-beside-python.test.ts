/** Tables of random cells, read beside Python's csv: quotes at the start of a cell, quotes elsewhere, line breaks inside. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { rounds } from "../../rounds.ts";
import { seededRandom } from "../../table/differential.ts";
import { missingCommand } from "../../tools.ts";
import { readFeed } from "../feeds.ts";

const SEED = 20_261_127;
const ROWS = rounds({ short: 5000, long: 100_000 });
const random = seededRandom(SEED);
const pick = <Item>(items: readonly Item[]): Item => items[random() % items.length]!;

/** A cell as written: plain, with quotes inside, or in quotes, with everything inside. */
function cell(): string {
  const text = Array.from({ length: random() % 5 }, () => pick(["a", "5", " b", "é", "\u2028", 'x"'])).join("");
  if (random() % 2 === 0) return text.trim();
  const inside = Array.from({ length: random() % 4 }, () => pick(["a", ",", '""', "\n", "5", "\r\n", "é"])).join("");
  return `"${inside}"`;
}

const PYTHON = `
import csv, io, json, sys
rows = csv.reader(io.StringIO(sys.stdin.buffer.read().decode(), newline=""), strict=True)
next(rows)
for row in rows: print(json.dumps([row[0], row[1].replace("\\r\\n", "\\n"), row[2].replace("\\r\\n", "\\n")]))
`;

const noPython = missingCommand("python3", "--version", "python3");
test(
  "Python's csv reads the same cells; a reader that counts quotes anywhere is detected",
  { skip: noPython },
  (context) => {
    const rows = Array.from(
      { length: ROWS },
      (_, at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255},${cell()},${cell()}\n`,
    );
    const text = `ip,actor,src.asn.name\n${rows.join("")}`;
    const { stdout, stderr, status } = spawnSync("python3", ["-c", PYTHON], {
      input: text,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    assert.equal(status, 0, stderr);
    const theirs = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as string[]);
    const { entries, report } = readFeed(text, { format: "csv" }, 1000);
    assert.deepEqual([theirs.length, report.skippedCount], [ROWS, 0]);
    assert.deepEqual(
      entries.map(([ip, { actor = "", asnName = "" }]) => [ip, actor, asnName]),
      theirs,
    );
    const odd = rows.filter((row) => row.split('"').length % 2 === 0).length;
    context.diagnostic(`${ROWS} rows, ${odd} of them with an odd number of quotes`);
    assert.ok(odd > ROWS / 20);
    // The negative control: rows that end where the number of quotes is even.
    let [found, quotes] = [0, 0];
    for (const line of text.split("\n").slice(1, -1)) if ((quotes += line.split('"').length - 1) % 2 === 0) found++;
    assert.ok(found < ROWS - odd);
  },
);
