import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

/**
 * The checksums of every input and of every right answer, kept in the repository: figures may be quoted only for these
 * data and answers.
 */
const path = new URL("../expected.json", import.meta.url);

export function expectedOf(name: string): unknown {
  const all = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  return all[name];
}

/** Rejects inputs that are not those of bench/expected.json. */
export function requireExpected(name: string, found: object): void {
  const expected = expectedOf(name);
  if (isDeepStrictEqual(expected, found)) return;
  throw new Error(
    `the benchmark input ${name} is not the one recorded in bench/expected.json\n` +
      `  expected ${JSON.stringify(expected)}\n  found    ${JSON.stringify(found)}\n` +
      "if the input was meant to change, accept it with: node bench/expect.ts",
  );
}

export function acceptExpected(entries: Record<string, object>): void {
  writeFileSync(path, `${JSON.stringify(entries, null, 2)}\n`);
}
