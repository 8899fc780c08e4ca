import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { checkLooks, type Dashboard, missing, startDashboard } from "./browser.ts";
import { onlyLong } from "../rounds.ts";

describe("the page of the API's operations", { skip: missing }, () => {
  let t: Dashboard;
  before(async () => {
    t = await startDashboard();
  });
  after(() => t.close());

  test("in light and dark, wide and narrow: legible, and no wider than its window", { skip: onlyLong() }, () =>
    checkLooks(t, "docs", "docs", undefined, async (page) => {
      // Two operations and a schema, opened as links open them.
      await page.evaluate(
        `for (const id of ["listRules", "replaceRules", "schema-Rule"]) document.getElementById(id).closest("details").open = true`,
      );
    }),
  );

  test("in dark, its surfaces are dark and its links are the dashboard's", async () => {
    const { page } = await t.open("docs");
    const coloursIn = async (colorScheme: "light" | "dark"): Promise<string[]> => {
      await page.emulateMedia({ colorScheme });
      return page.evaluate<string[]>(
        `[getComputedStyle(document.documentElement).backgroundColor, ...["details", "pre", "a"].map((name) => getComputedStyle(document.querySelector(name))[name === "a" ? "color" : "backgroundColor"])]`,
      );
    };
    assert.deepEqual(await coloursIn("dark"), [
      "rgb(14, 17, 21)",
      "rgb(22, 26, 33)",
      "rgb(17, 21, 26)",
      "rgb(120, 180, 245)",
    ]);
    assert.deepEqual(await coloursIn("light"), [
      "rgb(245, 246, 248)",
      "rgb(255, 255, 255)",
      "rgb(238, 240, 243)",
      "rgb(26, 95, 180)",
    ]);
    await page.context().close();
  });
});
