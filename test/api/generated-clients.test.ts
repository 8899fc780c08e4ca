/**
 * Clients made from the API document by other projects' generators, compiled and driven through the main flows against
 * a real server.
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { oneOf, onlyLong } from "../rounds.ts";
import { GO, missingTools, OAPI_CODEGEN, PYTHON, run, type Run, TOOLS } from "../tools.ts";
import { EXPECTED } from "./clients/scenario.ts";
import { type FuzzServer, startFuzzServer } from "./fuzz/fuzz-server.ts";
import { addKey, addOrganisation } from "./start-server.ts";

const DRIVERS = join(import.meta.dirname, "clients");
const OUTPUT = join(import.meta.dirname, "../output/clients");
const NODE = process.execPath;
const MODULES = join(import.meta.dirname, "../../node_modules");

interface Language {
  readonly name: string;
  readonly missing: string | false;
  readonly documents: readonly string[];
  /** Makes a client from the document in `folder`, and compiles it with its driver. */
  generate(folder: string, document: string): Promise<Run[]>;
  drive(folder: string, environment: Readonly<Record<string, string>>): Promise<Run>;
}

const BOTH = ["/openapi.json", "/openapi-3.0.json"];

const TYPESCRIPT: Language = {
  name: "TypeScript, by openapi-typescript",
  missing: false,
  documents: BOTH,
  async generate(folder, document) {
    copyFileSync(join(DRIVERS, "drive.ts"), join(folder, "drive.ts"));
    writeFileSync(join(folder, "tsconfig.json"), readFileSync(join(DRIVERS, "tsconfig.json")));
    const types = await run(NODE, [join(DRIVERS, "generate-types.ts"), document, join(folder, "operations.ts")]);
    return [types, await run(NODE, [join(MODULES, "typescript/bin/tsc"), "-p", folder])];
  },
  drive: (folder, environment) => run(NODE, [join(folder, "drive.ts")], { environment }),
};

const PYTHON_CLIENT: Language = {
  name: "Python, by openapi-python-client",
  missing: missingTools(PYTHON),
  // It does not support `nullable` next to a type and a reference, which 3.0 requires.
  documents: ["/openapi.json"],
  async generate(folder, document) {
    copyFileSync(join(DRIVERS, "drive.py"), join(folder, "drive.py"));
    // It runs ruff, which is in the same folder.
    const environment = { PATH: `${join(TOOLS, ".venv/bin")}:${process.env["PATH"] ?? ""}` };
    const client = await run(
      PYTHON,
      [
        "-m",
        "openapi_python_client",
        "generate",
        "--path",
        document,
        "--output-path",
        join(folder, "generated"),
        "--meta",
        "none",
      ],
      { environment },
    );
    return [client, await run(PYTHON, ["-m", "compileall", "-q", folder])];
  },
  drive: (folder, environment) => run(PYTHON, [join(folder, "drive.py")], { environment }),
};

const GO_CLIENT: Language = {
  name: "Go, by oapi-codegen",
  missing: missingTools(GO, OAPI_CODEGEN),
  documents: BOTH,
  async generate(folder, document) {
    for (const name of ["go.mod", "go.sum"]) copyFileSync(join(TOOLS, name), join(folder, name));
    mkdirSync(join(folder, "generated"));
    copyFileSync(join(DRIVERS, "drive.go"), join(folder, "drive.go"));
    const client = await run(OAPI_CODEGEN, [
      "-generate",
      "types,client",
      "-package",
      "generated",
      "-o",
      join(folder, "generated/client.go"),
      document,
    ]);
    return [
      client,
      await run(GO, ["build", "-o", "drive", "."], { cwd: folder, environment: { GOTOOLCHAIN: "local" } }),
    ];
  },
  drive: (folder, environment) => run(join(folder, "drive"), [], { environment }),
};

let t: FuzzServer;
before(async () => {
  rmSync(OUTPUT, { recursive: true, force: true });
  t = await startFuzzServer();
});
after(() => t.close());

/**
 * The input of a driver: the URL of the server, and keys of an organisation of its own, one of which has one request
 * per minute.
 */
async function environmentOf(name: string): Promise<Record<string, string>> {
  const own = await addOrganisation(t, name);
  const limited = await addOrganisation(t, `${name}, limited`);
  await t.server.store.write({
    kind: "set-plan",
    actor: "command:test",
    at: t.clock.now,
    organisationId: limited,
    area: "edl",
    active: true,
    until: null,
    perMinute: 1,
    perMonth: null,
  });
  return {
    BASE_URL: t.server.url,
    KEY: (await addKey(t, own)).text,
    READ_KEY: (await addKey(t, own, "read")).text,
    LIMITED_KEY: (await addKey(t, limited)).text,
  };
}

/** The folder with a client of the document, which `change` may break. */
async function generated(
  language: Language,
  path: string,
  name: string,
  change: (document: any) => void = () => {},
): Promise<{ folder: string; runs: Run[] }> {
  const folder = join(OUTPUT, name);
  mkdirSync(folder, { recursive: true });
  const document: any = await (await fetch(t.server.url + path)).json();
  change(document);
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(document));
  return { folder, runs: await language.generate(folder, file) };
}

const isCompiled = (runs: readonly Run[]): boolean => runs.every(({ code }) => code === 0);
const outputOf = (runs: readonly Run[]): string => runs.map(({ output }) => output).join("\n");

for (const [at, language] of [TYPESCRIPT, PYTHON_CLIENT, GO_CLIENT].entries()) {
  describe(language.name, { skip: onlyLong() || language.missing }, () => {
    for (const path of language.documents) {
      test(
        `generated from ${path}, it compiles and completes the main flows`,
        { skip: path !== language.documents[0] && onlyLong() },
        async () => {
          const { folder, runs } = await generated(language, path, `${at}${path.replace(/\W+/g, "-")}`);
          assert.ok(isCompiled(runs), outputOf(runs));
          const { code, output, stdout } = await language.drive(
            folder,
            await environmentOf(`${language.name} ${path}`),
          );
          assert.equal(code, 0, output);
          assert.deepEqual(JSON.parse(stdout), EXPECTED);
        },
      );
    }

    test(
      "negative control: with a schema or an operation missing in the document, the client does not compile or run",
      { skip: onlyLong() },
      async () => {
        const [name, change] = oneOf(BROKEN, at);
        const { folder, runs } = await generated(language, "/openapi.json", `${at}-broken-${name}`, change);
        const isNoticed =
          !isCompiled(runs) ||
          (await language.drive(folder, await environmentOf(`${language.name} ${name}`))).code !== 0;
        assert.ok(isNoticed, name);
      },
    );
  });
}

const BROKEN: readonly [name: string, change: (document: any) => void][] = [
  ["schema", ({ components }) => delete components.schemas.AddIPRequest],
  ["operation", ({ paths }) => delete paths["/v1/cbs/lookup"].get],
];
