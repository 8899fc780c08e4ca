import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { catalogueOf } from "../cbs/catalogues.ts";
import { oneOf, onlyLong } from "../rounds.ts";
import { compareProgram, PROGRAMS } from "./programs/compare.ts";
import type { Program } from "./programs/program.ts";
import { subjects } from "./subjects.ts";

const all = await subjects();
/** The others contain the hard cases; this one is what is shipped, and read by another program in each run. */
const LARGE = "the bundled catalogue";
const reader = oneOf(PROGRAMS.filter(({ missing }) => missing === false));

for (const program of PROGRAMS) {
  describe(`exported and read by ${program.name}`, { skip: program.missing }, () => {
    for (const [name, tree] of all) {
      if (name === LARGE && program !== reader) continue;
      test(`${name}: every result equals that of the catalogue`, { skip: name === LARGE && onlyLong() }, async (t) => {
        const [asked, found] = await compareProgram(program, tree);
        t.diagnostic(`${asked} addresses, ${found} found`);
        assert.equal(found > asked / 4, tree.catalogue.table.matchCount > 0);
      });
    }

    test("a catalogue from before 1970", async () => {
      const { metadata, table } = catalogueOf([
        ["10.0.0.0/8", "/cloud/aws"],
        ["2001:4860::/32", "/saas/google"],
      ]);
      for (const createdAt of ["1969-07-20T20:17:40.000Z", "1970-01-01T00:00:00.000Z"]) {
        const [asked, found] = await compareProgram(
          program,
          new CatalogueTree(new Catalogue({ ...metadata, createdAt }, table)),
        );
        assert.ok(asked > 0 && found > 0);
      }
    });

    test("hundreds of nodes with one prefix", async () => {
      const ids = Array.from({ length: 200 }, (_, i) => `é"\\$${String(i).padStart(45, "x")}`);
      await compareProgram(
        program,
        new CatalogueTree(
          catalogueOf([
            ["10.0.0.0/8", ...ids],
            ["2001:4860::/32", "short"],
          ]),
        ),
      );
    });

    test("negative control: the results of another catalogue are detected", async () => {
      const other = new CatalogueTree(
        catalogueOf([
          ["10.0.0.0/9", "/cloud/aws"],
          ["2001:db8::/32", "/saas/docs"],
        ]),
      );
      const answersOfOther: Program = {
        ...program,
        answers: (_tree, addresses, own) => program.answers(other, addresses, own),
      };
      await assert.rejects(compareProgram(answersOfOther, all[0]![1]), {
        name: "AssertionError",
        message: /^[0-9a-f.:]+\n/,
      });
    });
  });
}
