/**
 * `npm run picture`: takes the dashboard's pictures for the README from a real server, and writes them to
 * docs/dashboard.png (an address) and docs/overview.png (what needs attention).
 */
import { fileURLToPath } from "node:url";
import { missing, startDashboard } from "./browser.ts";
import { fillForOnCall } from "./harness/on-call.ts";

const DOCS = new URL("../../docs/", import.meta.url);

if (missing !== undefined) throw new Error(missing);
const t = await startDashboard();
await fillForOnCall(t);
const user = await t.user("admin");
for (const [hash, name] of [
  ["#/lookup?ip=1.1.1.1", "dashboard.png"],
  ["#/", "overview.png"],
] as const) {
  const { page } = await t.open(hash, { user });
  // The sentence is complete once it is known what devices have.
  if (name === "dashboard.png") await page.getByRole("button", { name: "Block for a day" }).waitFor();
  await page.screenshot({ path: fileURLToPath(new URL(name, DOCS)) });
}
await t.close();
