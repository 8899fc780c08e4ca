import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { identify } from "../../../src/batch/identify.ts";
import { makeSnapshot, RENDERER, temporaryFolder } from "../fixture.ts";

const folder = temporaryFolder();
const text = Array.from({ length: 3000 }, (_, at) => (at % 3 === 0 ? "none\n" : `${at % 200}.1.2.3 x\n`)).join("");
const log = join(folder, "log");
writeFileSync(log, text);

for (const engine of ["typescript", "webassembly"] as const)
  for (const threads of [1, 3])
    test(`${engine}, ${threads} threads: the result of a run, where nothing is counted that was not asked for`, async () => {
      const snapshot = await makeSnapshot(folder);
      const limits = { shardBytes: 4096, workerBytes: 1 };
      for (const format of ["none", "tsv"] as const) {
        let written = 0;
        const output = new Writable({ write: (chunk: Buffer, _, done) => ((written += chunk.length), done()) });
        const shared = { inputs: [log], snapshot, format, renderer: RENDERER, engine, threads, limits, output };
        const { elapsed, matched, unmatched, ...result } = await identify(shared);
        assert.ok(elapsed > 0 && matched + unmatched === 2000 && matched > 0);
        assert.deepEqual(result, {
          lines: 3000,
          addresses: 2000,
          withoutAddress: 1000,
          perMatch: new Float64Array(0),
          perMatchOfFurther: [],
          times: null,
          top: null,
          addressCounts: null,
          malformed: 0,
          malformedLines: [],
          repeatedAddress: null,
          emptyInputs: [],
          bytesRead: text.length,
          bytesWritten: written,
          outputClosed: false,
          engine,
        });
        assert.equal(written > 0, format === "tsv");
        const counted = await identify({ ...shared, countMatches: true, format: "none" });
        const [none, ...some] = counted.perMatch;
        assert.deepEqual([none, some.reduce((sum, count) => sum + count, 0)], [unmatched, matched]);
        assert.deepEqual(counted.perMatchOfFurther, []);
      }
    });

test("the bytes that were read are those of the input, its header too, whether it is a file or a stream", async () => {
  const snapshot = await makeSnapshot(folder);
  const records = { csv: `ip,name\n${"1.2.3.4,x\n".repeat(50)}`, jsonl: `${'{"ip":"1.2.3.4"}\n'.repeat(50)}` };
  for (const [syntax, content] of Object.entries(records)) {
    const path = join(folder, `log.${syntax}`);
    writeFileSync(path, content);
    for (const input of [path, Readable.from([Buffer.from(content)])]) {
      const result = await identify({ inputs: [input], snapshot, format: "none", field: "ip" });
      assert.deepEqual([result.bytesRead, result.addresses], [content.length, 50], syntax);
    }
  }
});
