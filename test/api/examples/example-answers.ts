import { fileURLToPath } from "node:url";
import { join } from "node:path";
import type { OperationExamples } from "../../../src/api/openapi/examples.ts";
import { EXAMPLE_ID } from "../../../src/api/schemas/rule.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { catalogueOf } from "../../cbs/catalogues.ts";
import { inTemporaryFolder } from "../../snapshot/harness/sample.ts";
import { inlined } from "../inlined-document.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "../start-server.ts";

const THREATS = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));
const CSV = "text/csv";
const TEXT = "text/plain";
const LINES = "application/x-ndjson";
const RULES = "/v1/edl/ip-rulesets";

type Examples = Record<string, OperationExamples>;

/**
 * The examples of all operations, as a real server answers them. An id that it chooses is replaced by the one that the
 * document has for parameters.
 */
export function exampleAnswers(): Promise<Examples> {
  return inTemporaryFolder(async (folder) => {
    const path = join(folder, "catalogue.ipsieve");
    const { table, metadata } = catalogueOf(CATALOGUE, {
      "/cdn/cloudflare": "Cloudflare",
      "/cloud/aws": "Amazon Web Services",
    });
    await writeSnapshot(path, { table, metadata, kind: "catalogue" });
    const server = await startServer({ baseUrl: "https://lists.example.org" }, path, THREATS);
    try {
      // A second before: rulesets of one millisecond are in the order of their ids.
      server.clock.now -= 1000;
      const { text: key } = await addKey(server, await addOrganisation(server, "examples"));
      server.clock.now += 1000;
      const interview = new Interview(server, key, inlined((await ask(server, "GET", "/openapi.json")).body));
      await askAboutRulesets(interview);
      await askAboutLookups(interview);
      return interview.examples;
    } finally {
      await server.close();
    }
  });
}

const CATALOGUE: Parameters<typeof catalogueOf>[0] = [
  ["1.1.1.0/24", "/cdn/cloudflare"],
  ["2606:4700::/32", "/cdn/cloudflare"],
  ["3.5.140.0/22", "/cloud/aws/by-service/s3/ap-northeast-2", "/cloud/aws/by-region/ap-northeast-2/s3"],
];

/** Asks what the document's examples ask, and keeps the answers. */
class Interview {
  readonly #server: TestServer;
  readonly #key: string;
  readonly #document: any;
  /** The ruleset's id, which the server has chosen. */
  #id = EXAMPLE_ID;
  readonly examples: Record<
    string,
    { bodies?: Record<string, string>; answers: Record<string, Record<string, unknown>> }
  > = {};

  constructor(server: TestServer, key: string, document: unknown) {
    this.#server = server;
    this.#key = key;
    this.#document = document;
  }

  /** The body that the document shows for the operation. */
  body(path: string, method: string): unknown {
    return this.#document.paths[path][method].requestBody.content["application/json"].example;
  }

  /**
   * A request; its answer becomes an example of the operation where that is named. A body that is a text is of the type
   * `type`, and is one too.
   */
  async ask(
    operation: string | null,
    method: string,
    path: string,
    { body, type, accept }: { body?: unknown; type?: string; accept?: string } = {},
  ): Promise<Answer> {
    const headers = {
      ...(type === undefined ? {} : { "Content-Type": type }),
      ...(accept === undefined ? {} : { Accept: accept }),
    };
    const answer = await ask(this.#server, method, path, { key: this.#key, body, headers });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    if (operation === null) return answer;
    const example = (this.examples[operation] ??= { answers: {} });
    if (typeof body === "string") (example.bodies ??= {})[type!] = body;
    if (operation === "createRuleset") this.#id = answer.body.id;
    const answered = answer.headers.get("content-type")?.split(";")[0];
    const shown = answer.text.replaceAll(this.#id, EXAMPLE_ID);
    if (answered !== undefined)
      (example.answers[answer.status] ??= {})[answered] = answered === "application/json" ? JSON.parse(shown) : shown;
    return answer;
  }
}

async function askAboutRulesets(interview: Interview): Promise<void> {
  const body = (path: string, method: string): unknown => interview.body(`${RULES}${path}`, method);
  const {
    body: { id },
  } = await interview.ask("createRuleset", "POST", `${RULES}/`, { body: body("/", "post") });
  const own = `${RULES}/${id}`;
  await interview.ask("addRule", "POST", `${own}/rules`, { body: body("/{ruleset_id}/rules", "post") });
  await interview.ask("addRule", "POST", `${own}/rules`, { body: { ip: "203.0.113.0/24", expires_in_days: 60 } });
  await interview.ask(null, "POST", `${own}/rules`, { body: { ip: "198.51.100.7", name: "scanner" } });
  await interview.ask("listRules", "GET", `${own}/rules`);
  for (const accept of [TEXT, CSV, LINES]) await interview.ask("listRules", "GET", `${own}/rules`, { accept });
  for (const format of ["text", "csv", "ndjson"])
    await interview.ask("exportRules", "GET", `${own}/rules:export?format=${format}`);
  await interview.ask("listRulesets", "GET", `${RULES}/?purpose=allowlist&page=2&page_size=1`);
  await interview.ask("getRuleset", "GET", own);
  await interview.ask("getRule", "GET", `${own}/rules/rule?ip=203.0.113.0/24`);
  await interview.ask("checkRules", "POST", `${own}/rules:check`, { body: body("/{ruleset_id}/rules:check", "post") });
  await interview.ask("updateRule", "PUT", `${own}/rules/rule?ip=203.0.113.0/24`, {
    body: body("/{ruleset_id}/rules/rule", "put"),
  });
  await interview.ask("batchRules", "POST", `${own}/rules:batch`, { body: body("/{ruleset_id}/rules:batch", "post") });
  await interview.ask("deleteRule", "DELETE", `${own}/rules/rule?ip=203.0.113.0/24`);
  for (const [type, list] of Object.entries(LISTS)) {
    await interview.ask("importRules", "POST", `${own}/rules:import`, { body: list, type });
    await interview.ask("replaceRules", "PUT", `${own}/rules`, { body: list, type });
  }
  await interview.ask(null, "DELETE", `${own}/rules/rule?ip=203.0.113.0/24`);
  await interview.ask("importRules", "POST", `${own}/rules:import`, {
    body: body("/{ruleset_id}/rules:import", "post"),
  });
  await interview.ask(null, "DELETE", `${own}/rules/rule?ip=203.0.113.0/24`);
  await interview.ask("replaceRules", "PUT", `${own}/rules`, { body: body("/{ruleset_id}/rules", "put") });
  await interview.ask("updateRuleset", "PATCH", own, { body: body("/{ruleset_id}", "patch") });
  await interview.ask("deleteRuleset", "DELETE", own);
}

const LISTS: Readonly<Record<string, string>> = {
  [TEXT]: "203.0.113.0/24\n198.51.100.7\n",
  [CSV]: "ip,name,expires_at\n203.0.113.0/24,office,2026-12-31T00:00:00Z\n198.51.100.7,,\n",
  [LINES]: '{"ip":"203.0.113.0/24","name":"office"}\n{"ip":"198.51.100.7"}\n',
};

async function askAboutLookups(interview: Interview): Promise<void> {
  await interview.ask("lookupCbs", "GET", "/v1/cbs/lookup?ip=3.5.140.7");
  await interview.ask("bulkLookupCbs", "POST", "/v1/cbs/lookup", { body: interview.body("/v1/cbs/lookup", "post") });
  await interview.ask("getCbsNode", "GET", "/v1/cbs/node?id=/cloud/aws");
  await interview.ask("listCbsRanges", "GET", "/v1/cbs/ranges?id=/cdn/cloudflare");
  for (const accept of [TEXT, CSV])
    await interview.ask("listCbsRanges", "GET", "/v1/cbs/ranges?id=/cdn/cloudflare", { accept });
  await interview.ask("searchCbs", "GET", "/v1/cbs/search?q=cloudflare");
  await interview.ask("listCbsRegions", "GET", "/v1/cbs/regions");
  await interview.ask("listCbsServices", "GET", "/v1/cbs/services");
  await interview.ask("listCbsProviders", "GET", "/v1/cbs/providers?page_size=1");
  await interview.ask("lookupIp", "GET", "/v1/cti/lookup/192.0.2.2");
  await interview.ask("extendedLookupIp", "GET", "/v1/cti/extended_lookup/192.0.2.2");
  for (const [operation, path] of [
    ["bulkLookup", "/v1/cti/bulk_lookup"],
    ["bulkLookupAlias", "/bulk_lookup"],
  ] as const) {
    await interview.ask(operation, "POST", path, { body: interview.body(path, "post") });
    await interview.ask(operation, "POST", path, { body: "192.0.2.2\n198.51.100.200\n", type: TEXT });
    await interview.ask(operation, "POST", path, { body: '{"ip":"192.0.2.2"}\n"198.51.100.200"\n', type: LINES });
  }
}
