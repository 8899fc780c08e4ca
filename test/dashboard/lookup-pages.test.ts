/** What is known about an address or prefix, as a person at a browser sees it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { PRECEDENCE } from "../../src/api/schemas/rule.ts";
import { readErrorPosition } from "../../src/dashboard/lookup/error-position.ts";
import { coveringPrefixes, formatSize } from "../../src/dashboard/lookup/prefixes.ts";
import { type TestUser, visit } from "../api/dashboard/browser.ts";
import { addOrganisation, ask } from "../api/start-server.ts";
import { HOSTILE_TEXTS, WAS_OBEYED } from "../cases/hostile-texts.ts";
import { checkLooks, type Dashboard, missing, settle, startDashboard } from "./browser.ts";
import { onlyLong } from "../rounds.ts";
import { until } from "../until.ts";

const DAY = 86_400_000;

describe("lookups", { skip: missing ?? false }, () => {
  let t: Dashboard;
  let editor: TestUser;
  let blocklist: string;
  before(async () => {
    t = await startDashboard();
    editor = await t.user("editor");
    blocklist = await addRuleset("Blocklist", "blocklist", [
      ["192.0.0.0/8", "all of 192", null],
      ["192.0.2.0/24", "documentation", 40],
      ["192.0.2.10/32", "in the mail log", 9],
    ]);
    await addRuleset("Offices", "allowlist", [
      ["192.0.2.0/28", "branch", 1],
      ["104.16.0.0/20", "partner", null],
    ]);
    await addRuleset("Scanners", "blocklist", []);
    // The branch's rule expires; the first ruleset's rules have two days less.
    t.clock.now += 2 * DAY - 2;
  });
  after(() => t.close());

  async function addRuleset(
    name: string,
    purpose: string,
    rules: readonly (readonly [ip: string, name: string, days: number | null])[],
  ): Promise<string> {
    const post = (path: string, body: unknown) => visit(t, "POST", path, { token: editor.token, body });
    // Rulesets created in the same millisecond are ordered by their ids.
    t.clock.now++;
    const {
      body: { id },
    } = await post("/edl/ip-rulesets/", { name, purpose });
    for (const [ip, own, days] of rules) {
      const { status } = await post(`/edl/ip-rulesets/${id}/rules`, {
        ip,
        name: own,
        ...(days === null ? {} : { expires_at: new Date(t.clock.now + days * DAY).toISOString() }),
      });
      assert.equal(status, 201);
    }
    return id;
  }
  const panel = (page: Page, title: string) => page.locator(".panel", { has: page.locator("h2", { hasText: title }) });
  const at = (ip: string): string => `#/lookup?ip=${encodeURIComponent(ip)}`;
  const end = async (page: Page, errors: readonly string[]): Promise<void> => {
    assert.deepEqual(errors, []);
    await page.context().close();
  };

  test("looks: an address with everything", () => checkLooks(t, "lookup-address", at("192.0.2.10"), editor));

  test("looks: nothing looked up, an IPv6 address, an error", { skip: onlyLong() }, async () => {
    await checkLooks(t, "lookup", "#/lookup", editor);
    await checkLooks(t, "lookup-ipv6", at("2606:4700:4700::1111"), editor);
    await checkLooks(t, "lookup-error", at("192.0.2.310"), editor);
  });

  test(
    "one box: the query is in the page's URL, and back leads to the previous query",
    { skip: onlyLong() },
    async () => {
      const { page, errors } = await t.open("#/lookup", { user: editor });
      const box = page.getByRole("searchbox");
      await page.locator("input[name=ip]:focus").waitFor();
      await box.fill("  1.1.1.1 ");
      await page.keyboard.press("Enter");
      await page.locator("h1", { hasText: "Lookup of 1.1.1.1" }).waitFor();
      assert.ok(page.url().endsWith("#/lookup?ip=1.1.1.1"));
      await page.locator("input[name=ip]:focus").waitFor();
      await panel(page, "Services").waitFor();
      await box.fill("2606:4700::/32");
      await page.getByRole("button", { name: "Look up" }).click();
      await page.locator(".answer-ip", { hasText: "2606:4700::/32" }).waitFor();
      await page.goBack();
      await page.locator(".answer-ip", { hasText: "1.1.1.1" }).waitFor();
      assert.equal(await box.inputValue(), "1.1.1.1");
      await page.reload();
      await settle(page);
      assert.equal(await page.locator(".answer-ip").innerText(), "1.1.1.1");
      await end(page, errors);
    },
  );

  test("services: their path in the tree, each part linked to the catalogue", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open(at("104.16.1.1"), { user: editor });
    const services = panel(page, "Services");
    assert.deepEqual(await services.locator(".path a").allInnerTexts(), ["CDN", "Cloudflare"]);
    assert.match(await services.innerText(), /104\.16\.0\.0\/14/);
    assert.deepEqual(
      await services.locator(".path a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
      ["#/catalogue?id=%2Fcdn", "#/catalogue?id=%2Fcdn%2Fcloudflare"],
    );
    await services.getByRole("link", { name: "Cloudflare" }).click();
    await page.locator(".catalogue h2", { hasText: "Cloudflare" }).waitFor();
    await end(page, errors);
  });

  test("one sentence says what happens to it and what it is; what can be done about it is done there", async () => {
    const { page, errors } = await t.open("#/lookup", { user: editor });
    const sentence = page.locator(".answer-sentence");
    const says = (text: RegExp): Promise<void> =>
      until(`it says ${text}`, async () => text.test(await sentence.innerText()));
    const box = page.getByRole("searchbox");
    await box.fill('192.0.2.10 - - [21/Nov/2026:12:00:01 +0000] "GET / HTTP/1.1" 200 12');
    await page.keyboard.press("Enter");
    await says(
      /^Blocked by your blocklist Blocklist until 2026-11-30 13:00, but no deployment carries it to devices\.$/,
    );
    await box.fill("https://20.9.0.7:8443/path");
    await page.keyboard.press("Enter");
    await page.locator("h1", { hasText: "Lookup of 20.9.0.7" }).waitFor();
    await says(/^Not on any of your lists\. .*AS8075 .*\.$/);
    const act = async (name: string, submit = name): Promise<void> => {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: submit, exact: true }).click();
    };
    await act("Block for a day");
    await says(/^Blocked by your blocklist My Blocklist rules until 2026-11-24 \d\d:\d\d, but no deployment carries/);
    const { body } = await visit(t, "POST", "/edl/deployments/", {
      token: editor.token,
      body: { name: "Edge", include: [{ prefixes: ["20.9.0.0/24"] }], guard: "off" },
    });
    const state = () => visit(t, "GET", `/edl/deployments/${body.id}`, { token: editor.token });
    await until("it is published", async () => (await state()).body.status === "ok");
    await act("Allow");
    await says(/^Blocked by Edge, although your allowlist My Allowlist rules allows it/);
    await act("Exclude from a deployment", "Exclude");
    await until("it is excluded", async () => (await state()).body.exclude.length === 1);
    await says(/^Allowed by your allowlist My Allowlist rules/);
    assert.deepEqual((await state()).body.exclude, [{ prefixes: ["20.9.0.7"] }]);
    // Whoever may only read is offered none of it.
    const viewer = await t.open(at("20.9.0.7"), { user: await t.user("viewer") });
    assert.equal(await viewer.page.getByRole("button", { name: "Allow", exact: true }).count(), 0);
    await end(viewer.page, viewer.errors);
    await end(page, errors);
    await visit(t, "DELETE", `/edl/deployments/${body.id}`, { token: editor.token });
  });

  test("rules: which one decides in each ruleset and until when; expired ones are struck through and labelled", async () => {
    const { page, errors } = await t.open(at("192.0.2.10"), { user: editor });
    const rulesets = panel(page, "Rulesets");
    const [blocking, offices] = await rulesets.locator(".entries > li").allInnerTexts();
    assert.match(
      blocking!,
      /Blocklist\s+blocklist\s+Decided by 192\.0\.2\.10 until 2026-11-30 13:00 \(next week|in 7 days\)/,
    );
    assert.match(
      blocking!,
      /192\.0\.2\.10 in the mail log\s+decides\s+2026-11-30 13:00\s+192\.0\.2\.0\/24 documentation\s+less specific\s+2026-12-31 13:00\s+192\.0\.0\.0\/8 all of 192\s+less specific/,
    );
    assert.match(
      offices!,
      /Offices\s+allowlist\s+No decision: the matching rule has expired\.\s+192\.0\.2\.0\/28 branch\s+expired\s+2026-11-22 13:00/,
    );
    assert.equal(await rulesets.locator("s").innerText(), "192.0.2.0/28 branch");
    assert.match(await rulesets.innerText(), /No rule in My Allowlist rules, My Blocklist rules, Scanners\./);
    assert.deepEqual(await page.locator(".answer .badge").allInnerTexts(), [
      "no service",
      "blocklist: Blocklist",
      "malicious",
    ]);
    await rulesets.getByRole("link", { name: "Blocklist", exact: true }).click();
    await page.waitForURL(`**/#/rulesets/${blocklist}`);
    await page.context().close();
    assert.deepEqual(errors, []);
  });

  test(
    "who wrote the rules, when another one decides, and which deployments list it",
    { skip: onlyLong() },
    async () => {
      const { body: deployment } = await visit(t, "POST", "/edl/deployments/", {
        token: editor.token,
        body: { name: "Edge", include: [{ ruleset: blocklist }], exclude: [{ prefixes: ["192.0.2.10"] }] },
      });
      const { page, errors } = await t.open(at("192.0.2.10"), { user: editor });
      const text = panel(page, "Rule history and deployments");
      await text.getByText(`by ${editor.name}`).first().waitFor();
      await text.getByText("another rule decides, or none").waitFor();
      await text.getByText("does not list it").waitFor();
      await text.getByText("An exclude lists it, and excludes always win.").waitFor();
      assert.match((await text.getByRole("link", { name: "Edge" }).getAttribute("href")) ?? "", /deployments/);
      await end(page, errors);
      const viewer = await t.user("viewer");
      const seen = await t.open(at("192.0.2.10"), { user: viewer });
      await panel(seen.page, "Rule history and deployments").getByText("does not list it").waitFor();
      assert.equal(await panel(seen.page, "Rule history and deployments").getByText("by ").count(), 0);
      await end(seen.page, seen.errors);
      await visit(t, "DELETE", `/edl/deployments/${deployment.id}`, { token: editor.token });
    },
  );

  test("a contradiction between rules and devices is said first, and a refused list is told from the one that devices keep", async () => {
    const edl = (method: string, path: string, body?: object) =>
      visit(t, method, `/edl/deployments/${path}`, { token: editor.token, ...(body && { body }) });
    const include = [{ prefixes: ["104.16.0.1", "104.16.0.3"] }];
    const { id } = (await edl("POST", "", { name: "Edge", include })).body;
    const becomes = (wanted: string) =>
      until(`it is ${wanted}`, async () => (await edl("GET", id)).body.status === wanted);
    await becomes("ok");
    const { page, errors } = await t.open(at("104.16.0.1"), { user: editor });
    const text = panel(page, "Rule history and deployments");
    const said =
      "Your rules allow it, but the lists of 1 deployment below block it on devices. To end that, add Offices to their excludes.";
    await text.getByText(said).waitFor();
    assert.match((await text.getByRole("listitem").first().innerText()) ?? "", /^Contradiction/);
    await text.getByText("lists it", { exact: true }).waitFor();
    // Nothing lists the first address any more, and a new one, but that list is refused.
    await edl("PATCH", id, { include: [{ prefixes: ["104.16.0.3", "104.16.0.5"] }], options: { max_entries: 1 } });
    await becomes("refused");
    await page.reload();
    await text.getByText("This list was refused: the one that devices keep lists it.").waitFor();
    await text.getByText(said).waitFor();
    await text.getByText("does not list it", { exact: true }).waitFor();
    await page.goto(page.url().replace("104.16.0.1", "104.16.0.5"));
    await text.getByText("This list was refused: the one that devices keep, if any, does not list it.").waitFor();
    assert.equal(await text.getByText("Contradiction").count(), 0);
    await end(page, errors);
    await edl("DELETE", id);
  });

  test(
    "an allowlist and a blocklist that disagree: which one decides, in the words of the API document and docs/deciding.md",
    { skip: onlyLong() },
    async () => {
      const [mine] = (await visit(t, "GET", "/edl/ip-rulesets/?purpose=allowlist", { token: editor.token })).body.items;
      const path = `/edl/ip-rulesets/${mine.id}/rules`;
      await visit(t, "POST", path, { token: editor.token, body: { ip: "192.0.2.77" } });
      const { page, errors } = await t.open(at("192.0.2.77"), { user: editor });
      const rulesets = panel(page, "Rulesets");
      const note = await rulesets.locator(".note").innerText();
      assert.match(note, /192\.0\.2\.77 is on an allowlist \(My Allowlist rules\) and on a blocklist \(Blocklist\)\./);
      const service = readFileSync(new URL("../../docs/deciding.md", import.meta.url), "utf8").replaceAll("\n", " ");
      for (const text of [
        note,
        service,
        JSON.stringify((await visit(t, "GET", "/openapi.json")).body),
        JSON.stringify((await ask(t, "GET", "/openapi.json")).body),
      ])
        assert.ok(text.includes(PRECEDENCE));
      assert.deepEqual(await page.locator(".answer .badge").allInnerTexts(), [
        "no service",
        "allowed",
        "allowlist: My Allowlist rules",
        "blocklist: Blocklist, overruled",
        "not seen by feeds",
      ]);
      assert.match(
        await rulesets.locator(".entries > li", { hasText: "all of 192" }).innerText(),
        /Blocklist\s+blocklist\s+overruled/,
      );
      await end(page, errors);
      await checkLooks(t, "lookup-conflict", at("192.0.2.77"), editor);
      await visit(t, "DELETE", `${path}/rule?ip=192.0.2.77`, { token: editor.token });
    },
  );

  test(
    "covering prefixes: each bar is within the one above it, and begins at its length",
    { skip: onlyLong() },
    async () => {
      const { page, errors } = await t.open(at("192.0.2.10"), { user: editor, width: 1600 });
      const rows = page.locator(".nesting-rows > li");
      assert.deepEqual(await rows.locator(".nesting-name .mono").allInnerTexts(), [
        "192.0.0.0/8",
        "192.0.2.0/24",
        "192.0.2.0/28",
        "192.0.2.10",
      ]);
      const boxes = await Promise.all(
        (await rows.all()).map(async (row) => ({
          bar: (await row.locator(".own").boundingBox())!,
          track: (await row.locator(".nesting-track").boundingBox())!,
        })),
      );
      for (const [row, length] of [8, 24, 28, 32].entries()) {
        const { bar, track } = boxes[row]!;
        assert.ok(Math.abs((bar.x - track.x) / track.width - length / 33) < 0.005, `/${length}`);
        assert.ok(Math.abs(bar.x + bar.width - track.x - track.width) < 1.5, `/${length} ends with the address`);
        assert.ok(bar.width > 0);
      }
      assert.deepEqual(
        await rows
          .locator(".nesting-owners")
          .allInnerTexts()
          .then((texts) => texts.map((text) => text.replaceAll(/\s+/g, " "))),
        [
          "Blocklist: all of 192",
          "Blocklist: documentation",
          "Offices: branch expired",
          "Blocklist: in the mail log looked up",
        ],
      );
      // The same figures as a table, for those who cannot see the bars.
      await page.getByText("Show data").click();
      const table = page.getByRole("table", { name: /Covering prefixes/ });
      assert.deepEqual(
        await table
          .locator("tbody tr")
          .allInnerTexts()
          .then((texts) => texts.map((text) => text.split(/\s*\t\s*|\n/).filter(Boolean))),
        [
          ["192.0.0.0/8", "8", "16,777,216 addresses", "none", "Blocklist: all of 192"],
          ["192.0.2.0/24", "24", "256 addresses", "none", "Blocklist: documentation"],
          ["192.0.2.0/28", "28", "16 addresses", "none", "Offices: branch (expired)"],
          ["192.0.2.10", "32", "1 address", "none", "Blocklist: in the mail log"],
        ],
      );
      await end(page, errors);
    },
  );

  test("threat intelligence: the whole document, readable and as JSON", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open(at("192.0.2.10"), { user: editor });
    const threat = panel(page, "Threat intelligence");
    const { body } = await visit(t, "GET", "/cti/extended_lookup/192.0.2.10", { token: editor.token });
    const text = await threat.innerText();
    const {
      actor,
      tags,
      tag_ids: tagIds,
      first_seen: first,
      last_seen: last,
      active_days: days,
      src,
      network,
      fingerprints,
    } = body;
    const told = [
      actor,
      ...tags,
      ...tagIds,
      first,
      last,
      `on ${days} days`,
      `AS${src.asn.number} ${src.asn.name}`,
      `${src.geo.country.name} (${src.geo.country.code})`,
      src.geo.city,
      ...network.ports,
      ...fingerprints.muonfp,
      ...fingerprints.ja4,
    ];
    for (const each of told) assert.ok(text.includes(String(each)), `${each} is not told`);
    assert.deepEqual(
      (await threat.locator(".chips .proven").allInnerTexts()).map(parseFloat),
      network.non_spoofable_ports,
    );
    await threat.getByRole("button", { name: "Copy as JSON" }).click();
    await threat.getByRole("button", { name: "Copied" }).waitFor();
    assert.deepEqual(JSON.parse(await page.evaluate("navigator.clipboard.readText()")), body);
    await page.goto(`${t.server.url}/${at("192.0.2.130")}`);
    await page.locator(".answer-ip", { hasText: "192.0.2.130" }).waitFor();
    assert.match(await threat.innerText(), /CVE-2021-44228[^]*\/wp-login\.php[^]*curl\/8\.14\.1/);
    await end(page, errors);
  });

  test("every part says if nothing was found", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open(at("100.64.0.1"), { user: editor });
    assert.match(
      await panel(page, "Services").innerText(),
      /Not in the catalogue\s+The catalogue has no prefix that covers 100\.64\.0\.1\./,
    );
    assert.match(
      await panel(page, "Rulesets").innerText(),
      /No matching rules\s+5 rulesets searched, including expired rules\./,
    );
    assert.match(
      await panel(page, "Threat intelligence").innerText(),
      /Not seen\s+No feed says anything about 100\.64\.0\.1\./,
    );
    assert.deepEqual(await page.locator(".answer .badge").allInnerTexts(), [
      "no service",
      "no active rule",
      "not seen by feeds",
    ]);
    assert.equal(
      await page
        .locator(".nesting-rows > li")
        .innerText()
        .then((text) => text.replaceAll(/\s+/g, " ")),
      "100.64.0.1 1 address looked up",
    );
    await end(page, errors);
  });

  test("areas without a plan are distinguished from empty results", { skip: onlyLong() }, async () => {
    const without = await t.user("viewer", await addOrganisation(t, "Poor", ["cti"]));
    const { page, errors } = await t.open(at("192.0.2.10"), { user: without });
    assert.match(
      await panel(page, "Services").innerText(),
      /Poor has no active plan for the catalogue of services \(cbs\), so it was not looked up there\./,
    );
    assert.match(
      await panel(page, "Rulesets").innerText(),
      /Poor has no active plan for rulesets \(edl\), so it was not looked up there\./,
    );
    assert.match(await panel(page, "Threat intelligence").innerText(), /Example Botnet/);
    assert.deepEqual(await page.locator(".answer .badge").allInnerTexts(), ["malicious"]);
    await end(page, errors);
  });

  test("a malformed address is marked at the wrong character", { skip: onlyLong() }, async () => {
    const cases = [
      ["192.0.2.310", "3", "The octet 310 is above 255."],
      ["192.0.2.1/33", "33", undefined],
      ["1.2.3", " ", undefined],
      ["2001:db8::1::2", ":", undefined],
      ["example.org", "e", undefined],
      ["１.2.3.4", "１", undefined],
      ["192.0.2.1/24", "2", undefined],
      [`"><img src=x onerror=window.hostile=1>`, `"`, undefined],
    ] as const;
    const { page, errors } = await t.open(at(cases[0][0]), { user: editor });
    for (const [text, character, what] of cases) {
      await page.goto(`${t.server.url}/${at(text)}`);
      await page.locator("h1", { hasText: text }).waitFor();
      const alert = page.getByRole("alert");
      await alert.waitFor();
      const { body } = await visit(t, "GET", `/lookup?ip=${encodeURIComponent(text)}`, { token: editor.token });
      const { position } = readErrorPosition(body.validation_errors.ip[0])!;
      const marked = await alert.locator("mark").textContent();
      assert.ok(character.startsWith(marked!), `${text}: ${marked}`);
      assert.equal(await alert.locator(".marked-text > span").first().textContent(), text.slice(0, position));
      assert.match(
        (await alert.locator(".marked-text").textContent())!,
        new RegExp(`error at character ${position + 1}\\)$`),
      );
      if (what !== undefined) assert.equal(await alert.locator("p").last().innerText(), what);
      assert.equal(await page.getByRole("searchbox").getAttribute("aria-invalid"), "true");
      assert.equal(await page.locator(".answer").count(), 0);
    }
    assert.equal(await page.evaluate(WAS_OBEYED), false);
    await page.goto(`${t.server.url}/${at("192.0.2.1/24")}`);
    await page.getByRole("link", { name: "192.0.2.0/24" }).click();
    await page.locator(".answer-ip", { hasText: "192.0.2.0/24" }).waitFor();
    await end(page, errors);
  });

  test("malicious names of rules and rulesets stay text", { skip: onlyLong() }, async () => {
    const organisationId = await addOrganisation(t, HOSTILE_TEXTS[0]!.slice(0, 60));
    const own = await t.user("editor", organisationId);
    const post = (path: string, body: unknown) => visit(t, "POST", path, { token: own.token, body });
    for (const text of HOSTILE_TEXTS) {
      t.clock.now++;
      const {
        status,
        body: { id },
      } = await post("/edl/ip-rulesets/", { name: text, purpose: "blocklist" });
      assert.equal(status, 201);
      assert.equal((await post(`/edl/ip-rulesets/${id}/rules`, { ip: "198.51.100.0/24", name: text })).status, 201);
    }
    const { page, errors } = await t.open(at("198.51.100.7"), { user: own });
    page.on("dialog", () => errors.push("a dialog was opened"));
    assert.deepEqual(await page.locator(".decision-head a").allTextContents(), HOSTILE_TEXTS);
    assert.deepEqual(
      await page.locator(".covering .wrap").allTextContents(),
      HOSTILE_TEXTS.map((text) => `198.51.100.0/24 ${text}`),
    );
    await page.mouse.move(600, 400);
    assert.equal(await page.evaluate(WAS_OBEYED), false);
    await end(page, errors);
  });
});

test("which prefixes cover the query: IPv4 in IPv6, a prefix itself, sizes", () => {
  const rule = (ip: string) => ({
    id: ip,
    name: "a",
    purpose: "blocklist" as const,
    rule: null,
    covering: [{ ip, name: null, expires_at: null, created_at: "", updated_at: "", state: "active" as const }],
  });
  const lengths = (ip: string, ...rules: string[]) => {
    const { bits, prefixes } = coveringPrefixes({
      ip,
      cbs: null,
      cti: null,
      decision: "none",
      rulesets: rules.map(rule),
    });
    return [bits, prefixes.map(({ cidr, length, isLookedUp }) => `${cidr} ${length}${isLookedUp ? " looked up" : ""}`)];
  };
  assert.deepEqual(lengths("10.1.0.0/16", "10.0.0.0/8"), [32, ["10.0.0.0/8 8", "10.1.0.0/16 16 looked up"]]);
  assert.deepEqual(lengths("10.1.0.0/16", "10.1.0.0/16"), [32, ["10.1.0.0/16 16 looked up"]]);
  assert.deepEqual(lengths("::ffff:10.1.2.3", "10.0.0.0/8"), [32, ["10.0.0.0/8 8", "::ffff:10.1.2.3 32 looked up"]]);
  assert.deepEqual(lengths("::ffff:10.1.0.0/112", "10.0.0.0/8"), [
    32,
    ["10.0.0.0/8 8", "::ffff:10.1.0.0/112 16 looked up"],
  ]);
  assert.deepEqual(lengths("2001:db8::1"), [128, ["2001:db8::1 128 looked up"]]);
  assert.deepEqual(
    [formatSize(32, 32), formatSize(0, 32), formatSize(64, 128), formatSize(96, 128)].map((text) =>
      text.replaceAll(/\D(?=\d{3})/g, ""),
    ),
    ["1 address", "4294967296 addresses", "2^64 addresses", "4294967296 addresses"],
  );
});
