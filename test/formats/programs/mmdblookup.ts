import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatAddress } from "../../../src/address/format-address.ts";
import { bytesOf, isInMmdbIpv4 } from "../subjects.ts";
import { recordOf } from "./record.ts";
import { missingCommand } from "../../tools.ts";
import type { Program } from "./program.ts";

export const mmdblookup: Program = {
  name: "mmdblookup, of libmaxminddb",
  missing: missingCommand("mmdblookup", "--version", "mmdb-bin"),
  most: 200,
  async answers(tree, addresses, folder) {
    const file = join(folder, "cbs.mmdb");
    writeFileSync(file, bytesOf(tree, "mmdb"));
    return addresses.map((address) => {
      const { status, stdout, stderr } = spawnSync("mmdblookup", ["--file", file, "--ip", formatAddress(address)], {
        encoding: "utf8",
      });
      if (status === 0) return JSON.stringify(readDump(stdout));
      return /Could not find an entry/.test(stderr) ? "null" : `${status}: ${stderr}`;
    });
  },
  // The format stores IPv4 at ::/96.
  expected: (tree, address) =>
    JSON.stringify(
      recordOf(tree, isInMmdbIpv4(address) ? { family: 4, w0: address.w3, w1: 0, w2: 0, w3: 0 } : address),
    ),
};

/** A dumped map of lists of texts and numbers: one line per value, followed by its type, with texts unescaped. */
function readDump(dump: string): Record<string, string[] | number> {
  const record: Record<string, string[] | number> = {};
  let key = "";
  for (const line of dump.split("\n").map((text) => text.trim())) {
    const [, name] = /^"(\w+)":$/.exec(line) ?? [];
    const [, text] = /^"(.*)" <utf8_string>$/.exec(line) ?? [];
    const [, number] = /^(\d+) <uint16>$/.exec(line) ?? [];
    if (name !== undefined) record[(key = name)] = [];
    else if (text !== undefined) (record[key] as string[]).push(text);
    else if (number !== undefined) record[key] = Number(number);
  }
  return record;
}
