import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { formatAddress } from "../../src/address/format-address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix, prefixOf } from "../../src/address/prefix.ts";
import type { Catalogue } from "../../src/cbs/catalogue.ts";
import { identify } from "../../src/cbs/identify.ts";
import { rowTemplate } from "../../src/cbs/row-template.ts";
import { ADDRESS_HOLE, HOLE } from "../../src/rows/holes.ts";
import type { TemplateFormat } from "../../src/rows/row-format.ts";
import { isGuarded } from "../../src/csv/write-row.ts";
import { addresses, catalogueOf, entries } from "./catalogues.ts";
import type { MatchId } from "../../src/table/match-id.ts";

/** Fills in the holes as `batch` does, byte by byte. */
function fill(template: Uint8Array, text: string): string {
  const address = parseAddress(text);
  const parts: Uint8Array[] = [];
  const encode = (part: string) => parts.push(new TextEncoder().encode(part));
  for (let at = 0; at < template.length; at++) {
    if (template[at] !== HOLE) parts.push(template.subarray(at, at + 1));
    else if (template[++at] === ADDRESS_HOLE) encode(formatAddress(address));
    else encode(formatPrefix(prefixOf(address, template[at]!)));
  }
  return Buffer.concat(parts).toString("utf8");
}

function row(catalogue: Catalogue, format: TemplateFormat, address: string): string {
  return fill(rowTemplate(catalogue, format, catalogue.table.lookup(address)), address);
}

const catalogue = catalogueOf([
  ["10.0.0.0/8", "/cloud/aws"],
  ["10.1.0.0/16", "b", "/cdn/x"],
  ["10.1.1.1/32", '=HYPERLINK("http://x";"y")'],
  ["172.16.0.0/12", 'quoted "label"'],
  ["192.0.2.0/24", "-1", "@x"],
  ["198.51.100.0/24", "plain", "+x"],
  ["2001:db8::/32", "é💡"],
  ["2001:db8::1/128", "/isp/z"],
]);

describe("rows", () => {
  const cases: [format: TemplateFormat, address: string, row: string][] = [
    ["tsv", "10.9.9.9", "10.9.9.9\t10.0.0.0/8\t/cloud/aws\n"],
    ["tsv", "10.1.2.3", "10.1.2.3\t10.1.0.0/16\t/cdn/x,/cloud/aws,b\n"],
    ["tsv", "2001:DB8:0::1", "2001:db8::1\t2001:db8::1\t/isp/z,é💡\n"],
    ["tsv", "9.9.9.9", "9.9.9.9\t\t\n"],
    ["append", "10.1.2.3", "\t/cdn/x,/cloud/aws,b"],
    ["append", "9.9.9.9", "\t"],
    ["csv", "10.9.9.9", "10.9.9.9,10.0.0.0/8,/cloud/aws\n"],
    ["csv", "10.1.2.3", '10.1.2.3,10.1.0.0/16,"/cdn/x,/cloud/aws,b"\n'],
    ["csv", "9.9.9.9", "9.9.9.9,,\n"],
    ["csv", "172.16.0.1", '172.16.0.1,172.16.0.0/12,"quoted ""label"""\n'],
    ["csv", "192.0.2.1", '192.0.2.1,192.0.2.0/24,"\'-1,@x"\n'],
    ["csv", "198.51.100.1", '198.51.100.1,198.51.100.0/24,"\'+x,plain"\n'],
    ["csv", "10.1.1.1", '10.1.1.1,10.1.1.1,"/cdn/x,/cloud/aws,=HYPERLINK(""http://x"";""y""),b"\n'],
  ];
  for (const [format, address, expected] of cases) {
    test(`${format} ${address}`, () => assert.equal(row(catalogue, format, address), expected));
  }

  test("a csv row never begins a field with a formula", () => {
    for (const formula of ["=1+1", "+1", "-1", "@SUM(A1)", "\u200b=1+1", "＝1+1", "\u2060＠A1"]) {
      const only = catalogueOf([["192.0.2.0/24", formula]]);
      assert.equal(row(only, "csv", "192.0.2.1"), `192.0.2.1,192.0.2.0/24,'${formula}\n`);
      assert.equal(row(only, "tsv", "192.0.2.1"), `192.0.2.1\t192.0.2.0/24\t${formula}\n`);
    }
  });
});

const RUNS = { numRuns: 300, seed: 20260617 };

test("a jsonl row is the lookup document of its canonical address, on one line", (context) => {
  let rows = 0;
  fc.assert(
    fc.property(entries, fc.array(addresses, { minLength: 1, maxLength: 8 }), (lines, texts) => {
      const cut = catalogueOf(lines);
      for (const text of texts) {
        const address = parseAddress(text);
        const line = row(cut, "jsonl", text);
        assert.equal(line, `${JSON.stringify(identify(cut, address, formatAddress(address)))}\n`);
        assert.equal(line.indexOf("\n"), line.length - 1);
        rows++;
      }
    }),
    RUNS,
  );
  context.diagnostic(`${rows} rows, seed ${RUNS.seed}`);
});

test("negative control: an unmasked prefix differs from the right one", () => {
  const outcome = fc.check(
    fc.property(entries, addresses, (lines, text) => {
      const cut = catalogueOf(lines);
      const unmasked = rowTemplate(cut, "jsonl", cut.table.lookup(text)).map((byte, at, all) =>
        all[at - 1] === HOLE ? ADDRESS_HOLE : byte,
      );
      const expected = identify(cut, parseAddress(text), formatAddress(parseAddress(text)));
      assert.equal(fill(unmasked, text), `${JSON.stringify(expected)}\n`);
    }),
    RUNS,
  );
  assert.equal(outcome.failed, true);
});

test("no row can be split into columns wrongly", (context) => {
  let rows = 0;
  fc.assert(
    fc.property(entries, addresses, (lines, text) => {
      const cut = catalogueOf(lines);
      const { cidr, cbs_ids: ids } = identify(cut, parseAddress(text), text);
      const columns = [formatAddress(parseAddress(text)), cidr ?? "", ids.join(",")];
      assert.deepEqual(row(cut, "tsv", text).slice(0, -1).split("\t"), columns);
      const [, address, prefix, quoted, plain] = /^([^,]*),([^,]*),(?:"((?:[^"]|"")*)"|([^",]*))\n$/.exec(
        row(cut, "csv", text),
      )!;
      const field = quoted?.replaceAll('""', '"') ?? plain!;
      assert.deepEqual([address, prefix, isGuarded(field) ? field.slice(1) : field], columns);
      assert.doesNotMatch(field, /^[=+\-@]/);
      rows++;
    }),
    RUNS,
  );
  context.diagnostic(`${rows} rows, seed ${RUNS.seed}`);
});

test("a template contains the byte 0 only in holes", () => {
  for (const format of ["tsv", "csv", "jsonl", "append"] as const) {
    for (let match = 0 as MatchId; match <= catalogue.table.matchCount; match++) {
      const template = rowTemplate(catalogue, format, match);
      for (let at = 0; at < template.length; at++) {
        if (template[at] !== HOLE) continue;
        const what = template[++at]!;
        assert.ok(
          what === ADDRESS_HOLE ||
            catalogue.table.chain(match).some((covering) => catalogue.table.prefixLength(covering) === what),
        );
      }
    }
  }
});
