/**
 * `npm run bench -- neighbours [--only OPERATION ...] [--seconds N] [--rules N]`: how long another organisation's cheap
 * requests take while one client sends the costliest request that an operation permits, over and over on two
 * connections; for every operation of both OpenAPI documents. Begins with the negative control: a server that blocks
 * for 300 ms must exceed the limits. Writes a record under bench/record/, unless `--only`, which may be repeated,
 * leaves some out.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cachePath } from "../data/cache.ts";
import { describeMachine } from "../record.ts";
import { measureNeighbours, type MeasuredOperation } from "./measure-neighbours.ts";
import { isWithin, type NeighbourRecord, operationLines, summaryTable } from "./neighbours-report.ts";

const RECORDS = fileURLToPath(new URL("../record/", import.meta.url));
const CONTROL = { operation: "public extendedLookupIp", rules: 1000, milliseconds: 2000 } as const;

async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(cachePath("neighbours-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @throws if a server that blocks is not detected */
export async function measureControl(): Promise<MeasuredOperation> {
  const blocking = new URL("blocking-server.ts", import.meta.url).href;
  const { rules, milliseconds, operation } = CONTROL;
  const { operations } = await inFolder((folder) =>
    measureNeighbours({ folder, rules, milliseconds, only: [operation], nodeOptions: ["--import", blocking] }),
  );
  const [control] = operations;
  if (isWithin(control!))
    throw new Error(`a server that stands still for 300 ms was not noticed: ${JSON.stringify(control)}`);
  return control!;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      seconds: { type: "string", default: "5" },
      rules: { type: "string", default: "1000000" },
    },
  });
  const startedAt = new Date().toISOString();
  const machine = describeMachine();
  const [seconds, rules] = [Number(values.seconds), Number(values.rules)];
  const control = await measureControl();
  const measured = await inFolder((folder) =>
    measureNeighbours({
      folder,
      rules,
      milliseconds: seconds * 1000,
      only: values.only,
      progress: (line) => process.stderr.write(`${line}\n`),
    }),
  );
  const record: NeighbourRecord = { format: 1, startedAt, machine, rules, seconds, control, ...measured };
  process.stdout.write(`${operationLines(record)}\n${summaryTable(record)}`);
  if (values.only === undefined) {
    mkdirSync(RECORDS, { recursive: true });
    const path = `${RECORDS}${startedAt.slice(0, 16).replace(":", "")}-neighbours.json`;
    writeFileSync(path, `${JSON.stringify(record, null, 1)}\n`, { flag: "wx" });
    process.stderr.write(`${path}\n`);
  }
}
