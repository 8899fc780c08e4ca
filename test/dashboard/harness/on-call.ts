/** An organisation in which several things need attention, as whoever is on call finds it. */
import { until } from "../../until.ts";
import { addKey, ask } from "../../api/start-server.ts";
import type { Dashboard } from "../browser.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DEPLOYMENTS = "/v1/edl/deployments/";
const RULESETS = "/v1/edl/ip-rulesets/";

/** Fills the dashboard's organisation; resolves to a key of it. */
export async function fillForOnCall(t: Dashboard): Promise<string> {
  const { text: key } = await addKey(t, t.organisationId);
  const send = async (method: string, path: string, body?: object): Promise<any> =>
    (await ask(t, method, path, { key, ...(body && { body }) })).body;
  const { items } = (await send("GET", RULESETS)) as { items: { id: string; purpose: string }[] };
  const rulesetOf = (purpose: string): string => items.find((each) => each.purpose === purpose)!.id;
  const add = (purpose: string, body: object): Promise<unknown> =>
    send("POST", `${RULESETS}${rulesetOf(purpose)}/rules`, body);
  await add("allowlist", {
    ip: "1.1.1.0/24",
    name: "resolver of the guests",
    expires_at: new Date(t.clock.now + 3 * DAY).toISOString(),
  });
  await add("blocklist", { ip: "1.0.0.0/8", name: "not ours" });
  await add("blocklist", {
    ip: "45.9.20.0/24",
    name: "scanner",
    expires_at: new Date(t.clock.now + 6 * HOUR).toISOString(),
  });
  const blocklist = [{ ruleset: rulesetOf("blocklist") }];
  const refused = await send("POST", DEPLOYMENTS, {
    name: "Data centre Frankfurt",
    include: blocklist,
    options: { max_entries: 1 },
  });
  const edge = await send("POST", DEPLOYMENTS, { name: "Edge firewall", include: blocklist, guard: "warn" });
  await send("POST", "/v1/edl/lists/", { name: "Partner list", url: "https://lists.invalid/drop.txt" });
  const stateOf = async ({ id }: { id: string }): Promise<string> => (await send("GET", DEPLOYMENTS + id)).status;
  await until("one is refused", async () => (await stateOf(refused)) === "refused");
  await until("one is published", async () => (await stateOf(edge)) === "ok");
  const { urls } = await send("GET", `${DEPLOYMENTS}${edge.id}/urls/`);
  for (let pull = 0; pull < 5; pull++) await fetch(urls.combined[0]);
  for (const ip of ["1.1.1.1", "45.9.20.7", "8.8.8.8"]) await send("GET", `/v1/cbs/lookup?ip=${ip}`);
  await until("the list has failed", async () =>
    (await send("GET", "/v1/status")).findings.some(({ code }: { code: string }) => code === "list-failed"),
  );
  return key;
}
