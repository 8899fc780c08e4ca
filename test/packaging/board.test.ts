/**
 * The board and the alerts query metrics that a server really exports: Prometheus scrapes one and answers the queries.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openStore } from "../../src/store/open-store.ts";
import { ServiceProcess } from "../api/harness/service-process.ts";
import { addKey, addOrganisation, type TestServer } from "../api/start-server.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { freePort } from "../free-port.ts";
import { missingCommand } from "../tools.ts";
import { until } from "../until.ts";

const PACKAGING = join(import.meta.dirname, "../../packaging");
const BOARD = JSON.parse(readFileSync(join(PACKAGING, "grafana/ipsieve.json"), "utf8"));

/** Metrics of what cannot have happened on a working server: they exist, but have no value for a label yet. */
const MAY_BE_EMPTY = /ipsieve_(webhook_attempts|rate_limited|snapshot_failures|ruleset_freezes)_total/;
const TOKEN = "scraped-by-a-test";

interface Query {
  readonly title: string;
  readonly expression: string;
}

/** The board's queries, as Grafana sends them with all servers selected. */
const QUERIES: readonly Query[] = BOARD.panels.flatMap(({ title, targets }: any) =>
  targets.map(({ expr }: any) => ({
    title,
    expression: expr.replaceAll("$job", "ipsieve").replaceAll("$instance", ".*").replaceAll("$__rate_interval", "1m"),
  })),
);

describe("Prometheus", { skip: missingCommand("prometheus", "--version", "prometheus") }, () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let service: ServiceProcess;
  let prometheus: string;
  let end: () => Promise<void>;

  before(async () => {
    folder = temporaryFolder();
    const file = join(folder.path, "ipsieve.db");
    const store = await openStore({ file });
    const owner = { server: { store }, clock: { now: Date.now() } } as unknown as TestServer;
    const { text: key } = await addKey(owner, await addOrganisation(owner, "Example"));
    await store.close();
    service = await ServiceProcess.start(file, ["--metrics", "on", "--metrics-token", TOKEN]);
    for (const path of ["/v1/cbs/lookup?ip=1.1.1.1", "/v1/cti/lookup/192.0.2.1", "/feeds/unknown/ipv4.txt", "/nowhere"])
      await (await fetch(`http://127.0.0.1:${service.port}${path}`, { headers: { "X-API-Key": key } })).text();
    const port = await freePort();
    prometheus = `http://127.0.0.1:${port}`;
    writeFileSync(
      join(folder.path, "prometheus.yml"),
      JSON.stringify({
        global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
        rule_files: [join(PACKAGING, "prometheus/alerts.yaml")],
        scrape_configs: [
          {
            job_name: "ipsieve",
            authorization: { credentials: TOKEN },
            static_configs: [{ targets: [`127.0.0.1:${service.port}`] }],
          },
        ],
      }),
    );
    const child = spawn(
      "prometheus",
      [
        `--config.file=${join(folder.path, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(folder.path, "data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
        "--log.level=error",
      ],
      { stdio: "ignore" },
    );
    const ended = once(child, "close");
    end = async () => {
      child.kill();
      await ended;
    };
    await until("Prometheus has read the server twice", async () => {
      assert.equal(child.exitCode, null, "Prometheus has ended");
      return Number((await valuesOf('count_over_time(ipsieve_database_up{job="ipsieve"}[1m])'))[0] ?? 0) >= 2;
    });
  });
  after(async () => {
    await end?.();
    await service?.end("SIGTERM");
    folder?.remove();
  });

  /** The values that an expression has now; none while Prometheus does not respond. */
  async function valuesOf(expression: string): Promise<string[]> {
    const url = `${prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const response = await fetch(url).catch(() => undefined);
    if (response === undefined || response.status === 503) return [];
    const { status, error, data } = (await response.json()) as any;
    assert.equal(status, "success", `${expression}: ${error}`);
    return data.result.map(({ value }: any) => value[1]);
  }

  for (const { title, expression } of QUERIES) {
    test(`the board's ${title}: ${expression}`, async () => {
      if (MAY_BE_EMPTY.test(expression)) await valuesOf(expression);
      else await until("there is a value", async () => (await valuesOf(expression)).length > 0, { every: 100 });
    });
  }

  test("every metric of the board and of the alerts exists on the server, with the used labels", async () => {
    const page = await (
      await fetch(`http://127.0.0.1:${service.port}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } })
    ).text();
    const names = new Set(Array.from(page.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name!));
    const missing = (text: string): string[] =>
      (text.match(/\b(?:ipsieve|process|nodejs)_[a-z0-9_]+\b/g) ?? []).filter(
        (name) => !names.has(name) && !names.has(name.replace(/_(bucket|count|sum)$/, "")),
      );
    const expressions = readFileSync(join(PACKAGING, "prometheus/alerts.yaml"), "utf8").replaceAll(
      /^ +(summary|action): .*$/gm,
      "",
    );
    assert.deepEqual(missing(expressions), []);
    assert.deepEqual(missing(QUERIES.map(({ expression }) => expression).join("\n")), []);
    assert.deepEqual(missing("rate(ipsieve_lookup_total[5m])"), ["ipsieve_lookup_total"], "negative control");
    // The labels too: operations and statuses that the alerts name.
    assert.match(page, /^ipsieve_request_seconds_count\{operation="lookupCbs",status="200"\} 1$/m);
    assert.match(page, /^ipsieve_snapshot_created_seconds\{snapshot="catalogue"\} /m);
  });

  test("the alerts are evaluated without an error, and none fires", async () => {
    const rules = async (): Promise<any[]> =>
      ((await (await fetch(`${prometheus}/api/v1/rules`)).json()) as any).data.groups[0].rules;
    await until("all have been evaluated", async () => (await rules()).every(({ health }) => health !== "unknown"));
    const evaluated = await rules();
    assert.ok(evaluated.length > 10);
    for (const { name, health, lastError, state } of evaluated)
      assert.deepEqual(
        [health, lastError, name === "IpsieveCatalogueOld" || state !== "firing"],
        ["ok", undefined, true],
        name,
      );
  });

  test("negative control: a query of a metric that does not exist has no value", async () => {
    assert.deepEqual(await valuesOf("sum(rate(ipsieve_lookup_total[1m]))"), []);
  });
});
