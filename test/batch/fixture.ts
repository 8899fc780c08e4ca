import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatAddress } from "../../src/address/format-address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../../src/address/prefix.ts";
import type { RowFormat } from "../../src/rows/row-format.ts";
import type { RowSelection } from "../../src/batch/engine/messages.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import type { Snapshot } from "../../src/snapshot/snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { type OracleAddress, oracleAddressOf, oracleLines } from "../oracle/line-oracle.ts";

/** Prefixes of the test snapshot; value n is the n-th of them, from 1. */
const PREFIXES = [
  "0.0.0.0/1",
  "1.0.0.0/8",
  "1.2.0.0/16",
  "1.2.3.0/24",
  "1.2.3.4",
  "10.0.0.0/8",
  "10.1.0.0/17",
  "192.0.2.0/24",
  "203.0.113.0/25",
  "255.255.255.255",
  "2001:db8::/32",
  "2001:db8:1::/48",
  "2001:db8:1:2::/64",
  "2001:db8::1",
  "fe80::/10",
  "fc00::/7",
  "::/3",
];
/**
 * The engine under test: `with-typescript.test.ts` runs the tests of this folder a second time, with the other engine.
 */
export const ENGINE = process.env["IPSIEVE_TEST_ENGINE"] === "typescript" ? "typescript" : "webassembly";
export const RENDERER = new URL("./renderer.ts", import.meta.url).href;

/** A temporary folder, removed when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-batch-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function makeSnapshot(folder: string): Promise<Snapshot> {
  const trie = new PrefixTrie();
  for (const [index, text] of PREFIXES.entries()) trie.insert(parsePrefix(text), index + 1);
  const path = join(folder, "test.ipsieve");
  await writeSnapshot(path, { table: freeze(trie), metadata: null, kind: "test" });
  return openSnapshot(path);
}

/** The oracles' result for one line. */
export interface Answer {
  readonly address: string | null;
  /** The most specific prefix that covers it, and the values of all that do, the most specific first. */
  readonly prefix: string | null;
  readonly values: readonly number[];
}

const covered = new Map<string, Answer>();

function answer(text: string): Answer {
  return answerOf(oracleAddressOf(text));
}

/** The oracles' result for an address. */
export function answerOf(bytes: OracleAddress | null): Answer {
  if (bytes === null) return { address: null, prefix: null, values: [] };
  const known = covered.get(bytes.join());
  if (known !== undefined) return known;
  const parts =
    bytes.length === 4
      ? bytes.join(".")
      : bytes
          .map((byte, at) => (at % 2 === 0 ? ":" : "") + byte.toString(16).padStart(2, "0"))
          .join("")
          .slice(1);
  const address = parseAddress(parts);
  const covering = PREFIXES.map((prefix, index) => ({ prefix: parsePrefix(prefix), value: index + 1 }))
    .filter(
      ({ prefix }) =>
        prefix.family === address.family && formatPrefix(prefixOf(address, prefix.length)) === formatPrefix(prefix),
    )
    .sort((a, b) => b.prefix.length - a.prefix.length);
  const made = {
    address: formatAddress(address),
    prefix: covering.length > 0 ? formatPrefix(covering[0]!.prefix) : null,
    values: covering.map((entry) => entry.value),
  };
  covered.set(bytes.join(), made);
  return made;
}

/**
 * The rows of a text (latin1) according to the oracles; `fieldOf` extracts from a line the text in which the address is
 * searched.
 */
export function expectedRows(
  text: string,
  format: RowFormat,
  rows: RowSelection = "all",
  fieldOf: (line: string) => string | null = (line) => line,
): string {
  let out = "";
  for (const [index, line] of oracleLines(text).entries()) {
    const { address, prefix, values } = answer(fieldOf(line) ?? "");
    if (rows === "all" || (rows === "matched") === values.length > 0)
      out += row(format, line, address, prefix, values, index + 1);
  }
  return out;
}

function row(
  format: RowFormat,
  line: string,
  address: string | null,
  prefix: string | null,
  values: readonly number[],
  number: number,
): string {
  const ids = values.map((value) => `v${value}`).join(",");
  if (format === "append") return `${line}\t${ids}\n`;
  if (format === "tsv") return `${address ?? ""}\t${prefix ?? ""}\t${ids}\n`;
  if (format === "csv") return `${address ?? ""},${prefix ?? ""},"${ids}"\n`.replace(',""\n', ",\n");
  if (address === null)
    return (
      '{"ip":null,"found":false,"cidr":null,"primary":null,"labels":[],"cbs_ids":[],"providers":[],"types":[],"services":[],"regions":[],"matches":[],"line":' +
      `${number}}\n`
    );
  return `${JSON.stringify({ ip: address, found: values.length > 0, cidr: prefix, ids: `${ids}${"x".repeat(10 * values.length)}`, line: number })}\n`;
}

/** The counts that `identify` must report for a text. */
export function expectedCounts(text: string): { lines: number; addresses: number; matched: number } {
  const answers = oracleLines(text).map(answer);
  return {
    lines: answers.length,
    addresses: answers.filter(({ address }) => address !== null).length,
    matched: answers.filter(({ values }) => values.length > 0).length,
  };
}
