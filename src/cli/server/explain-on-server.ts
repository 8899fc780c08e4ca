import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import type { Explanation } from "../../client/client.ts";
import type { Arguments } from "../runner/command.ts";
import type { ExplainedAddress } from "./explained-address.ts";
import { inGroups } from "../input/in-groups.ts";
import { readPrefixes } from "../input/read-prefixes.ts";
import { ServiceConnection } from "./service-connection.ts";
import { UsageError } from "../runner/usage-error.ts";

/** Addresses of a request; a server accepts 10,000 by default. */
const MAX_EXPLAINED = 1000;
/** Options about files, which a server does not read. */
const OF_FILES = ["rules", "allow", "snapshot", "networks", "now"];

/** Whether the command asks a server: one is named, or one is set and no files are given. */
export function isAboutServer(args: Arguments): boolean {
  const { IPSIEVE_SERVER = "" } = process.env;
  return args.has("server") || (IPSIEVE_SERVER !== "" && !args.has("rules") && !args.has("allow"));
}

/**
 * What the rulesets of a server say about the operands, in order; malformed ones are reported and passed to `onError`.
 * Throws UsageError, also for what the server rejects.
 */
export async function* explainOnServer(args: Arguments, onError: () => void): AsyncGenerator<ExplainedAddress> {
  for (const option of OF_FILES)
    if (args.has(option))
      throw new UsageError(`--${option} is for rules in files; leave it out, or leave out --server`);
  const connection = new ServiceConnection(args);
  for await (const ips of inGroups(readPrefixes(args.operands, onError), MAX_EXPLAINED)) {
    const body = { ips };
    const found = await connection.use((client) => client.post("/v1/edl/ip-rulesets:explain", { body }));
    for (const ip of ips) yield explainedAddress((found as Readonly<Record<string, Explanation>>)[ip]!);
  }
}

const VERDICTS = { allow: "allowed", block: "blocked", none: "none" } as const;

function explainedAddress({
  ip,
  decision,
  rulesets,
  deployments,
  cbs,
  contradicted_by,
  ...rest
}: Explanation): ExplainedAddress {
  return {
    ip: formatPrefix(parsePrefix(ip)),
    verdict: VERDICTS[decision],
    next_change_at: rest.next_change_at,
    services: cbs?.cbs_ids ?? [],
    network: cbs?.network ?? null,
    lists: rulesets.map(({ name, purpose, next_change_at, covered_until, rules }) => ({
      list: name,
      purpose,
      next_change_at,
      covered_until,
      rules: rules.map(({ ip: prefix, name: ofRule, expires_at, role }) => ({
        ip: prefix,
        name: ofRule,
        expires_at,
        role,
      })),
    })),
    deployments,
    contradicted_by,
  };
}
