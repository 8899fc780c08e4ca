import { rmSync } from "node:fs";
import { cachePath } from "../data/cache.ts";
import { loadPeer } from "./_peer.ts";
import { prefixTexts } from "../data/texts.ts";
import type { LineContender, LineWay } from "../harness/line-contender.ts";

interface Session {
  query(sql: string, format: string): string;
  queryAsync(sql: string, options: { format: string }): Promise<{ bytes(): Uint8Array }>;
  insert(rows: { table: string; values: Buffer; format: "TSV" }): Promise<unknown>;
}

/**
 * ClickHouse in this process, with the prefixes in a dictionary of its layout `ip_trie`. `IPv4StringToNum` is its
 * fastest parser (a cast to IPv4 took 15 % longer in all). The query sums the values up, so that no result has to leave
 * the engine.
 *
 * "strings": the addresses lie in memory as strings, cut from their lines before the time starts, which is the best it
 * can have. "file": it reads and cuts the lines itself, in the format that it reads with several threads.
 */
export const contender: LineContender = {
  name: "ClickHouse ip_trie",
  async open({ path, table }) {
    const { Session } = await loadPeer<{ Session: new (path: string) => Session }>("chdb");
    const folder = cachePath(`clickhouse-${process.pid}`);
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    const session = new Session(folder);
    const run = (sql: string): string => session.query(sql, "TSV");
    run("CREATE DATABASE bench");
    run("CREATE TABLE bench.prefixes (prefix String, value UInt32) ENGINE = Memory");
    const rows = prefixTexts(table).map((prefix, i) => `${prefix}\t${table.values[i]}\n`);
    await session.insert({ table: "bench.prefixes", values: Buffer.from(rows.join("")), format: "TSV" });
    run(
      "CREATE DICTIONARY bench.routed (prefix String, value UInt32 DEFAULT 0) PRIMARY KEY prefix " +
        "SOURCE(CLICKHOUSE(DB 'bench' TABLE 'prefixes')) LAYOUT(IP_TRIE) LIFETIME(0)",
    );
    run("SYSTEM RELOAD DICTIONARY bench.routed");
    const file = `file('${path}', 'TSV', 'line String')`;
    run("CREATE TABLE bench.strings (line String) ENGINE = Memory");
    run(`INSERT INTO bench.strings SELECT line FROM ${file} SETTINGS max_threads = 1`); // one thread keeps their order
    return [
      ["strings", "bench.strings"],
      ["file", file],
    ].flatMap(([from, source]) => [1, 2].map((threads) => wayOf(session, from!, source!, threads)));
  },
};

function wayOf(session: Session, from: string, source: string, threads: number): LineWay {
  const value = "dictGet('bench.routed', 'value', IPv4StringToNum(line))";
  return {
    subject: `ClickHouse ip_trie, ${from}`,
    threads,
    run: async () => ({
      valueSum: Number(session.query(`SELECT sum(${value}) FROM ${source} SETTINGS max_threads = ${threads}`, "TSV")),
    }),
    async answers() {
      const result = await session.queryAsync(`SELECT ${value} FROM ${source} SETTINGS max_threads = 1`, {
        format: "RowBinary",
      });
      const bytes = result.bytes();
      return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)); // RowBinary: little-endian words
    },
  };
}
