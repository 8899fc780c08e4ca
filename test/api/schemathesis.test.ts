/**
 * schemathesis generates requests from the API documents, good and bad, one by one and in sequences, and checks the
 * responses against the documents.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { temporaryFolder } from "../cli/run-command.ts";
import { onlyLong } from "../rounds.ts";
import { missingTools, PYTHON, run, type Run, TOOLS } from "../tools.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { type Fault, FAULTS, startBrokenServer } from "./fuzz/broken-server.ts";
import { type FuzzServer, startFuzzServer } from "./fuzz/fuzz-server.ts";
import { addOrganisation } from "./start-server.ts";

const SEED = 20261122;
/** The number of requests generated for an operation in a phase. */
const EXAMPLES = 6;
/** The time limit of a run in milliseconds: several times what it takes on two busy cores. */
const TIMEOUT = 1_200_000;

let t: FuzzServer;
let session = "";
let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  folder = temporaryFolder();
  // Its requests stay within the other limits, but try names more often than the permitted ten times a minute.
  t = await startFuzzServer({ signInsPerMinute: 1e9, auditDays: 1, datasetOrganisation: "schemathesis" });
  ({ token: session } = await addUser(t, await addOrganisation(t, "schemathesis"), "admin"));
});
after(async () => {
  folder.remove();
  await t.close();
});

/**
 * Options that are not in tools/schemathesis.toml, which lists the checks that differ from their defaults, with the
 * reasons.
 */
async function schemathesis(url: string, path: string, ...more: readonly string[]): Promise<Run> {
  const options = ["--header", `Origin: ${url}`];
  const document = join(folder.path, path.replaceAll("/", "-"));
  writeFileSync(document, JSON.stringify(withoutSequences(await (await fetch(url + path)).json())));
  const args = [
    "-m",
    "schemathesis.cli",
    "--config-file",
    "schemathesis.toml",
    "run",
    document,
    "--url",
    url,
    "--seed",
    String(SEED),
    "--max-examples",
    String(EXAMPLES),
    "--no-color",
    ...options,
    ...more,
  ];
  return run(PYTHON, args, { cwd: TOOLS, environment: { IPSIEVE_KEY: t.key, IPSIEVE_SESSION: session } });
}

/**
 * The number of operations of which every request was rejected for its key or session: a run of such requests tests
 * nothing.
 */
function refusedOf(output: string): number {
  return Number(/Authentication failed: (\d+) operations?/.exec(output)?.[1] ?? 0);
}

/** A server waits five seconds for a change that it does not have: for thousands of requests this would take hours. */
function withoutSequences(document: any): any {
  for (const methods of Object.values<any>(document.paths)) {
    for (const operation of Object.values<any>(methods))
      operation.parameters = operation.parameters.filter(
        (each: any) => !/AfterSequence/.test(each.$ref) && each.name !== "X-After-Sequence",
      );
  }
  return document;
}

function countOf(output: string): number {
  return Number(/(\d+) generated/.exec(output)?.[1] ?? 0);
}

let lookups = 0;
const BROKEN: readonly [what: string, fault: Fault][] = [
  [
    "fails now and then",
    {
      operation: "lookupCbs",
      run: async (exchange, ask) => (++lookups % 5 === 0 ? { status: 500, headers: {}, text: "" } : ask(exchange)),
    },
  ],
  [
    "lets in whoever comes",
    {
      operation: "lookupCbs",
      run: (exchange, ask, key) => ask({ ...exchange, headers: { ...exchange.headers, "x-api-key": key } }),
    },
  ],
  ["has a type of its own", FAULTS["response_schema_conformance"]!],
  ["sends another media type", FAULTS["content_type_conformance"]!],
  ["takes any page size", FAULTS["negative_data_rejection"]!],
];

describe("schemathesis", { skip: missingTools(PYTHON) }, () => {
  test(
    "the public operations: all checks, good and bad data, and sequences",
    { skip: onlyLong(), timeout: TIMEOUT },
    async (context) => {
      const { code, output } = await schemathesis(t.server.url, "/openapi.json");
      context.diagnostic(`${countOf(output)} cases`);
      assert.equal(code, 0, output);
      assert.ok(countOf(output) > 1000 && refusedOf(output) === 0, output);
    },
  );

  test("the dashboard's operations", { skip: onlyLong(), timeout: TIMEOUT }, async (context) => {
    const { code, output } = await schemathesis(t.server.url, "/dashboard/api/openapi.json");
    context.diagnostic(`${countOf(output)} cases`);
    const { status } = await visit(t, "GET", "/session", { token: session });
    assert.equal(status, 200, `the session that all requests had is over:\n${output}`);
    assert.equal(code, 0, output);
    // Signing in, accepting an invitation and changing a password, for which it cannot know the values.
    assert.ok(countOf(output) > 1000 && refusedOf(output) <= 3, output);
  });

  const askBehind = async (fault: Fault): Promise<Run> => {
    const between = await startBrokenServer(t.server.url, t.key, fault);
    try {
      return await schemathesis(between.url, "/openapi.json", "--include-operation-id", fault.operation);
    } finally {
      between.close();
    }
  };

  test("a proxy that changes nothing causes no findings", { skip: onlyLong() }, async () => {
    const { code, output } = await askBehind({ operation: "lookupCbs", run: (exchange, ask) => ask(exchange) });
    assert.equal(code, 0, output);
  });

  for (const [what, fault] of BROKEN) {
    test(`negative control: a server that ${what}`, { skip: onlyLong() }, async () => {
      const { code, output } = await askBehind(fault);
      assert.equal(code, 1, output);
      assert.match(output, /FAILURES/);
    });
  }
});
