import assert from "node:assert/strict";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const BUILT = join(import.meta.dirname, "../../dist/dashboard");
/** Bytes of what the first page loads and of all files together, by gzip, and of all by Brotli. */
const MAX = { first: 80_000, all: 120_000, brotli: 105_000 };

const sizeOf = (paths: readonly string[], coding: "gz" | "br" = "gz"): number =>
  paths.reduce((sum, path) => sum + statSync(join(BUILT, `${path}.${coding}`)).size, 0);

test(`the dashboard first loads at most ${MAX.first} bytes of ${MAX.all}, compressed; ${MAX.brotli} by Brotli`, (t) => {
  const page = readFileSync(join(BUILT, "index.html"), "utf8");
  const named = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => path!);
  const first = ["index.html", ...named];
  const all = globSync("**/*.gz", { cwd: BUILT }).map((path) => path.slice(0, -".gz".length));
  t.diagnostic(`at first ${sizeOf(first)} bytes in ${first.length} files, in all ${sizeOf(all)} in ${all.length}`);
  t.diagnostic(`by Brotli ${sizeOf(all, "br")}`);
  // A script, the styles and the icon; pages that few people open are in two more scripts.
  assert.deepEqual([first.length, all.length], [4, 6]);
  // It fetches nothing else until a page needs it.
  const script = readFileSync(
    join(
      BUILT,
      named.find((path) => path.endsWith(".js"))!,
    ),
    "utf8",
  );
  assert.doesNotMatch(script, /(?:^|[;}])import\s*["{]/);
  assert.ok(sizeOf(first) <= MAX.first && sizeOf(all) <= MAX.all && sizeOf(all, "br") <= MAX.brotli);
});

test("every file that is sent has both compressed forms beside it", () => {
  const files = globSync("**/*.{html,js,css,svg}", { cwd: BUILT });
  const compressed = globSync("**/*.{gz,br}", { cwd: BUILT });
  assert.deepEqual(compressed.sort(), files.flatMap((path) => [`${path}.br`, `${path}.gz`]).sort());
});
