/** Drives a client made by openapi-typescript; the test writes the types next to a copy of this file. */
import createClient from "openapi-fetch";
import type { paths } from "./operations.ts";

const { BASE_URL = "", KEY = "", READ_KEY = "", LIMITED_KEY = "" } = process.env;
const clientOf = (key: string) => createClient<paths, "application/json" | "application/problem+json">({ baseUrl: BASE_URL, headers: { "X-API-Key": key } });
const client = clientOf(KEY);
const steps: Record<string, unknown[]> = {};

/** The body of a response that must be a success. */
function good<Data>({ data, error, response }: { data?: Data | undefined; error?: unknown; response: Response }): Data {
  if (data === undefined) throw new Error(`${response.status}: ${JSON.stringify(error)}`);
  return data;
}

/** The body of a response that must be a rejection. */
function bad<Fault>({ error, response }: { error?: Fault | undefined; response: Response }): Fault {
  if (error === undefined) throw new Error(`${response.status}: no refusal`);
  return error;
}

const time = (text: string | null): string | null => (text === null ? null : text.replace(".000Z", "Z"));

const created = await client.POST("/v1/edl/ip-rulesets/", { body: { name: "generated", purpose: "blocklist" } });
const ruleset = good(created);
steps["create"] = [created.response.status, ruleset.name, ruleset.purpose];
const path = { ruleset_id: ruleset.id };
const RULES = "/v1/edl/ip-rulesets/{ruleset_id}/rules";
const RULE = "/v1/edl/ip-rulesets/{ruleset_id}/rules/rule";

async function add(step: string, body: paths[typeof RULES]["post"]["requestBody"]["content"]["application/json"]) {
  const answer = await client.POST(RULES, { params: { path }, body });
  const { action, rule } = good(answer);
  steps[step] = [answer.response.status, action, time(rule.expires_at)];
}
await add("add_permanent", { ip: "192.0.2.1", name: "first" });
await add("extend_permanent", { ip: "192.0.2.1", expires_in_days: 1, conflict_resolution: "extend" });
await add("override_in_a_day", { ip: "192.0.2.1", name: "first", expires_in_days: 1, conflict_resolution: "override" });
await add("extend_until", { ip: "192.0.2.1", expires_at: "2026-12-31T00:00:00Z" });
await add("skip", { ip: "192.0.2.1", name: "other", conflict_resolution: "skip" });

const failed = await client.POST(RULES, { params: { path }, body: { ip: "192.0.2.1", conflict_resolution: "fail" } });
const conflict = bad(failed);
steps["fail"] = [failed.response.status, "type" in conflict && conflict.type, "existing" in conflict && conflict.existing?.ip];

for (const ip of ["192.0.2.2", "2001:db8::/32"]) good(await client.POST(RULES, { params: { path }, body: { ip } }));
const ips: string[] = [];
let count = 0;
for (let page = 1, next: string | null = ""; next !== null; page++) {
  const one = good(await client.GET(RULES, { params: { path, query: { page, page_size: 2 } } }));
  ips.push(...one.items.map(({ ip }) => ip));
  ({ next, count } = one);
}
steps["pages"] = [count, ips];
const active = await client.GET(RULES, { params: { path, query: { active_only: true } } });
steps["active"] = [active.response.status, good(active).count];

const got = await client.GET(RULE, { params: { path, query: { ip: "192.0.2.1" } } });
steps["get"] = [got.response.status, good(got).name, time(good(got).expires_at)];
const updated = await client.PUT(RULE, { params: { path, query: { ip: "192.0.2.1" } }, body: { name: "renamed", expires_at: null } });
steps["update"] = [updated.response.status, good(updated).name, good(updated).expires_at];

const CHECK = "/v1/edl/ip-rulesets/{ruleset_id}/rules:check";
const one = await client.POST(CHECK, { params: { path }, body: { ip: "192.0.2.1" } });
const result = good(one) as { matched: boolean; rule: { ip: string } | null };
steps["check_one"] = [one.response.status, result.matched, result.rule?.ip];
const many = await client.POST(CHECK, { params: { path }, body: { ips: ["2001:db8::1", "198.51.100.1"] } });
const results = good(many) as Record<string, { matched: boolean }>;
steps["check_many"] = [many.response.status, results["2001:db8::1"]?.matched, results["198.51.100.1"]?.matched];

const BATCH = "/v1/edl/ip-rulesets/{ruleset_id}/rules:batch";
const batch = await client.POST(BATCH, { params: { path }, body: { items: [{ op: "add", ip: "192.0.2.3" }, { op: "delete", ip: "192.0.2.2" }] } });
steps["batch"] = [batch.response.status, good(batch).results.map(({ action }) => action)];
const refused = await client.POST(BATCH, { params: { path }, body: { items: [{ op: "add", ip: "192.0.2.9" }, { op: "add", ip: "192.0.2.1", conflict_resolution: "fail" }] } });
const refusal = bad(refused);
steps["batch_refused"] = [refused.response.status, "type" in refusal && refusal.type, "results" in refusal && refusal.results?.map(({ action }) => action)];

const list = [{ ip: "192.0.2.1", name: "renamed" }, { ip: "192.0.2.2" }, { ip: "2001:db8::/32" }];
const dry = await client.PUT(RULES, { params: { path, query: { dry_run: true } }, body: { rules: list } });
const plan = good(dry);
steps["dry_run"] = [dry.response.status, plan.added, plan.removed, plan.plan?.removed[0]?.ip];
const shrinking = await client.PUT(RULES, { params: { path }, body: { rules: [] } });
const shrink = bad(shrinking);
steps["shrinks"] = "type" in shrink && shrink.type === "/problems/shrinks-too-much" ? [shrinking.response.status, shrink.type, shrink.total_rules, shrink.removed] : [shrink];
const replaced = await client.PUT(RULES, { params: { path }, body: { rules: [...list, { ip: "192.0.2.3" }] } });
steps["replace"] = [replaced.response.status, good(replaced).added, good(replaced).removed, good(replaced).unchanged];

const IMPORT = "/v1/edl/ip-rulesets/{ruleset_id}/rules:import";
const imported = await client.POST(IMPORT, { params: { path }, body: { rules: [{ ip: "192.0.2.4" }, { ip: "192.0.2.2" }] } });
steps["import"] = [imported.response.status, good(imported).created, good(imported).skipped];
const text = await client.POST(IMPORT, { params: { path }, body: "192.0.2.5\n192.0.2.2\n", bodySerializer: (body) => String(body), headers: { "Content-Type": "text/plain" } });
steps["import_text"] = [text.response.status, good(text).created, good(text).skipped];
good(await client.DELETE(RULE, { params: { path, query: { ip: "192.0.2.5" } } }).then((answer) => ({ ...answer, data: answer.response.ok })));
const exported = await client.GET("/v1/edl/ip-rulesets/{ruleset_id}/rules:export", { params: { path, query: { format: "text" } }, parseAs: "text" });
steps["export"] = [exported.response.status, good(exported)];
const listed = await client.GET(RULES, { params: { path }, headers: { Accept: "text/plain" }, parseAs: "text" });
steps["list_text"] = [listed.response.status, (good(listed) as string).trim().split("\n").length];

const query = { ip: "192.0.2.4" };
steps["delete"] = [(await client.DELETE(RULE, { params: { path, query } })).response.status];
const gone = await client.GET(RULE, { params: { path, query } });
steps["gone"] = [gone.response.status, (bad(gone) as { type?: string }).type];

const cbs = await client.GET("/v1/cbs/lookup", { params: { query: { ip: "1.1.1.1" } } });
steps["cbs_lookup"] = [cbs.response.status, good(cbs).found, good(cbs).cidr, good(cbs).providers];
const cbsMany = await client.POST("/v1/cbs/lookup", { body: { ips: ["1.1.1.1", "198.51.100.1"] } });
steps["cbs_bulk"] = [cbsMany.response.status, good(cbsMany)["1.1.1.1"]?.found, good(cbsMany)["198.51.100.1"]?.found];
const search = await client.GET("/v1/cbs/search", { params: { query: { q: "cloudflare" } } });
steps["cbs_search"] = [search.response.status, good(search).items[0]?.id];
const ranges = await client.GET("/v1/cbs/ranges", { params: { query: { id: "/cdn/cloudflare", family: 4 } } });
steps["cbs_ranges"] = [ranges.response.status, good(ranges).count, good(ranges).items.map(({ cidr }) => cidr)];

const cti = await client.GET("/v1/cti/lookup/{ip}", { params: { path: { ip: "192.0.2.2" } } });
steps["cti_lookup"] = [cti.response.status, good(cti).ip, good(cti).seen];
const ctiMany = await client.POST("/v1/cti/bulk_lookup", { body: { ips: ["192.0.2.2", "8.8.8.8"] } });
steps["cti_bulk"] = [ctiMany.response.status, good(ctiMany)["192.0.2.2"]?.seen, good(ctiMany)["8.8.8.8"]?.seen];
const ctiList = await client.POST("/bulk_lookup", { body: ["192.0.2.2"] });
steps["cti_bulk_list"] = [ctiList.response.status, good(ctiList)["192.0.2.2"]?.seen];
const ctiBad = await client.GET("/v1/cti/lookup/{ip}", { params: { path: { ip: "x" } } });
const threatError = bad(ctiBad);
steps["cti_invalid"] = [ctiBad.response.status, "message" in threatError && threatError.message !== "" && threatError.request_id !== ""];

type Answered = { error?: unknown; response: Response };
function problem(step: string, answer: Answered, member?: string) {
  const document = bad(answer) as Record<string, unknown>;
  steps[step] = [answer.response.status, document["type"], ...(member === undefined ? [] : [document[member] !== undefined])];
}
const invalid = await client.POST(RULES, { params: { path }, body: { ip: "10.0.0.1/8" } });
const fields = bad(invalid);
steps["invalid"] = [invalid.response.status, "type" in fields && fields.type, "validation_errors" in fields && fields.validation_errors["ip"]?.length];
problem("no_key", await clientOf("").GET("/v1/edl/ip-rulesets/"), "request_id");
problem("read_only", await clientOf(READ_KEY).POST("/v1/edl/ip-rulesets/", { body: { name: "x", purpose: "allowlist" } }), "request_id");
problem("changed", await client.PATCH("/v1/edl/ip-rulesets/{ruleset_id}", { params: { path, header: { "If-Match": '"0-0"' } }, body: { name: "x" } }));
problem("too_large", await client.POST(RULES, { params: { path }, body: { ip: "192.0.2.7", name: "x".repeat(100_000) } }));
problem("wrong_type", await client.POST(RULES, { params: { path }, body: { ip: "192.0.2.7" }, headers: { "Content-Type": "application/xml" } }));
const header = { "Idempotency-Key": "typescript" };
good(await client.POST(RULES, { params: { path, header }, body: { ip: "192.0.2.7" } }));
problem("reused", await client.POST(RULES, { params: { path, header }, body: { ip: "192.0.2.8" } }));
good(await clientOf(LIMITED_KEY).GET("/v1/edl/ip-rulesets/"));
const limited = await clientOf(LIMITED_KEY).GET("/v1/edl/ip-rulesets/");
problem("too_many", limited, "request_id");
problem("too_long", await client.GET("/v1/cbs/search", { params: { query: { q: "x".repeat(9000) } } }));

steps["delete_ruleset"] = [(await client.DELETE("/v1/edl/ip-rulesets/{ruleset_id}", { params: { path } })).response.status];
console.log(JSON.stringify(steps));
