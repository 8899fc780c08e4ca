/** A real server with little memory for objects accepts long lists, repeatedly, in every format. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { fillStore } from "../../bench/api/fill-store.ts";
import { Random } from "../../bench/data/random.ts";
import { makeFastFolder } from "../store/harness/fast-folder.ts";
import { rounds } from "../rounds.ts";
import { ServiceProcess } from "./harness/service-process.ts";

/**
 * The promise is a million in 256 MB; this is less, plus what a server needs. Kept as objects, the second list of the
 * long form ended the store's thread; the short form checks the responses.
 */
const RULES = rounds({ short: 20_000, long: 60_000 });
const HEAP = 96;

const folder = makeFastFolder();
let service: ServiceProcess;
let key = "";
let path = "";
before(async () => {
  const filled = await fillStore(`${folder}/million.db`, 10, new Random(5));
  key = filled.key;
  service = await ServiceProcess.start(`${folder}/million.db`, ["--rules-per-ruleset", String(RULES)], {
    nodeArgs: [`--max-old-space-size=${HEAP}`],
  });
  path = `http://127.0.0.1:${service.port}/v1/edl/ip-rulesets/${filled.rulesetId}/rules`;
});
after(async () => {
  await service.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

/** Addresses in no particular order, different in each round. */
function* addresses(round: number): Generator<string> {
  for (let at = 0; at < RULES; at++) {
    const host = (Math.imul(at, 0x9e37_79b1) >>> 12) ^ round;
    yield `${20 + round}.${host >>> 16}.${(host >>> 8) & 255}.${host & 255}`;
  }
}

const FORMATS: Record<string, { type: string; head: string; line: (ip: string, at: number) => string }> = {
  text: { type: "text/plain", head: "", line: (ip) => ip },
  csv: { type: "text/csv", head: "ip,name\n", line: (ip, at) => `${ip},rule number ${at}` },
  ndjson: {
    type: "application/x-ndjson",
    head: "",
    line: (ip, at) => `{"ip":"${ip}","name":"rule number ${at}","expires_at":"2031-01-01T00:00:00Z"}`,
  },
};

function bodyOf(format: string, round: number): { body: string; count: number } {
  const { head, line } = FORMATS[format]!;
  const all = [...new Set(addresses(round))];
  return { body: head + all.map(line).join("\n"), count: all.length };
}

async function send(
  method: string,
  where: string,
  format: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<any> {
  const response = await fetch(path + where, {
    method,
    body,
    headers: { "X-API-Key": key, "Content-Type": FORMATS[format]!.type, ...headers },
  });
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 300));
  return JSON.parse(text);
}

test("replaced again and again", async () => {
  let before = 10;
  // The last one stays for the tests below.
  const formats = [...["text", "ndjson", "csv"].entries()].slice(rounds({ short: 2, long: 0 }));
  for (const [round, format] of formats) {
    const { body, count } = bodyOf(format, round);
    assert.deepEqual(await send("PUT", "?max_shrink=100", format, body), {
      added: count,
      updated: 0,
      removed: before,
      unchanged: 0,
      can_undo: true,
      dry_run: false,
    });
    before = count;
  }
  const [round, format] = formats.at(-1)!;
  const { body, count } = bodyOf(format, round);
  assert.deepEqual(await send("PUT", "", format, body), {
    added: 0,
    updated: 0,
    removed: 0,
    unchanged: count,
    can_undo: true,
    dry_run: false,
  });
});

test("a dry run lists the first rules of each kind, and counts all", async () => {
  const { body, count } = bodyOf("ndjson", 2);
  const { plan, ...counts } = await send("PUT", "?dry_run=true", "ndjson", body);
  assert.deepEqual(counts, {
    added: 0,
    updated: count,
    removed: 0,
    unchanged: 0,
    can_undo: true,
    dry_run: true,
    refusal: null,
  });
  assert.deepEqual([plan.added.length, plan.updated.length, plan.removed.length, plan.truncated], [0, 1000, 0, true]);
  const { plan: small } = await send("PUT", "?dry_run=true", "csv", bodyOf("csv", 2).body);
  assert.deepEqual(small, { added: [], updated: [], removed: [], truncated: false });
});

test("imported with an idempotency key: the same body gets the first response again, another body is rejected", async () => {
  const { body, count } = bodyOf("csv", 2);
  const headers = { "Idempotency-Key": "one" };
  const first = await send("POST", ":import?conflict_resolution=override", "csv", body, headers);
  assert.deepEqual(first, { created: 0, updated: count, skipped: 0, can_undo: true });
  assert.deepEqual(await send("POST", ":import?conflict_resolution=override", "csv", body, headers), first);
  const other = await fetch(`${path}:import?conflict_resolution=override`, {
    method: "POST",
    body: `${body}x`,
    headers: { "X-API-Key": key, "Content-Type": "text/csv", ...headers },
  });
  assert.equal(other.status, 422);
});

test("exported in every format", async () => {
  const { count } = bodyOf("csv", 2);
  for (const format of Object.keys(FORMATS)) {
    const response = await fetch(`${path}:export?format=${format}`, { headers: { "X-API-Key": key } });
    const lines = (await response.text()).trimEnd().split("\n").length;
    assert.equal(lines, count + (format === "csv" ? 1 : 0));
  }
});
