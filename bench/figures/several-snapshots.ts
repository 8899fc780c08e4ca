import { writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import type { IdentifyOptions } from "../../src/batch/identify-options.ts";
import { identify } from "../../src/batch/identify.ts";
import { CATALOGUE_RENDERER } from "../../src/datasets/catalogue-renderer.ts";
import { openCatalogueSnapshot } from "../../src/datasets/open-catalogue.ts";
import { openRulesetSnapshot } from "../../src/datasets/ruleset-files.ts";
import { RULESET_COLUMNS, RULESET_RENDERER } from "../../src/datasets/ruleset-renderer.ts";
import { collectGarbage, type Measurement, summarize } from "./part.ts";

const ROUNDS = 9;
const REST =
  ' - - [22/Nov/2026:10:00:00 +0000] "GET /index.html HTTP/1.1" 200 5120 "-" "Mozilla/5.0 (X11; Linux x86_64)"';

/**
 * Rows of a log by the bundled catalogue, by a ruleset, and by both in one run, on one thread, in turns. The run with
 * both must find in each what the runs of one find.
 */
export async function severalSnapshots(
  rulesPath: string,
  texts: readonly string[],
  now: number,
  folder: string,
): Promise<Measurement[]> {
  const log = join(folder, "access.log");
  writeFileSync(log, texts.map((text) => `${text}${REST}\n`).join(""));
  const common = {
    inputs: [log],
    format: "tsv",
    output: { path: devNull },
    threads: 1,
    now,
    countMatches: true,
  } as const;
  const catalogue = { snapshot: await openCatalogueSnapshot(), renderer: CATALOGUE_RENDERER };
  const rules = {
    snapshot: await openRulesetSnapshot(rulesPath),
    renderer: RULESET_RENDERER,
    columns: RULESET_COLUMNS,
  };
  const ways: Readonly<Record<string, IdentifyOptions>> = {
    "identify, catalogue": { ...common, ...catalogue },
    "identify, ruleset": { ...common, ...rules },
    "identify, catalogue and ruleset in one run": {
      ...common,
      ...catalogue,
      label: "catalogue",
      further: [{ ...rules, label: "rules" }],
    },
  };
  await requireSame(Object.values(ways));
  const samples = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++)
    for (const [subject, options] of round % 2 === 0 ? Object.entries(ways) : Object.entries(ways).toReversed()) {
      collectGarbage();
      const start = performance.now();
      await identify(options);
      if (round > 0) samples.set(subject, [...(samples.get(subject) ?? []), performance.now() - start]);
    }
  return [...samples].map(([subject, times]) => ({ subject, threads: 1, unit: "ms", ...summarize(times) }));
}

async function requireSame([first, second, both]: readonly IdentifyOptions[]): Promise<void> {
  const [one, other, joined] = [await identify(first!), await identify(second!), await identify(both!)];
  const perMatch = [joined.perMatch, joined.perMatchOfFurther[0]!];
  [one, other].forEach((alone, at) => {
    if (alone.perMatch.some((lines, match) => lines !== perMatch[at]![match]))
      throw new Error("a run with two snapshots counts other lines than a run for each");
  });
}
