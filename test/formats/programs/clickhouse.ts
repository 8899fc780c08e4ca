import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Address } from "../../../src/address/address.ts";
import { formatAddress } from "../../../src/address/format-address.ts";
import { MEMBERS, setsOf } from "../../../src/formats/data/_label-sets.ts";
import { clickhouseDdl } from "../../../src/formats/data/clickhouse.ts";
import { bytesOf } from "../subjects.ts";
import { recordOf } from "./record.ts";
import type { Program } from "./program.ts";

const contenders = join(import.meta.dirname, "../../../bench/package.json");
const installed = existsSync(join(contenders, "../node_modules/chdb"));

interface Session {
  query(sql: string, format: string): string;
  cleanup(): void;
}

/** ClickHouse in this process: the exported statements and rows as they are, and `dictGet` of every column. */
export const clickhouse: Program = {
  name: "ClickHouse, ip_trie",
  missing: installed ? false : "chdb is not installed; install it with: npm run bench:setup",
  most: 300_000,
  async answers(tree, addresses, folder) {
    const { Session } = createRequire(contenders)("chdb") as { Session: new (path: string) => Session };
    const session = new Session(join(folder, "clickhouse"));
    try {
      const run = (sql: string): string => session.query(sql, "JSONCompactEachRow");
      run(
        "CREATE DATABASE IF NOT EXISTS test; USE test; DROP DICTIONARY IF EXISTS cbs; DROP TABLE IF EXISTS cbs_prefixes",
      );
      const ddl = clickhouseDdl();
      writeFileSync(join(folder, "cbs.tsv"), bytesOf(tree, "clickhouse"));
      run(ddl);
      // As a comment in the statements says.
      run(/^-- (INSERT .*);$/m.exec(ddl)![1]!.replace("cbs.tsv", join(folder, "cbs.tsv")));
      return ask(run, addresses, join(folder, "addresses.tsv"));
    } finally {
      session.cleanup();
    }
  },
  expected: (tree, address) => JSON.stringify(recordOf(tree, address) ?? NOTHING),
};

/** Its answer if no prefix covers the address. */
const NOTHING = { ...setsOf([]), prefix_length: 0 };

/** IPv4 addresses are looked up both as IPv4 and as mapped IPv6; the answers must be the same. */
function ask(run: (sql: string) => string, addresses: readonly Address[], file: string): string[] {
  writeFileSync(file, addresses.map((address, at) => `${at}\t${address.family}\t${formatAddress(address)}\n`).join(""));
  const columns = [...MEMBERS, "prefix_length"].map((column) => `'${column}'`).join(", ");
  const from = `file('${file}', 'TSV', 'at UInt32, family UInt8, text String')`;
  const answers: string[] = [];
  for (const [key, which] of [
    ["toIPv6(text)", "1"],
    ["toIPv4(text)", "family = 4"],
  ] as const) {
    const rows = run(
      `SELECT at, dictGet('cbs', (${columns}), tuple(${key})) FROM (SELECT * FROM ${from} WHERE ${which}) SETTINGS output_format_json_escape_forward_slashes = 0`,
    );
    for (const row of rows.split("\n")) {
      if (row === "") continue;
      const [at, values] = JSON.parse(row) as [number, unknown];
      const answer = JSON.stringify(values);
      if (answers[at] !== undefined && answers[at] !== answer)
        throw new Error(`${key}, ${row}: as mapped IPv6 it was ${answers[at]}`);
      answers[at] = answer;
    }
  }
  return answers;
}
