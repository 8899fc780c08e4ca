/** What the dashboard says about formats, compared with what the server does. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { DEVICES } from "../../src/dashboard/deployments/devices.ts";
import { type Recipe, recipeFor, type Step } from "../../src/dashboard/deployments/recipes.ts";
import { EXPORT_TITLES, type Format, FORMATS } from "../../src/dashboard/formats.ts";
import { DEVICES as OF_SERVER } from "../../src/deployments/devices.ts";
import { DEPLOYMENT_FORMATS } from "../../src/service/deployments/deployment-formats.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { NAMED_FORMATS, PARTIAL_FORMATS, RULE_EXPORT_FORMATS } from "../../src/rulesets/export-rules.ts";

const BASE = "https://lists.example.org/feeds/ipf_token";
const CONTEXT = { url4: `${BASE}/ipv4.txt`, url6: `${BASE}/ipv6.txt`, set: "edge_0123ab", minutes: 15, allows: false };
const context = (url: string | undefined = `${BASE}/combined.txt`) => ({ ...CONTEXT, url });

const textOf = (recipe: Recipe): string => recipe.map(({ text }) => text).join("\n");

test("every format has a recipe with a real URL, the combined one unless its files hold one family", () => {
  assert.deepEqual(Object.keys(FORMATS).toSorted(), DEPLOYMENT_FORMATS.toSorted());
  assert.deepEqual(Object.keys(EXPORT_TITLES).toSorted(), RULE_EXPORT_FORMATS.toSorted());
  for (const [format, { cannot }] of Object.entries(FORMATS)) {
    const isOneFamily = cannot === "One family per file.";
    const steps = recipeFor(format as Format, { ...context(), ...(isOneFamily && { url: undefined }) });
    for (const { where, text } of steps) {
      assert.ok(where.length > 5);
      assert.doesNotMatch(text, /undefined|\[object/, format);
    }
    const text = textOf(steps);
    const path = isOneFamily ? "ipv4.txt" : "combined.txt";
    assert.ok(text.includes(`/feeds/ipf_token/${path}`), `${format}: ${text}`);
  }
});

test("a list is replaced only by a complete one, and cron finds the commands of administrators", () => {
  for (const format of Object.keys(FORMATS)) {
    for (const { where, text } of recipeFor(format as Format, context())) {
      assert.doesNotMatch(text, /\| *(nft|ipset|kubectl)/, `${format}: what has arrived is loaded as it arrives`);
      if (where.includes("/etc/cron.d/"))
        assert.match(text, /^PATH=\S*\/usr\/sbin\S*\n\S+ \S+ \* \* \* root \S.*\n$/, format);
    }
  }
});

/**
 * Runs a script with this `curl` in place of the real one, which returns the next list each time, and ends the script
 * when there is none left.
 */
function runWith(lists: readonly string[], { text }: Step): string {
  const folder = temporaryFolder();
  try {
    lists.forEach((list, index) => writeFileSync(`${folder.path}/${index}`, list));
    const curl = `#!/bin/sh -e\ncd ${folder.path}\nls | grep -q '^[0-9]' || kill $PPID\nfirst=$(ls | grep '^[0-9]' | head -n 1)\nmv $first "$4"\n`;
    writeFileSync(`${folder.path}/curl`, curl, { mode: 0o755 });
    writeFileSync(`${folder.path}/sleep`, "#!/bin/sh\n", { mode: 0o755 });
    const script = text.replaceAll("/run/", `${folder.path}/`);
    const { stdout } = spawnSync("sh", ["-c", script], {
      encoding: "utf8",
      env: { PATH: `${folder.path}:${process.env["PATH"]}` },
      timeout: 60_000,
    });
    return stdout;
  } finally {
    folder.remove();
  }
}

test("ExaBGP gets announcements of new entries and withdrawals of removed ones", () => {
  const line = (prefix: string): string => `announce flow route { match { source ${prefix}; } then { discard; } }\n`;
  const [one, two, three] = [line("192.0.2.0/24"), line("192.0.2.0/25"), line("2001:db8::/32")] as const;
  const [script] = recipeFor("exabgp-flowspec", context());
  assert.equal(
    runWith([one + two, two + three, ""], script!),
    one + two + one.replace("announce", "withdraw") + three + (two + three).replaceAll("announce", "withdraw"),
  );
});

test("formats that cannot express everything say so, and the names of named formats can be chosen", () => {
  const names = (is: (format: Format) => boolean): string[] => RULE_EXPORT_FORMATS.filter(is).toSorted();
  assert.deepEqual(
    names((format) => FORMATS[format].cannot !== undefined && FORMATS[format].cannot !== "Blocklists only."),
    [...PARTIAL_FORMATS].toSorted(),
  );
  assert.deepEqual(
    names((format) => FORMATS[format].isNamed === true),
    [...NAMED_FORMATS].toSorted(),
  );
});

test("an allowlist admits, and the frequency is that of the device", () => {
  const allowing = recipeFor("nftables", { ...context(), allows: true, minutes: 360 });
  assert.match(textOf(allowing), /^7 \*\/6 \* \* \* root curl/m);
  assert.match(textOf(allowing), /@edge_0123ab_4 accept$/m);
  assert.match(textOf(recipeFor("paloalto", { ...context(), minutes: 60 })), /recurring hourly$/m);
});

test("devices match the server's, with their formats", () => {
  const { none, ...others } = DEVICES;
  assert.equal(none[1], undefined);
  assert.deepEqual(
    Object.entries(others).map(([name, [, format]]) => [name, format]),
    Object.entries(OF_SERVER).map(([name, { format }]) => [name, format]),
  );
});
