/**
 * Clients made from the API document by generators that reject what others let pass: ogen (Go) and openapi-generator
 * (Java). They are generated and compiled; those of `generated-clients.test.ts` also run.
 */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { onlyLong } from "../rounds.ts";
import { GO, missingCommand, missingTools, OGEN, OPENAPI_GENERATOR, run, type Run, TOOLS } from "../tools.ts";
import { startServer, type TestServer } from "./start-server.ts";

const OUTPUT = join(import.meta.dirname, "../output/compiled-clients");
type Json = any;

let t: TestServer;
before(async () => {
  rmSync(OUTPUT, { recursive: true, force: true });
  t = await startServer();
});
after(() => t.close());

const documentAt = async (path: string): Promise<Json> => (await fetch(t.server.url + path)).json();

/** A name as generators compare it. */
const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();

/** Names of components that generators derive for something else: for an object or enum within another component. */
function clashesIn({ components }: Json): string[] {
  const taken = new Map(Object.keys(components.schemas).map((name) => [plain(name), name]));
  const clashes: string[] = [];
  const visit = (schema: Json, derived: string): void => {
    for (const [name, each] of Object.entries<Json>(schema.properties ?? {})) visitPart(each, `${derived}_${name}`);
    if (schema.items !== undefined) visitPart(schema.items, `${derived}_item`);
  };
  const visitPart = (schema: Json, derived: string): void => {
    // One form or null is the type of that form.
    const forms = schema.oneOf?.filter(({ type }: Json) => type !== "null") ?? [];
    const isType = schema.properties !== undefined || schema.enum !== undefined || forms.length > 1;
    if (isType && taken.has(plain(derived))) clashes.push(`${derived} and ${taken.get(plain(derived))}`);
    visit(schema, derived);
  };
  for (const [name, schema] of Object.entries<Json>(components.schemas)) visit(schema, name);
  if (taken.size < Object.keys(components.schemas).length) clashes.push("names that differ in case only");
  return clashes;
}

test("no component has a name that generators derive for another type", async () => {
  for (const path of ["/openapi.json", "/openapi-3.0.json"]) {
    const document = await documentAt(path);
    assert.deepEqual(clashesIn(document), [], path);
    const { schemas } = document.components;
    const { $ref } = schemas.Change.properties.list;
    schemas.Change.properties.list = schemas[$ref.split("/").at(-1)];
    assert.deepEqual(clashesIn(document), ["Change_list and ChangeList"], "negative control");
  }
});

async function runAll(...steps: readonly (() => Promise<Run>)[]): Promise<Run> {
  let last!: Run;
  for (const step of steps) {
    last = await step();
    if (last.code !== 0) break;
  }
  return last;
}

function folderFor(name: string, document: Json): string {
  const folder = join(OUTPUT, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
  return folder;
}

/** A Go client and server. */
async function byOgen(name: string, document: Json): Promise<Run> {
  const folder = folderFor(name, document);
  for (const file of ["go.mod", "go.sum"]) copyFileSync(join(TOOLS, file), join(folder, file));
  const target = join(folder, "generated");
  const environment = { GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod" };
  return runAll(
    () => run(OGEN, ["--target", target, "--package", "generated", join(folder, "openapi.json")]),
    () => run(GO, ["build", "./generated"], { cwd: folder, environment }),
  );
}

test("ogen makes a Go client of the document that compiles, and none of one with a clash of names", async (context) => {
  const why = onlyLong() || missingTools(GO, OGEN);
  if (why !== false) return context.skip(why);
  const document = await documentAt("/openapi.json");
  const { code, output } = await byOgen("ogen", document);
  assert.equal(code, 0, output);
  const { schemas } = document.components;
  schemas.Change.properties.list = schemas.ChangedList;
  assert.notEqual((await byOgen("ogen-clash", document)).code, 0, "negative control");
});

/**
 * openapi-generator's library `native` writes `List<String>.class` for one of several types that is a list or a map,
 * which is not Java: there, these are any object, as docs/service.md says.
 */
const NATIVE = [
  "--library",
  "native",
  "--schema-mappings",
  "BulkThreatRequest=Object,explainAddresses_200_response=Object,checkRules_200_response=Object",
];

/** A Java client. */
async function byOpenapiGenerator(name: string, document: Json, more: readonly string[] = []): Promise<Run> {
  const folder = folderFor(name, document);
  const names = "apiPackage=ipsieve.api,modelPackage=ipsieve.model,invokerPackage=ipsieve,hideGenerationTimestamp=true";
  const input = join(folder, "openapi.json");
  const generate = ["generate", "-i", input, "-g", "java", "-o", folder, "--additional-properties", names, ...more];
  return runAll(
    () => run("java", ["-jar", OPENAPI_GENERATOR, ...generate]),
    () => run("mvn", ["-q", "-DskipTests", "compile"], { cwd: folder }),
  );
}

test("openapi-generator makes a Java client of both documents that compiles", async (context) => {
  const missing = missingCommand("javac", "-version", "default-jdk-headless") || missingCommand("mvn", "-v", "maven");
  const noJar = existsSync(OPENAPI_GENERATOR) ? false : "openapi-generator-cli is missing; npm run tools:setup gets it";
  const why = onlyLong() || missing || noJar;
  if (why !== false) return context.skip(why);
  for (const [name, path, more] of [
    ["java", "/openapi.json", []],
    ["java-3.0", "/openapi-3.0.json", []],
    ["java-native", "/openapi.json", NATIVE],
  ] as const) {
    const { code, output } = await byOpenapiGenerator(name, await documentAt(path), more);
    assert.equal(code, 0, output);
  }
});
