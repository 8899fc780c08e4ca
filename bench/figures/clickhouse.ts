import { addressLines4 } from "../data/files.ts";
import { compareLines } from "./compare-lines.ts";
import type { Part } from "./part.ts";

/** Text to answers in one process, with one thread and with two, beside ClickHouse's `ip_trie` dictionary. */
export const part: Part = () =>
  compareLines({ file: addressLines4, contenders: ["ipsieve-lines", "clickhouse"], rounds: 5 });
