/** Findings of other projects' linters in the API documents and `/metrics`. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { oneOf, onlyLong } from "../../rounds.ts";
import { temporaryFolder } from "../../cli/run-command.ts";
import { missingCommand, missingTools, REDOCLY, run, type Run, SPECTRAL, TOOLS } from "../../tools.ts";
import { type FuzzServer, startFuzzServer } from "../fuzz/fuzz-server.ts";

const PATHS = ["/openapi.json", "/openapi-3.0.json", "/dashboard/api/openapi.json", "/dashboard/api/openapi-3.0.json"];

interface Linter {
  readonly name: string;
  readonly missing: string | false;
  lint(file: string): Promise<Run>;
}

const LINTERS: readonly Linter[] = [
  {
    name: "Redocly",
    missing: missingTools(REDOCLY),
    lint: (file) =>
      run(REDOCLY, ["lint", file, "--config", join(TOOLS, "redocly.yaml"), "--format", "stylish"], {
        environment: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      }),
  },
  {
    name: "Spectral",
    missing: missingTools(SPECTRAL),
    lint: (file) =>
      run(SPECTRAL, [
        "lint",
        file,
        "--ruleset",
        join(TOOLS, "spectral.yaml"),
        "--fail-severity",
        "hint",
        "--format",
        "text",
      ]),
  },
];

let t: FuzzServer;
let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  t = await startFuzzServer();
  folder = temporaryFolder();
});
after(async () => {
  folder.remove();
  await t.close();
});

/** Writes a document of the server, perhaps changed, to a file. */
async function fileOf(path: string, change: (document: any) => void = () => {}): Promise<string> {
  const document = await (await fetch(t.server.url + path)).json();
  change(document);
  const file = join(folder.path, `${path.replaceAll("/", "-")}`);
  writeFileSync(file, JSON.stringify(document));
  return file;
}

/** Whether a linter has no findings, including warnings. */
function isClean({ code, output }: Run): boolean {
  return code === 0 && !/\bwarn(ing)?\b/.test(output);
}

/**
 * 3.0 cannot express that a reference may be null in a way that Redocly applies to examples; the same examples are
 * checked against 3.1. An update that has just begun has no catalogue yet.
 */
function withoutNullObjects({ paths }: any): void {
  const update = paths["/dashboard/api/catalogue/update"]?.post.responses[202].content["application/json"];
  if (update !== undefined) delete update.example;
}

for (const [index, { name, missing, lint }] of LINTERS.entries()) {
  describe(name, { skip: missing }, () => {
    for (const path of PATHS) {
      test(
        `no findings in ${path}`,
        { skip: (path !== PATHS[0] || name !== LINTERS[0]!.name) && onlyLong() },
        async () => {
          const result = await lint(await fileOf(path, path.includes("3.0") ? withoutNullObjects : undefined));
          assert.ok(isClean(result), result.output);
        },
      );
    }

    const broken: readonly [what: string, change: (document: any) => void][] = [
      ["a server less", (document) => delete document.servers],
      ["a reference to nothing", ({ components }) => delete components.schemas.Rule],
      ["an operation id twice", ({ paths }) => (paths["/v1/cbs/lookup"].get.operationId = "addRule")],
      [
        "an example that does not fit",
        ({ components }) => (components.schemas.Threat.properties.seen.type = "integer"),
      ],
    ];
    const [what, change] = oneOf(broken, index);
    test(`negative control: ${what}`, { skip: onlyLong() }, async () =>
      assert.equal(isClean(await lint(await fileOf("/openapi.json", change))), false),
    );
  });
}

describe("promtool", { skip: missingCommand("promtool", "--version", "prometheus") }, () => {
  const check = async (input: string): Promise<Run> => run("promtool", ["check", "metrics"], { input });

  test("no findings in /metrics", async () => {
    for (const path of ["/v1/cbs/lookup?ip=1.1.1.1", "/v1/cti/lookup/192.0.2.1", "/nowhere"])
      await fetch(t.server.url + path, { headers: { "X-API-Key": t.key } });
    const { code, output } = await check(await (await fetch(`${t.server.url}/metrics`)).text());
    assert.deepEqual([code, output], [0, ""]);
  });

  test("negative control: a gauge that is named like a counter", async () => {
    assert.notEqual((await check("# HELP things_total Things\n# TYPE things_total gauge\nthings_total 1\n")).code, 0);
  });
});
