/**
 * `npm run bench -- feeds-beside [--deployments N] [--rules N] [--seconds N]`: how long a rule of one organisation takes
 * to be in its feed, beside another organisation with so many deployments of so many rules, to which one rule is added
 * every second. Both organisations write once a second. Fails if the 99th percentile is more than 3 s.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openStore } from "../src/store/open-store.ts";
import { addOrganisation, type FilledStore } from "./api/fill-store.ts";
import { startService } from "./api/processes.ts";
import { cachePath } from "./data/cache.ts";
import { Random } from "./data/random.ts";
import { makeFeed } from "./deployments/feed.ts";

const SECOND = 1000;
const MAX_SECONDS = 3;
/** Milliseconds between two requests for the feed. */
const POLLED_EVERY = 50;
/** Milliseconds after which a rule that is still missing ends the run. */
const PATIENCE = 300_000;

const { values } = parseArgs({
  options: {
    deployments: { type: "string", default: "100" },
    rules: { type: "string", default: "300000" },
    seconds: { type: "string", default: "60" },
  },
});
const [deployments, rules, seconds] = [values.deployments, values.rules, values.seconds].map(Number) as [
  number,
  number,
  number,
];

const folder = mkdtempSync(cachePath("feeds-beside-"));
try {
  const file = join(folder, "store.db");
  const store = await openStore({ file }, { rulesPerRuleset: 2 * rules });
  const large = await addOrganisation(store, "Large", rules, new Random(18));
  const small = await addOrganisation(store, "Small", 10, new Random(19));
  await store.close();
  const limits = ["--rules-per-ruleset", String(2 * rules), "--event-loop-delay", "60000", "--log-level", "error"];
  const service = await startService(["--db", file, ...limits], ["--max-old-space-size=6000"]);
  try {
    const origin = `http://127.0.0.1:${service.port}`;
    // Names differ, so that each is another deployment with lists of its own.
    for (let i = 0; i < deployments; i++)
      await ask(origin, large, "/v1/edl/deployments/", { name: `bench ${i}`, include: [{ ruleset: large.rulesetId }] });
    const feed = await makeFeed(service, small);
    await published(origin, large);
    const waits = await measure(origin, feed.path, { large, small });
    waits.sort((a, b) => a - b);
    const at = (share: number): string => (waits[Math.ceil(share * waits.length) - 1]! / SECOND).toFixed(2);
    console.log(
      `${deployments} deployments of ${rules} rules, ${waits.length} rules: in the feed after ${at(0.5)} s (p50), ${at(0.99)} s (p99), ${at(1)} s at most; load ${loadavg()[0]!.toFixed(1)}`,
    );
    if (Number(at(0.99)) > MAX_SECONDS) process.exitCode = 1;
  } finally {
    await service.stop();
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Until the large organisation's lists have all been published. */
async function published(origin: string, { key }: FilledStore): Promise<void> {
  for (;;) {
    const response = await fetch(`${origin}/v1/edl/deployments/?page_size=200`, { headers: { "X-API-Key": key } });
    const { items } = (await response.json()) as { items: { status: string }[] };
    if (items.every(({ status }) => status === "ok")) return;
    await delay(SECOND);
  }
}

/** Milliseconds from the response to each write of the small organisation to the feed that has it. */
async function measure(
  origin: string,
  path: string,
  { large, small }: Readonly<Record<"large" | "small", FilledStore>>,
): Promise<number[]> {
  const pending = new Map<string, number>();
  const waits: number[] = [];
  const end = performance.now() + seconds * SECOND;
  const writing = (async () => {
    for (let i = 0; performance.now() < end; i++) {
      const began = performance.now();
      const ip = `20.0.${i >> 8}.${i & 255}`;
      await add(origin, large, ip);
      await add(origin, small, ip);
      pending.set(ip, performance.now());
      await delay(Math.max(0, SECOND - (performance.now() - began)));
    }
  })();
  while (performance.now() < end || pending.size > 0) {
    const text = await (await fetch(origin + path)).text();
    const now = performance.now();
    // Neighbouring addresses are one entry.
    for (const [ip, since] of pending) {
      if (!isListed(text, ip)) continue;
      waits.push(now - since);
      pending.delete(ip);
    }
    if (now > end + PATIENCE) throw new Error("a rule is not in the feed");
    await delay(POLLED_EVERY);
  }
  await writing;
  return waits;
}

function isListed(text: string, ip: string): boolean {
  const value = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  return text.split("\n").some((line) => {
    const [address, length = "32"] = line.split("/") as [string, string?];
    return line !== "" && Math.floor((value(ip) - value(address)) / 2 ** (32 - Number(length))) === 0;
  });
}

function add(origin: string, { key, rulesetId }: FilledStore, ip: string): Promise<void> {
  return ask(origin, { key }, `/v1/edl/ip-rulesets/${rulesetId}/rules`, { ip });
}

async function ask(origin: string, { key }: Pick<FilledStore, "key">, path: string, body: object): Promise<void> {
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  const response = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}
