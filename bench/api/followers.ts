/**
 * `npm run bench -- followers [--only latency|feed|readers|taxii] [--rounds N]`: how soon and at what cost changes reach
 * others: streams, mirrors and webhooks after a write; the whole feed of 1,000,000 changes; a thousand streams under
 * 500 writes a second; 1,000,000 indicators paged by OASIS's TAXII client (`npm run tools:setup`). Prints medians, with
 * the least and the most.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SecretKey } from "../../src/service/access/secret-key.ts";
import { makeCredentialText } from "../../src/service/access/credential-text.ts";
import { makeSecret } from "../../src/service/webhooks/webhook-secret.ts";
import { openStore } from "../../src/store/open-store.ts";
import { cachePath } from "../data/cache.ts";
import { Random } from "../data/random.ts";
import { fillStore, type FilledStore } from "./fill-store.ts";
import { measureLatency, startReceiver } from "./followers/latency.ts";
import { measureManyReaders } from "./followers/many-readers.ts";
import { measureTaxiiPages, type TaxiiAccess } from "./followers/taxii-pages.ts";
import { measureWholeFeed } from "./followers/whole-feed.ts";
import type { Measurement } from "./measure.ts";
import { startService } from "./processes.ts";

const PARTS = ["latency", "feed", "readers", "taxii"] as const;
const CHANGES = 1_000_000;
/** Writes of each round of `latency`. */
const WRITES = 100;

const { values } = parseArgs({ options: { only: { type: "string" }, rounds: { type: "string", default: "5" } } });
const rounds = Number(values.rounds);
const parts = PARTS.filter((part) => values.only === undefined || values.only === part);
if (parts.length === 0) throw new Error(`--only: one of ${PARTS.join(", ")}`);
const needsRules = parts.some((part) => part === "feed" || part === "taxii");
const folder = mkdtempSync(cachePath("followers-"));
const receiver = await startReceiver();
try {
  const file = join(folder, "store.db");
  const keyFile = join(folder, "key");
  const filled = await fillStore(file, needsRules ? CHANGES : 0, new Random(1));
  const access = await addFollowers(file, keyFile, filled);
  const serve = ["--db", file, "--secret-key-file", keyFile, "--rules-per-ruleset", String(3 * CHANGES)];
  const limits = ["--change-streams", "3000", "--outbound-allow", "127.0.0.0/8", "--log-level", "error"];
  // Other work on the machine must not make the server shed what is measured.
  const patience = ["--event-loop-delay", "60000"];
  const service = await startService([...serve, ...limits, ...patience]);
  try {
    for (const part of parts) for (const each of await measure(part)) print(each);
  } finally {
    await service.stop();
  }

  function measure(part: (typeof PARTS)[number]): Promise<Measurement[]> {
    if (part === "latency") return measureLatency(service, filled, receiver, rounds * WRITES);
    if (part === "feed") return measureWholeFeed(service, filled, rounds);
    if (part === "readers") return measureManyReaders(service, filled, rounds);
    return measureTaxiiPages(service, access, CHANGES, rounds);
  }
} finally {
  receiver.close();
  rmSync(folder, { recursive: true });
}

/** A webhook endpoint for new rules, and a TAXII credential for the full ruleset. */
async function addFollowers(
  file: string,
  keyFile: string,
  { organisationId, rulesetId }: FilledStore,
): Promise<TaxiiAccess> {
  const store = await openStore({ file }, {});
  try {
    const about = { actor: "command:bench", at: Date.now(), organisationId };
    const { sealed } = makeSecret(new SecretKey(keyFile), organisationId);
    const definition = {
      url: receiver.url,
      kinds: ["rule.created" as const],
      description: "",
      active: parts.includes("latency"),
    };
    await store.write({ kind: "create-webhook", ...about, definition, secret: sealed });
    const { text: password, digest, start: user } = makeCredentialText("taxii");
    const credential = { label: "bench", digest, start: user, collections: [rulesetId] };
    await store.write({ kind: "create-credential", credential: "taxii", ...about, ...credential });
    return { collectionId: rulesetId, user, password };
  } finally {
    await store.close();
  }
}

function print({ subject, unit, median, samples }: Measurement): void {
  const [least, most] = [Math.min(...samples), Math.max(...samples)].map((value) => value.toPrecision(3));
  console.log(`${subject}: ${median.toPrecision(4)} ${unit} (${least} to ${most})`);
}
