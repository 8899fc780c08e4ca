/**
 * `npm run picture`: takes the dashboard picture for the README from a real server, and writes it to
 * docs/dashboard.png.
 */
import { fileURLToPath } from "node:url";
import { addKey, ask } from "../api/start-server.ts";
import { missing, startDashboard } from "./browser.ts";

const PICTURE = fileURLToPath(new URL("../../docs/dashboard.png", import.meta.url));
const DAY = 86_400_000;

if (missing !== undefined) throw new Error(missing);
const t = await startDashboard();
const { text: key } = await addKey(t, t.organisationId);
const { items } = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body as {
  items: { id: string; purpose: string }[];
};
const add = (purpose: string, body: object) =>
  ask(t, "POST", `/v1/edl/ip-rulesets/${items.find((each) => each.purpose === purpose)!.id}/rules`, { key, body });
await add("allowlist", {
  ip: "1.1.1.0/24",
  name: "resolver of the guests",
  expires_at: new Date(t.clock.now + 3 * DAY).toISOString(),
});
await add("blocklist", { ip: "1.0.0.0/8", name: "not ours" });
const { page } = await t.open("#/lookup?ip=1.1.1.1", { user: await t.user("admin") });
await page.screenshot({ path: PICTURE });
await t.close();
