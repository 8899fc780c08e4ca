import { Random } from "../../snapshot/harness/sample.ts";
import { ask, type TestServer } from "../start-server.ts";

export interface ExpiryOptions {
  readonly server: TestServer;
  readonly key: string;
  readonly random: Random;
  readonly rules: number;
  /** How many rules expire in the same millisecond. */
  readonly together: number;
}

export interface ExpiryReport {
  readonly rules: number;
  /** Rules that were read one millisecond before, at, and after their expiry. */
  asked: number;
  wrong: number;
}

/**
 * Fills a ruleset with rules of known expiries, and reads each of them around its expiry: by check, by list, and by
 * count.
 */
export async function expireExactly({ server, key, random, rules, together }: ExpiryOptions): Promise<ExpiryReport> {
  const report: ExpiryReport = { rules, asked: 0, wrong: 0 };
  const start = server.clock.now;
  const { body: ruleset } = await ask(server, "POST", "/v1/edl/ip-rulesets/", {
    key,
    body: { name: "expiry", purpose: "blocklist" },
  });
  const path = `/v1/edl/ip-rulesets/${ruleset.id}`;
  const groups = Array.from({ length: rules / together }, (_, group) => ({
    expiresAt: start + 10 * (group + 1),
    ips: Array.from({ length: together }, (_, index) => addressOf(group * together + index)),
  }));
  const lines = groups.flatMap(({ expiresAt, ips }) =>
    ips.map((ip) => JSON.stringify({ ip, expires_at: new Date(expiresAt).toISOString() })),
  );
  const { status, text } = await ask(server, "PUT", `${path}/rules`, {
    key,
    headers: { "Content-Type": "application/x-ndjson" },
    body: lines.join("\n"),
  });
  if (status !== 200) throw new Error(text);
  const askAt = async (group: number, offset: number): Promise<void> => {
    const { expiresAt, ips } = groups[group]!;
    server.clock.now = expiresAt + offset;
    const gone = (group + (offset < 0 ? 0 : 1)) * together;
    const counted = (await ask(server, "GET", path, { key })).body;
    const listed = (await ask(server, "GET", `${path}/rules?active_only=true&page_size=1`, { key })).body;
    const checked = (await ask(server, "POST", `${path}/rules:check`, { key, body: { ips } })).body;
    report.asked += ips.length;
    report.wrong += ips.filter((ip) => checked[ip].matched !== offset < 0).length;
    if (counted.active_rules !== rules - gone || counted.total_rules !== rules || listed.count !== rules - gone)
      report.wrong++;
  };
  // Back and forth in time: clocks may step back.
  const order = groups.map((_, group) => group).sort(() => random.below(3) - 1);
  for (const group of order) for (const offset of [-1, 0, 1]) await askAt(group, offset);
  server.clock.now = start;
  return report;
}

function addressOf(number: number): string {
  return `100.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}
