/**
 * Identifying a log: uploaded, followed, viewed, downloaded, failed and cancelled, as a person at a browser sees it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { type TestUser, visit } from "../api/dashboard/browser.ts";
import { addOrganisation } from "../api/start-server.ts";
import { HOSTILE_TEXTS, WAS_OBEYED } from "../cases/hostile-texts.ts";
import { accessibilityErrors, checkLooks, type Dashboard, missing, startDashboard } from "./browser.ts";
import { onlyLong } from "../rounds.ts";

const SAMPLE = join(import.meta.dirname, "../../data/sample.log");
const TEXT = readFileSync(SAMPLE);

/** A connection to the server that can be cut permanently. */
async function cuttable(port: number): Promise<{ readonly port: number; readonly cut: () => void }> {
  const sockets = new Set<Socket>();
  const wire = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    for (const socket of [client, server]) sockets.add(socket.on("error", () => {}));
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => void wire.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    wire.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (wire.address() as AddressInfo).port, cut };
}

describe("identifying logs", { skip: missing ?? false }, () => {
  let t: Dashboard;
  let viewer: TestUser;
  let folder: string;
  before(async () => {
    t = await startDashboard();
    viewer = await t.user("viewer");
    folder = mkdtempSync(join(tmpdir(), "ipsieve-logs-"));
  });
  after(async () => {
    await t.close();
    rmSync(folder, { recursive: true });
  });

  /** A file with this name. */
  const file = (name: string, bytes: Uint8Array | string): string => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  const choose = async (page: Page, path: string): Promise<void> => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    await chooser.setFiles(path);
  };
  const done = (page: Page) => page.locator(".note.good", { hasText: /^Done/ }).waitFor();
  const idOf = (page: Page): string => page.url().split("/identify/")[1]!;
  const told = async (page: Page) =>
    (await visit(t, "GET", `/identifications/${idOf(page)}`, { token: viewer.token })).body;
  /** The figures of the summary. */
  const legend = (page: Page): Promise<string[]> =>
    page
      .locator(".share-legend")
      .first()
      .locator("b")
      .allInnerTexts()
      .then((texts) => texts.map((text) => text.replaceAll(",", "")));
  const count = (value: number): string => value.toLocaleString("en-GB");
  /** Makes the upload so slow, in bytes per second, that there is time to look. */
  const slow = async (page: Page, uploadThroughput: number): Promise<void> => {
    const tools = await page.context().newCDPSession(page);
    await tools.send("Network.enable");
    await tools.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  };
  const end = async (page: Page, errors: readonly string[]): Promise<void> => {
    assert.deepEqual(errors, []);
    await page.context().close();
  };

  test(
    "the field with the address is chosen; no request during an upload gets 404; figures are separated",
    { skip: onlyLong() },
    async () => {
      const { page, errors } = await t.open("#/identify", { user: viewer });
      const refused: string[] = [];
      page.on(
        "response",
        (response) => response.status() >= 400 && refused.push(`${response.status()} ${response.url()}`),
      );
      const log = `proxy,client_ip\n${"203.0.113.1,1.1.1.1\n".repeat(120_000)}`;
      await page.getByLabel("Address field (optional)").fill("client_ip");
      await page.getByLabel("Field separator").selectOption("csv");
      await choose(page, file("columns.csv", log));
      await done(page);
      assert.deepEqual(refused, []);
      assert.deepEqual([(await told(page)).matched, (await told(page)).unmatched], [120_000, 0]);
      assert.equal(
        await page
          .locator(".share-legend li")
          .first()
          .innerText()
          .then((text) => text.replaceAll(/\s+/g, " ")),
        "Service known 120,000 100.0 %",
      );
      const [number, percent] = await page
        .locator(".share-legend li")
        .first()
        .locator("b, .muted")
        .evaluateAll((texts) =>
          texts.map((text) => {
            const range = text.ownerDocument.createRange();
            range.selectNodeContents(text);
            return { left: range.getBoundingClientRect().left, right: range.getBoundingClientRect().right };
          }),
        );
      assert.ok(percent!.left - number!.right >= 4, `${number!.right} ${percent!.left}`);
      await end(page, errors);
      await checkLooks(t, "identify-field", "#/identify", viewer, (page) =>
        page.getByLabel("Address field (optional)").fill("client_ip"),
      );
    },
  );

  test("a log: its figures, the services, the lines without a service, and the result", async () => {
    const { page, errors } = await t.open("#/identify", { user: viewer });
    await choose(page, SAMPLE);
    await done(page);
    assert.equal(await page.locator("h1").innerText(), "sample.log");
    const document = await told(page);
    const lines = TEXT.toString("latin1").trimEnd().split("\n").length;
    assert.equal(document.lines, lines);
    assert.equal(await page.locator(".chart-title").first().innerText(), `${count(lines)} lines`);
    assert.deepEqual(await legend(page), [document.matched, document.unmatched, document.no_address].map(String));
    assert.equal(document.matched + document.unmatched + document.no_address, lines);
    const [types, providers, networks, countries] = await page.locator(".log-bars .bar-list").all();
    await page.locator(".chart-title", { hasText: `Lines per ${document.times.unit} (UTC)` }).waitFor();
    for (const [list, counts] of [
      [networks!, document.network_counts.networks],
      [countries!, document.network_counts.countries],
    ] as const)
      assert.deepEqual(
        await list.locator("b").allInnerTexts(),
        counts.slice(0, 12).map(({ lines: own }: { lines: number }) => count(own)),
      );
    assert.equal(await countries!.locator(".bar-name").first().innerText(), "United States");
    assert.deepEqual(
      await types!
        .locator("li")
        .allInnerTexts()
        .then((texts) => texts.map((text) => text.split(/\s*\n\s*/))),
      document.types.map(({ name, lines: own }: { name: string; lines: number }) => [name, count(own)]),
    );
    assert.deepEqual(
      await providers!.locator("b").allInnerTexts(),
      document.providers.slice(0, 12).map(({ lines: own }: { lines: number }) => count(own)),
    );
    assert.equal(await page.locator(".sample li").count(), document.unmatched_sample.length);
    assert.deepEqual(
      await page.locator(".sample li > .mono").allTextContents(),
      document.unmatched_sample.map(({ text }: { text: string }) => (text === "" ? "(empty line)" : text)),
    );
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download result" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "sample.log.identified.csv.gz");
    const rows = gunzipSync(readFileSync((await download.path())!))
      .toString()
      .trimEnd()
      .split("\n");
    assert.equal(rows.length, lines);
    assert.equal(rows.filter((row) => !row.endsWith(",")).length, document.matched);
    await page.locator(".log-bars a").first().click();
    await page.locator("h1", { hasText: "Catalogue" }).waitFor();
    await end(page, errors);
  });

  test(
    "what a draft would have done with a log: by rule, address and service; errors are shown",
    { skip: onlyLong() },
    async () => {
      const { page, errors } = await t.open("#/identify", { user: viewer });
      await choose(page, file("tried.log", "203.0.113.9 a\n203.0.113.9 b\n1.1.1.1 c\nnobody\n"));
      await done(page);
      const attempt = async (draft: string): Promise<void> => {
        await page.getByLabel("Addresses and prefixes").fill(draft);
        await page.getByRole("button", { name: "Try rules" }).click();
      };
      await attempt("203.0.113.0/24 1.1.1.1/33");
      await page.locator(".note.bad", { hasText: "1.1.1.1/33" }).waitFor();
      await attempt("203.0.113.0/24 1.1.1.1 192.0.2.0/24");
      await page.locator(".note.warning", { hasText: "3 of 3 lines with an address would have been hit" }).waitFor();
      const rows = (caption: string): Promise<string[]> =>
        page
          .getByRole("table", { name: caption })
          .locator("tbody tr")
          .allInnerTexts()
          .then((texts) => texts.map((text) => text.replaceAll(/\s+/g, " ").trim()));
      assert.deepEqual(await rows("Rules with the most hits"), ["203.0.113.0/24 1 2", "1.1.1.1 1 1"]);
      assert.deepEqual(await rows("Addresses that would have been hit"), ["203.0.113.9 2", "1.1.1.1 1"]);
      assert.deepEqual(await rows("Rules without a hit"), ["192.0.2.0/24"]);
      assert.match((await rows("Services that would have been hit")).join(), /\/cdn\/cloudflare/);
      assert.deepEqual(
        errors.filter((text) => !text.includes("400")),
        [],
      );
      await page.context().close();
    },
  );

  test("appearance: before, and with results", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/identify", { user: viewer });
    await choose(page, SAMPLE);
    await done(page);
    const id = idOf(page);
    await end(page, errors);
    await checkLooks(t, "identify", "#/identify", viewer);
    await checkLooks(t, "identify-done", `#/identify/${id}`, viewer);
  });

  test("the addresses of a log become a draft of a ruleset, which is reviewed before rules are added", async () => {
    const { page, errors } = await t.open("#/identify", { user: await t.user("editor") });
    await choose(page, file("draft.log", "203.0.113.9\n203.0.113.10\n"));
    await done(page);
    const top = page.locator(".panel", { has: page.locator("h2", { hasText: "Top addresses without a service" }) });
    await top.getByRole("button", { name: "Make a draft ruleset of these" }).click();
    await page.locator("dialog input[name=name]").fill("Of the log");
    await page.getByRole("button", { name: "Create ruleset" }).click();
    await page.waitForURL(/#\/rulesets\/[\w-]+\/import$/);
    for (const ip of ["203.0.113.9", "203.0.113.10"]) await page.locator("code", { hasText: ip }).first().waitFor();
    const { body } = await visit(t, "GET", "/edl/ip-rulesets/", { token: (await t.user("viewer")).token });
    assert.equal(body.items.find(({ name }: { name: string }) => name === "Of the log").total_rules, 0);
    assert.deepEqual(errors, []);
    await page.context().close();
  });

  test(
    "top addresses: with services and lines and a link to the lookup; with too many addresses, the accuracy is shown",
    { skip: onlyLong() },
    async () => {
      const { page, errors } = await t.open("#/identify", { user: viewer });
      await choose(
        page,
        file("top.log", `${"203.0.113.9\n".repeat(7)}${"1.1.1.1\n".repeat(5)}${"2606:4700::1111 \n".repeat(3)}`),
      );
      await done(page);
      const rows = (title: string): Promise<string[]> =>
        page
          .getByRole("region", { name: title })
          .locator("tbody tr")
          .allInnerTexts()
          .then((texts) => texts.map((text) => text.replaceAll(/\s+/g, " ").trim()));
      const [first, second] = await rows("Top addresses with a service");
      assert.match(
        `${first} / ${second}`,
        /^1\.1\.1\.1 .*Cloudflare.* none 5 \/ 2606:4700::1111 .*Cloudflare.* none 3$/,
      );
      assert.deepEqual(await rows("Top addresses without a service"), ["203.0.113.9 none 7"]);
      await page.getByRole("link", { name: "203.0.113.9" }).click();
      await page.locator("h1", { hasText: "Lookup" }).waitFor();
      await page.goBack();

      await page.getByRole("link", { name: "All logs" }).click();
      const many = Array.from({ length: 200_000 }, (_, i) => `203.${i >> 16}.${(i >> 8) & 255}.${i & 255}\n`).join("");
      await choose(page, file("many.log", many + "198.51.100.1\n".repeat(500)));
      await done(page);
      assert.match(
        await page.locator(".note.warning", { hasText: "any address may" }).innerText(),
        /^This log has too many different addresses to count each\..* any address may have up to 1 more line\.$/,
      );
      assert.match((await rows("Top addresses without a service"))[0]!, /^198\.51\.100\.1 none (499|500)$/);
      const { addresses, lines_missing: missing, covered_by: by } = (await told(page)).ruleset_comparison;
      assert.ok(missing > 0 && addresses <= 100_000);
      assert.equal(by.neither.lines + missing, 200_500);
      assert.equal(
        await page.locator(".note.warning", { hasText: "ruleset figures" }).innerText(),
        `This log has too many different addresses to count each. The ruleset figures are minimums: they count ${count(addresses)} addresses, and leave out ${count(missing)} lines.`,
      );
      const id = idOf(page);
      await end(page, errors);
      await checkLooks(t, "identify-many", `#/identify/${id}`, viewer);
    },
  );

  test(
    "rulesets beside the catalogue: chosen before, their coverage, and the deciding rule with a link",
    { skip: onlyLong() },
    async () => {
      const organisationId = await addOrganisation(t, "Compared Networks");
      const user = await t.user("editor", organisationId);
      const about = { actor: "command:test", at: t.clock.now, organisationId };
      for (const { about: ruleset } of t.server.services.memory.rulesets(organisationId))
        await t.server.store.write({ kind: "delete-ruleset", ...about, rulesetId: ruleset.id });
      const add = async (name: string, purpose: string, rules: readonly object[]): Promise<string> => {
        const send = (path: string, body: object) =>
          visit(t, "POST", `/edl/ip-rulesets${path}`, { token: user.token, body });
        const { id } = (await send("/", { name, purpose })).body;
        for (const rule of rules) assert.equal((await send(`/${id}/rules`, rule)).status, 201);
        return id;
      };
      const allow = await add("Partners", "allowlist", [{ ip: "203.0.113.9", name: "office" }]);
      t.clock.now += 1;
      await add("Scanners", "blocklist", [{ ip: "203.0.113.0/24" }, { ip: "1.1.1.0/24", expires_in_days: 3 }]);
      t.clock.now += 1;
      await add("Not this one", "blocklist", [{ ip: "0.0.0.0/0" }]);
      const { page, errors } = await t.open("#/identify", { user });
      const choice = page.getByRole("group", { name: "Compare with rulesets" });
      assert.equal(await choice.getByRole("checkbox", { checked: true }).count(), 3);
      await choice.getByRole("button", { name: "Select none" }).click();
      assert.match(await choice.innerText(), /0 of 3 selected/);
      await choice.getByRole("button", { name: "Select all" }).click();
      await choice.getByLabel("Not this one").uncheck();
      assert.match(await choice.innerText(), /2 of 3 selected/);
      const text = `${"203.0.113.9\n".repeat(7)}${"1.1.1.1\n".repeat(5)}203.0.113.10\n${"198.51.100.1\n".repeat(4)}none\n`;
      await choose(page, file("compared.log", text));
      await done(page);
      const texts = async (rows: ReturnType<Page["locator"]>): Promise<string[]> =>
        (await rows.allInnerTexts()).map((each) => each.replaceAll(/\s+/g, " ").trim());
      const legendOf = (title: string) => texts(page.locator("figure", { hasText: title }).locator(".share-legend li"));
      assert.deepEqual(await legendOf("Lines by ruleset decision"), [
        "Allowed 0 0.0 %",
        "Blocked 6 35.3 %",
        "On both (allowed) 7 41.2 %",
        "No active rule 4 23.5 %",
      ]);
      assert.deepEqual(await legendOf("Addresses by ruleset decision"), [
        "Allowed 0 0.0 %",
        "Blocked 2 50.0 %",
        "On both (allowed) 1 25.0 %",
        "No active rule 1 25.0 %",
      ]);
      assert.match(
        await page.locator(".note.warning").innerText(),
        /^1 address is on an allowlist and on a blocklist\. Allow before block/,
      );
      const region = (name: string) => page.getByRole("region", { name, exact: true }).locator("tbody tr");
      assert.deepEqual(await texts(region("Compared rulesets")), ["Partners allowlist 7 1", "Scanners blocklist 13 3"]);
      const top = await texts(region("Top addresses in rulesets"));
      assert.equal(top.length, 3);
      assert.match(
        top[0]!,
        /^203\.0\.113\.9 allowlist 203\.0\.113\.9 office in Partners, never expires blocklist 203\.0\.113\.0\/24 in Scanners, never expires 7$/,
      );
      assert.match(
        top[1]!,
        /^1\.1\.1\.1 .*Cloudflare.* blocklist 1\.1\.1\.0\/24 in Scanners, until 2026-11-24 13:00 5$/,
      );
      assert.match(top[2]!, /^203\.0\.113\.10 blocklist 203\.0\.113\.0\/24 in Scanners, never expires 1$/);
      const hash = `#/identify/${idOf(page)}`;
      await region("Top addresses in rulesets").first().locator(".deciding-rules a").first().click();
      await page.locator("h1", { hasText: "Partners" }).waitFor();
      assert.ok(page.url().includes(`/rulesets/${allow}?ip=203.0.113.9`));
      await page.getByText("office").first().waitFor();
      await end(page, errors);
      await checkLooks(t, "identify-compared", hash, user);
      await checkLooks(t, "identify-choose", "#/identify", user);
    },
  );

  test("without a plan for rulesets, or without rulesets, none is offered", { skip: onlyLong() }, async () => {
    const without = await t.user("viewer", await addOrganisation(t, "No rulesets", ["cbs"]));
    const { page, errors } = await t.open("#/identify", { user: without });
    await page.getByText("No logs yet").waitFor();
    assert.equal(await page.getByText("Compare with rulesets").count(), 0);
    await choose(page, file("alone.log", "1.1.1.1\n"));
    await done(page);
    assert.equal(await page.getByText("by ruleset decision").count(), 0);
    assert.equal(await page.getByRole("columnheader", { name: "Rules" }).count(), 0);
    await end(page, errors);
  });

  test("a gzip file has the same figures, and the result has the chosen format", { skip: onlyLong() }, async () => {
    const path = file("sample.log.gz", gzipSync(TEXT));
    const { page, errors } = await t.open("#/identify", { user: viewer });
    await page.getByLabel(/^Your lines/).check();
    await choose(page, path);
    await done(page);
    const document = await told(page);
    const {
      body: { items },
    } = await visit(t, "GET", "/identifications", { token: viewer.token });
    const plain = items.find(({ name }: { name: string }) => name === "sample.log");
    for (const key of ["lines", "matched", "unmatched", "no_address", "types", "providers"])
      assert.deepEqual(document[key], plain[key], key);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download result" }).click(),
    ]);
    const rows = gunzipSync(readFileSync((await download.path())!))
      .toString("latin1")
      .trimEnd()
      .split("\n");
    const lines = TEXT.toString("latin1").trimEnd().split("\n");
    assert.deepEqual(
      rows.map((row, at) => row.startsWith(lines[at]!)),
      lines.map(() => true),
    );
    await end(page, errors);
  });

  test("a dropped file", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/identify", { user: viewer });
    const transfer = await page.evaluateHandle(
      `(() => { const transfer = new DataTransfer(); transfer.items.add(new File(["1.1.1.1 a\\nnothing\\n"], "dropped.log")); return transfer; })()`,
    );
    const zone = page.locator(".drop-zone");
    await zone.dispatchEvent("dragover", { dataTransfer: transfer });
    assert.equal(await zone.getAttribute("class"), "drop-zone over");
    await zone.dispatchEvent("drop", { dataTransfer: transfer });
    await done(page);
    assert.equal(await page.locator("h1").innerText(), "dropped.log");
    assert.deepEqual(await legend(page), ["1", "0", "1"]);
    await end(page, errors);
  });

  test("an empty file, and one without any address", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/identify", { user: viewer });
    await choose(page, file("empty.log", ""));
    await page.getByText("No lines").waitFor();
    await page.getByRole("link", { name: "All logs" }).click();
    await choose(page, file("words.log", "one\ntwo\n\n"));
    await done(page);
    assert.deepEqual(await legend(page), ["0", "0", "3"]);
    assert.deepEqual(await page.locator(".sample li > .mono").allTextContents(), ["one", "two", "(empty line)"]);
    await end(page, errors);
  });

  test("corrupt gzip data: the reason, the position, and the results before it", { skip: onlyLong() }, async () => {
    // A good beginning, then corrupt in the middle.
    const bytes = gzipSync(Buffer.concat(Array.from({ length: 20 }, () => TEXT)));
    bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 64);
    const { page, errors } = await t.open("#/identify", { user: viewer });
    await choose(page, file("corrupt.log.gz", bytes));
    const note = page.locator(".note.bad");
    await note.waitFor();
    const document = await told(page);
    assert.equal(document.state, "failed");
    assert.match(await note.innerText(), /Only part of the log could be read/);
    assert.ok((await note.innerText()).includes(document.error));
    assert.match(document.error, /corrupt|truncated|corrupt/i);
    assert.equal(await page.getByRole("link", { name: "Download result" }).count(), 0);
    await page.getByRole("link", { name: "Choose another file" }).click();
    assert.match(await page.locator("tr", { hasText: "corrupt.log.gz" }).first().innerText(), /failed/);
    await end(page, errors);
  });

  test("a truncated gzip file, and a file that is not text", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/identify", { user: viewer });
    await choose(page, file("cut.log.gz", gzipSync(TEXT).subarray(0, 20_000)));
    await page.locator(".note.bad").waitFor();
    assert.match(await page.locator(".note.bad").innerText(), /Only part of the log could be read/);
    await page.getByRole("link", { name: "All logs" }).click();
    await choose(page, file("picture.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0, 1, 2, 3])));
    await page.locator(".note.bad").waitFor();
    assert.match(await page.locator(".note.bad").first().innerText(), /the upload is neither text nor gzip/);
    await end(page, errors);
  });

  test(
    "progress of the upload and of the server; other pages can be visited meanwhile; leaving needs confirmation",
    { skip: onlyLong() },
    async () => {
      const { page, errors } = await t.open("#/identify", { user: viewer });
      await slow(page, 400_000);
      await choose(page, file("slow.log", Buffer.concat(Array.from({ length: 12 }, () => TEXT))));
      const uploaded = page.getByRole("progressbar", { name: "Uploaded" });
      await page.locator(".progress-text", { hasText: /Uploaded .* of 4\.5 MB \([1-9]\d? %\)/ }).waitFor();
      assert.ok(Number(await uploaded.getAttribute("value")) < 100);
      await page.locator(".progress-text", { hasText: /Identified .*[\d,]+ lines$/s }).waitFor();
      assert.deepEqual(await accessibilityErrors(page), []);
      const id = idOf(page);
      await page.getByRole("link", { name: "Catalogue", exact: true }).click();
      await page.getByRole("tree").waitFor();
      const asked = new Promise<string>((resolve) =>
        page.once("dialog", (dialog) => {
          resolve(dialog.type());
          void dialog.dismiss();
        }),
      );
      await page.evaluate("location.reload()").catch(() => {});
      assert.equal(await asked, "beforeunload");
      await page.evaluate(`location.hash = "#/identify/${id}"`);
      await done(page);
      assert.equal((await told(page)).lines, 12 * TEXT.toString("latin1").trimEnd().split("\n").length);
      await end(page, errors);
    },
  );

  test("a cancelled upload: the server forgets it", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/identify", { user: viewer });
    await slow(page, 100_000);
    await choose(page, file("given-up.log", Buffer.concat(Array.from({ length: 12 }, () => TEXT))));
    await page.locator(".progress-text", { hasText: /Identified .*[\d,]+ lines$/s }).waitFor();
    const id = idOf(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Upload cancelled").waitFor();
    await page.locator("h1", { hasText: "Identify a log" }).waitFor();
    assert.equal((await visit(t, "GET", `/identifications/${id}`, { token: viewer.token })).status, 404);
    await page.reload();
    await page.locator("table").waitFor();
    assert.equal(await page.locator("tr", { hasText: "given-up.log" }).count(), 0);
    await end(page, errors);
  });

  test("a lost connection is reported, with the progress", { skip: onlyLong() }, async () => {
    const wire = await cuttable(Number(new URL(t.server.url).port));
    const { page, errors } = await t.open("#/identify", { user: viewer });
    await page.goto(`http://127.0.0.1:${wire.port}/#/identify`);
    await slow(page, 100_000);
    await choose(page, file("lost.log", Buffer.concat(Array.from({ length: 12 }, () => TEXT))));
    await page.locator(".progress-text", { hasText: /Uploaded .* \([1-9]\d? %\)/ }).waitFor();
    wire.cut();
    const note = page.locator(".note.bad").first();
    await note.waitFor();
    assert.match(
      await note.innerText(),
      /The connection was lost\s+The upload stopped after [\d.]+ (KB|MB) of 4\.5 MB\. Nothing was kept: choose the file again/,
    );
    assert.equal(await page.getByRole("button", { name: "Cancel" }).count(), 0);
    await end(page, errors);
  });

  test("a file that is too large is reported", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/identify", { user: viewer });
    // The server itself accepts logs of any length; a proxy before it may not.
    await page.route("**/identifications?*", (route) =>
      route.fulfill({ status: 413, contentType: "text/html", body: "<h1>413</h1>" }),
    );
    await choose(page, SAMPLE);
    assert.match(
      await page.locator(".note.bad").innerText(),
      /The file is too large\s+The server does not accept uploads of this size/,
    );
    await end(page, errors);
  });

  test(
    "logs of the last hour: listed, opened, deleted; a deleted one is reported as such",
    { skip: onlyLong() },
    async () => {
      const { page, errors } = await t.open("#/identify", { user: viewer });
      const row = page.locator("tbody tr", { hasText: "dropped.log" });
      assert.match((await row.innerText()).replaceAll(/\s+/g, " "), /dropped\.log done 18 B 2 50\.0 % now/);
      await row.getByRole("link").click();
      await done(page);
      const url = page.url();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("Result deleted").waitFor();
      await page.locator("table").waitFor();
      assert.equal(await row.count(), 0);
      await page.goto(url);
      await page.getByText("This log is no longer available").waitFor();
      await end(page, errors);
    },
  );

  test("another organisation sees none of the logs", { skip: onlyLong() }, async () => {
    const {
      body: { items },
    } = await visit(t, "GET", "/identifications", { token: viewer.token });
    assert.ok(items.length > 0);
    const stranger = await t.user("admin", await addOrganisation(t, "Strangers"));
    const { page, errors } = await t.open("#/identify", { user: stranger });
    await page.getByText("No logs yet").waitFor();
    await page.goto(`${t.server.url}/#/identify/${items[0].id}`);
    await page.getByText("This log is no longer available").waitFor();
    await end(page, errors);
  });

  test("malicious lines and a malicious name stay text", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/identify", { user: viewer });
    page.on("dialog", () => errors.push("a dialog was opened"));
    const name = `${HOSTILE_TEXTS[10]!}.log`;
    await choose(
      page,
      file(name.replaceAll("/", "_"), HOSTILE_TEXTS.map((text) => `${text}\n198.51.100.7 ${text}\n`).join("")),
    );
    await done(page);
    assert.equal(await page.locator("h1").textContent(), name);
    const lines = await page.locator(".sample li > .mono").allTextContents();
    assert.deepEqual(
      lines,
      HOSTILE_TEXTS.flatMap((text) => [text, `198.51.100.7 ${text}`]),
    );
    assert.equal(await page.evaluate(WAS_OBEYED), false);
    await page.getByRole("link", { name: "All logs" }).click();
    await page.locator("tbody a", { hasText: name }).waitFor();
    assert.equal(await page.evaluate(WAS_OBEYED), false);
    await end(page, errors);
  });

  test("an organisation without the plan sees that it has none", { skip: onlyLong() }, async () => {
    const without = await t.user("viewer", await addOrganisation(t, "Without", ["edl"]));
    const { page, errors } = await t.open("#/identify", { user: without });
    assert.match(
      await page.locator(".note.warning").innerText(),
      /Without has no active plan for the catalogue of services \(cbs\)/,
    );
    assert.equal(await page.locator(".drop-zone").count(), 0);
    await end(page, errors);
  });
});
