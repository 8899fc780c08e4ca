import { Client, ProblemError, type Rule } from "../../../src/client/client.ts";

// Compiled, never run: correct code must compile, and each line after @ts-expect-error must not.
const client = new Client({ baseUrl: "https://lists.example.org", key: "ips_..." });
const path = { ruleset_id: "11111111-1111-4111-8111-111111111111" };

const added = await client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules", {
  params: { path },
  body: { ip: "203.0.113.0/24", conflict_resolution: "override" },
});
export const action: "created" | "updated" | "skipped" = added.action;
export const expiry: string | null = added.rule.expires_at;
export const count: number = (await client.get("/v1/edl/ip-rulesets/")).count;
export const text: string = await client.get("/v1/edl/ip-rulesets/{ruleset_id}/rules:export", {
  params: { path },
  parseAs: "text",
});
export const found: boolean = (await client.post("/v1/cbs/lookup", { body: { ips: ["1.1.1.1"] } }))["1.1.1.1"]!.found;
for await (const rule of client.rules(path.ruleset_id, { activeOnly: true })) rule satisfies Rule;
export const kindOf = (error: unknown): string | undefined => (error instanceof ProblemError ? error.kind : undefined);

// @ts-expect-error -- there is no such path
await client.get("/v1/nowhere");
// @ts-expect-error -- the path takes no POST
await client.post("/v1/edl/ip-rulesets/{ruleset_id}", { params: { path } });
// @ts-expect-error -- the parameter is required
await client.get("/v1/cbs/lookup");
// @ts-expect-error -- the body lacks its address
await client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules", { params: { path }, body: { name: "office" } });
await client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules", {
  params: { path },
  // @ts-expect-error -- there is no such mode
  body: { ip: "203.0.113.7", conflict_resolution: "merge" },
});
// @ts-expect-error -- a rule has no such member
export const wrong = added.rule.address;
