/**
 * `npm run bench -- spark [--rows N] [--rounds N] [--compared N]`: enriches a log in Parquet on a cluster of Spark, a
 * master and two workers with a core each, by ipsieve as in examples/spark, by a trie in a function of Python, and by
 * joins with broadcast ranges; prints the processor time and the time of the clock of each. Needs
 * `npm run examples:setup`, and `examples/spark/.venv/bin/pip install -r bench/spark/requirements.txt`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatAddress } from "../src/address/format-address.ts";
import { openCatalogue } from "../src/datasets/open-catalogue.ts";
import { PYTHON, startSpark } from "../test/examples/spark-cluster.ts";
import { probes } from "../test/formats/subjects.ts";
import { cachePath } from "./data/cache.ts";
import { Random } from "./data/random.ts";

const MAIN = join(import.meta.dirname, "../dist/cli/main.js");
const CATALOGUE = join(import.meta.dirname, "../data/catalogue.ipsieve");
const PARTS = 8;
const TO_PARQUET = `
import sys, pyarrow as pa, pyarrow.parquet as pq
from pathlib import Path
first = 0
for part, text in enumerate(sys.argv[2:]):
    ips = Path(text).read_text().split("\\n")
    table = pa.table({"row": pa.array(range(first, first + len(ips)), pa.int64()), "ip": [ip or None for ip in ips]})
    pq.write_table(table, f"{sys.argv[1]}/{part}.parquet")
    first += len(ips)
`;

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
    compared: { type: "string", default: "0" },
  },
});
const folder = mkdtempSync(cachePath("spark-"));
await writeLog(Number(values.rows));
for (const [format, file] of Object.entries({ clickhouse: "clickhouse.tsv", "ranges-csv": "ranges.csv" })) {
  const output = join(folder, file);
  execFileSync(process.execPath, [MAIN, "cbs", "export", "--snapshot", CATALOGUE, "--format", format, "-o", output]);
}
const spark = await startSpark(folder, { workers: 2 });
try {
  const args = {
    folder,
    catalogue: CATALOGUE,
    command: `${process.execPath} ${MAIN}`,
    root: String(process.pid),
    rounds: values.rounds,
    compared: values.compared,
  };
  const { code, output, stdout } = await spark.submit(
    join(import.meta.dirname, "spark/compare.py"),
    Object.entries(args).flatMap(([name, value]) => [`--${name}`, value]),
    { "spark.sql.files.maxPartitionBytes": "1m", "spark.sql.autoBroadcastJoinThreshold": "-1" },
  );
  console.log(code === 0 ? stdout : output);
  process.exitCode = code ?? 1;
} finally {
  await spark.close();
  rmSync(folder, { recursive: true });
}

/** Nine in ten rows have an IPv4 address, some of the others none. */
async function writeLog(rows: number): Promise<void> {
  const texts = Array.from(probes(await openCatalogue(CATALOGUE), 8), formatAddress);
  const six = texts.filter((text) => text.includes(":"));
  const four = texts.filter((text) => !text.includes(":"));
  const random = new Random(1);
  const some = (): string => {
    const kind = random.below(100);
    if (kind === 0) return "";
    if (kind === 1) return "-";
    return kind < 10 ? six[random.below(six.length)]! : four[random.below(four.length)]!;
  };
  mkdirSync(join(folder, "log.parquet"));
  const files = Array.from({ length: PARTS }, (_, part) => {
    const file = join(folder, `${part}.txt`);
    writeFileSync(file, Array.from({ length: Math.ceil(rows / PARTS) }, some).join("\n"));
    return file;
  });
  execFileSync(PYTHON, ["-c", TO_PARQUET, join(folder, "log.parquet"), ...files]);
}
