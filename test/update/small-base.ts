/**
 * Loaded before a command, `--import small-base.ts?path=FILE`: the command then uses that file as the bundled
 * catalogue. An update reads, merges and writes the real one, 240,000 prefixes, in over a second of processor time.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const path = new URL(import.meta.url).searchParams.get("path");
assert.ok(path !== null, "small-base.ts needs ?path=FILE");
const SMALL = JSON.stringify(pathToFileURL(path).href);
/** As written in the sources, and as bundled into the scripts of the built command. */
const BUNDLED =
  /new URL\("\.\.\/\.\.\/data\/catalogue\.ipsieve",\s*(?:import\.meta\.url|new URL\([^()]*\)(?:\.href)?)\)/;
const SOURCE = /\/src\/datasets\/open-catalogue\.ts$/;
const SCRIPT = /\/dist\/cli\/(?:command-line|start-identify|start-lookup)\.cjs$/;

function withSmallBase(source: string, file: string): string {
  assert.match(source, BUNDLED, `${file} says elsewhere where the bundled catalogue is`);
  return source.replace(BUNDLED, `new URL(${SMALL})`);
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    return SOURCE.test(url) ? { ...loaded, source: withSmallBase(String(loaded.source), url) } : loaded;
  },
});

const { readFileSync } = fs;
fs.readFileSync = ((file: string, ...rest: []) => {
  const content = readFileSync(file, ...rest);
  return SCRIPT.test(String(file)) ? withSmallBase(String(content), file) : content;
}) as typeof readFileSync;
