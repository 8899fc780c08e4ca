import { publishExampleList } from "./example-list.ts";
import type { Interview } from "./interview.ts";

const CSV = "text/csv";
const TEXT = "text/plain";
const LINES = "application/x-ndjson";
const RULES = "/v1/edl/ip-rulesets";

/** Shown instead of the ids of change feeds. */
const FEED = "b6f2c0de".repeat(4);

/** Sends requests to the public operations, with a key. */
export async function askPublic(interview: Interview): Promise<void> {
  await askAboutRulesets(interview);
  await askAboutDeployments(interview);
  await askAboutSets(interview);
  await askAboutLists(interview);
  await askAboutLookups(interview);
}

async function askAboutSets(interview: Interview): Promise<void> {
  for (const [operation, path] of [
    ["relateSets", `${RULES}:relate`],
    ["computeSet", "/v1/sets:compute"],
    ["fitSets", `${RULES}:fit`],
  ] as const)
    await interview.ask(operation, "POST", path, { body: interview.body(path, "post") });
}

/** Shown instead of the tokens of feeds, which differ in each run. */
const TOKEN = `ipf_${"Example".repeat(8)}`;
const DEPLOYMENTS = "/v1/edl/deployments";

async function askAboutDeployments(interview: Interview): Promise<void> {
  const body = (path: string, method: string): unknown => interview.body(`${DEPLOYMENTS}${path}`, method);
  await interview.ask("previewNewDeployment", "POST", `${DEPLOYMENTS}:preview`, { body: body(":preview", "post") });
  const {
    body: { id },
  } = await interview.ask("createDeployment", "POST", `${DEPLOYMENTS}/`, { body: body("/", "post") });
  const own = `${DEPLOYMENTS}/${id}`;
  const becomes = (status: "ok" | "refused") =>
    interview.until(`the deployment is ${status}`, ({ memory }) => {
      const { published, refused } = memory.deploymentById(id)!;
      return status === "ok" ? published !== null : refused !== null;
    });
  await becomes("ok");
  await interview.ask("listDeployments", "GET", `${DEPLOYMENTS}/`);
  await interview.ask("getDeployment", "GET", own);
  const shown = (urls: unknown): unknown => JSON.parse(JSON.stringify(urls).replaceAll(/ipf_[\w-]{56}/g, TOKEN));
  await interview.ask("getDeploymentUrls", "GET", `${own}/urls/`, { shown });
  await interview.ask("listPulls", "GET", `${own}/pulls/`);
  await interview.ask("listBlocked", "GET", `${own}/blocked/`);
  await interview.ask("previewDeployment", "POST", `${own}:preview`, {
    body: body("/{deployment_id}:preview", "post"),
  });
  const { sequence } = interview.memory.deploymentById(id)!.published!;
  await interview.ask("updateDeployment", "PATCH", own, { body: body("/{deployment_id}", "patch") });
  // Each list has a number among the changes, which later responses show.
  await interview.until("the list is published anew", ({ memory }) => {
    return memory.deploymentById(id)!.published!.sequence > sequence;
  });
  await interview.ask(null, "PATCH", own, { body: { options: { max_entries: 1 } } });
  await becomes("refused");
  // The example needs only the last hours.
  const short = ({ hours, ...status }: any): unknown => ({ ...status, hours: hours.slice(-2) });
  await interview.ask("getStatus", "GET", "/v1/status", { shown: short });
  await interview.ask("publishDeployment", "POST", `${own}:publish`, {
    body: body("/{deployment_id}:publish", "post"),
  });
  await interview.ask("deleteDeployment", "DELETE", own);
}

const EXTERNAL_LISTS = "/v1/edl/lists";

async function askAboutLists(interview: Interview): Promise<void> {
  const body = (path: string, method: string): any => interview.body(`${EXTERNAL_LISTS}${path}`, method);
  const asked = body("/", "post");
  const { origin } = new URL(asked.url);
  const publisher = await publishExampleList();
  const shown = (all: unknown): unknown => JSON.parse(JSON.stringify(all).replaceAll(publisher.origin, origin));
  try {
    const url = asked.url.replace(origin, publisher.origin);
    const {
      body: { id },
    } = await interview.ask("createExternalList", "POST", `${EXTERNAL_LISTS}/`, { body: { ...asked, url }, shown });
    const own = `${EXTERNAL_LISTS}/${id}`;
    // Its result has a number among the changes, which later responses show.
    await interview.until("the list is fetched", ({ memory }) => memory.externalListById(id)!.content !== null);
    await interview.ask("listExternalLists", "GET", `${EXTERNAL_LISTS}/`, { shown });
    await interview.ask("getExternalList", "GET", own, { shown });
    await interview.ask("refreshExternalList", "POST", `${own}:refresh`, {
      body: body("/{list_id}:refresh", "post"),
      shown,
    });
    const ruleset = await interview.ask(null, "POST", `${RULES}/`, { body: { name: "x", purpose: "blocklist" } });
    await interview.ask("writeExternalList", "POST", `${own}:write`, {
      body: { ...body("/{list_id}:write", "post"), ruleset_id: ruleset.body.id },
    });
    await interview.ask(null, "DELETE", `${RULES}/${ruleset.body.id}`);
    // A scheduled fetch after this change would be a change at an unpredictable time.
    await interview.ask(null, "PATCH", own, { body: { active: false } });
    await interview.ask("updateExternalList", "PATCH", own, { body: body("/{list_id}", "patch"), shown });
    await interview.ask("deleteExternalList", "DELETE", own);
  } finally {
    publisher.close();
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
  // Unless a name is given, files that have one are named after the ruleset and its id, which differs in each run.
  for (const query of [
    "text",
    "csv",
    "ndjson",
    "json",
    "cilium&set_name=offices",
    "rpz",
    "zeek-intel&set_name=offices",
  ])
    await interview.ask("exportRules", "GET", `${own}/rules:export?format=${query}`);
  await interview.ask("listRulesets", "GET", `${RULES}/?purpose=allowlist&page=2&page_size=1`);
  await interview.ask("getRuleset", "GET", own);
  await interview.ask("getRule", "GET", `${own}/rules/rule?ip=203.0.113.0/24`);
  await interview.ask("checkRules", "POST", `${own}/rules:check`, { body: body("/{ruleset_id}/rules:check", "post") });
  await askByLines(interview, "checkRules", `${own}/rules:check`, ["203.0.113.7", "192.0.2.1"]);
  await interview.ask("explainAddresses", "POST", `${RULES}:explain`, { body: body(":explain", "post") });
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
  await interview.ask("searchRules", "POST", `${RULES}:search`, { body: interview.body(`${RULES}:search`, "post") });
  await interview.ask("getGuard", "GET", "/v1/edl/guard");
  await interview.ask("updateGuard", "PATCH", "/v1/edl/guard", { body: interview.body("/v1/edl/guard", "patch") });
  await interview.ask("updateRuleset", "PATCH", own, { body: body("/{ruleset_id}", "patch") });
  await interview.ask("listRulesetVersions", "GET", `${own}/versions?page_size=2`);
  const shown = (changes: unknown): unknown => ({ ...(changes as object), feed: FEED });
  await interview.ask("readSnapshot", "GET", `/v1/snapshot?ruleset_id=${id}`, {
    shown: (text: string) => text.replace(/[0-9a-f]{32}/, FEED),
  });
  const { body: changes } = await interview.ask("listChanges", "GET", "/v1/changes?after=2&limit=2", { shown });
  await interview.ask("listChanges", "GET", `/v1/changes?after=${changes.sequence - 1}`, { accept: LINES });
  await interview.ask(null, "POST", `${own}/rules:import`, {
    body: { rules: [{ ip: "203.0.113.7" }, { ip: "198.51.100.0/25" }, { ip: "198.51.100.128/25" }] },
  });
  await interview.ask("compactRules", "POST", `${own}/rules:compact?dry_run=true`);
  await interview.ask("deleteRuleset", "DELETE", own);
  const audit = await interview.ask("listAudit", "GET", "/v1/audit?limit=1");
  await interview.ask("undoChange", "POST", `/v1/audit/${audit.body.items[0].sequence}:undo`);
  await interview.ask(null, "DELETE", own);
}

const LISTS: Readonly<Record<string, string>> = {
  [TEXT]: "203.0.113.0/24\n198.51.100.7\n",
  [CSV]: "ip,name,expires_at\n203.0.113.0/24,office,2026-12-31T00:00:00Z\n198.51.100.7,,\n",
  [LINES]: '{"ip":"203.0.113.0/24","name":"office"}\n{"ip":"198.51.100.7"}\n',
};

async function askAboutLookups(interview: Interview): Promise<void> {
  await interview.ask("lookupCbs", "GET", "/v1/cbs/lookup?ip=3.5.140.7");
  await interview.ask("bulkLookupCbs", "POST", "/v1/cbs/lookup", { body: interview.body("/v1/cbs/lookup", "post") });
  await askByLines(interview, "bulkLookupCbs", "/v1/cbs/lookup", ["1.1.1.1", "192.0.2.1"]);
  await interview.ask("getCbsNode", "GET", "/v1/cbs/node?id=/cloud/aws");
  await interview.ask("listCbsRanges", "GET", "/v1/cbs/ranges?id=/cdn/cloudflare");
  for (const accept of [TEXT, CSV])
    await interview.ask("listCbsRanges", "GET", "/v1/cbs/ranges?id=/cdn/cloudflare", { accept });
  for (const query of ["text", "csv", "ndjson", "json", "cilium", "rpz", "zeek-intel"])
    await interview.ask("exportCbsRanges", "GET", `/v1/cbs/ranges:export?id=/cdn/cloudflare&format=${query}`);
  await interview.ask("searchCbs", "GET", "/v1/cbs/search?q=cloudflare");
  await interview.ask("diffCbs", "GET", "/v1/cbs/diff?from=2026-06-30");
  await interview.ask("listCbsRegions", "GET", "/v1/cbs/regions");
  await interview.ask("listCbsServices", "GET", "/v1/cbs/services");
  await interview.ask("listCbsProviders", "GET", "/v1/cbs/providers?page_size=1");
  await interview.ask("lookupIp", "GET", "/v1/cti/lookup/192.0.2.2");
  await interview.ask("extendedLookupIp", "GET", "/v1/cti/extended_lookup/192.0.2.2");
  await interview.ask("listSearchFields", "GET", "/v1/cti/search:fields");
  const found = "/v1/cti/search?page_size=1&q=";
  await interview.ask("searchThreats", "GET", `${found}${encodeURIComponent("classification:malicious AND port:22")}`);
  await interview.ask("searchThreats", "GET", `${found}${encodeURIComponent("ip:192.0.2.0/28")}`, { accept: LINES });
  const facets = "/v1/cti/search:facets";
  await interview.ask("countThreatValues", "POST", facets, { body: interview.body(facets, "post") });
  for (const [operation, path] of [
    ["bulkLookup", "/v1/cti/bulk_lookup"],
    ["bulkLookupAlias", "/bulk_lookup"],
  ] as const) {
    await interview.ask(operation, "POST", path, { body: interview.body(path, "post") });
    await askByLines(interview, operation, path, ["192.0.2.2", "198.51.100.200"]);
  }
}

/** A stream of two addresses, in each of its forms. */
async function askByLines(
  interview: Interview,
  operation: string,
  path: string,
  [one, two]: readonly [string, string],
): Promise<void> {
  await interview.ask(operation, "POST", path, { body: `${one}\n${two}\n`, type: TEXT });
  await interview.ask(operation, "POST", path, { body: `{"ip":"${one}"}\n"${two}"\n`, type: LINES });
}
