import { join } from "node:path";
import { ImportError } from "../cbs/importers/import-error.ts";
import type { SourceFile } from "../cbs/importers/sources.ts";
import type { MatchId } from "../table/match-id.ts";
import { NetworksBuilder } from "../networks/networks-builder.ts";
import { NetworksError } from "../networks/networks-error.ts";
import { NETWORKS_KIND } from "../networks/networks-kind.ts";
import { Networks, type NetworksSource } from "../networks/networks.ts";
import { IPTOASN_TABLE, readTable } from "../networks/published-tables.ts";
import { openSnapshot } from "../snapshot/open-snapshot.ts";
import { SnapshotError } from "../snapshot/snapshot-error.ts";
import { writeSnapshot } from "../snapshot/write-snapshot.ts";
import { freeze } from "../table/freeze.ts";
import type { FoundList, ListOrigin } from "./list-origin.ts";
import { makeFolder } from "./list-store.ts";
import { UpdateError } from "./update-error.ts";
import { takeLock } from "./update-lock.ts";

/** The id of the networks among sources, in options. */
export const NETWORKS_ID = "networks";

/** IPtoASN's table of both families, as its publisher offers it. */
export const NETWORKS_FILE: Omit<SourceFile, "importer"> = {
  path: "networks/ip2asn-combined.tsv",
  url: "https://iptoasn.com/data/ip2asn-combined.tsv.gz",
  isGzip: true,
};

const SOURCE: Pick<NetworksSource, "name" | "url" | "license" | "attribution"> = {
  name: "IPtoASN",
  url: "https://iptoasn.com",
  license: "PDDL-1.0",
  attribution: null,
};

export interface NetworksUpdateOptions {
  /** The folder of everything that is kept; created if necessary. */
  readonly home: string;
  /** The networks that are used as long as none were fetched: what the first ones are compared with. */
  readonly base: string;
  readonly origin: Pick<ListOrigin, "fetch">;
  /** Whether they are accepted however much they have changed. */
  readonly accepts: boolean;
  /** Maximum share of the addresses whose AS number may differ from before, 0 to 1. */
  readonly maxChange: number;
}

/** The outcome: as that of a list. */
export interface NetworksReport {
  readonly path: string;
  readonly outcome: "new" | "changed" | "unchanged" | "refused" | "failed" | "absent";
  readonly problem: string | null;
  readonly code: string | null;
  readonly as_numbers: number | null;
  readonly ipv4: number | null;
  readonly ipv6: number | null;
}

/**
 * Fetches the table of networks and puts it in place of the last one, as a whole, if it passes the guards; otherwise the
 * last good one stays. @throws UpdateError "locked", "unwritable", SnapshotError
 */
export async function updateNetworks(options: NetworksUpdateOptions): Promise<NetworksReport> {
  await makeFolder(options.home);
  const release = await takeLock(join(options.home, "update.lock"));
  try {
    return await fetchNetworks(options);
  } catch (error) {
    if (error instanceof UpdateError && error.code !== "unwritable")
      return reportOf("failed", { problem: error.message, code: error.code });
    if (error instanceof NetworksError || error instanceof ImportError)
      return reportOf("refused", { problem: error.message, code: error.code });
    throw error;
  } finally {
    await release();
  }
}

async function fetchNetworks(options: NetworksUpdateOptions): Promise<NetworksReport> {
  const path = join(options.home, "networks.ipsieve");
  const own = await openIfThere(path);
  const found = await options.origin.fetch(NETWORKS_FILE as SourceFile, undefined);
  if (found === undefined || found === "same") return reportOf("absent");
  const { networks, write } = readNetworks(found);
  const before = own ?? (await openIfThere(options.base));
  const rejection = before === null ? null : unusual(before, networks, options, own === null);
  if (rejection !== null) return reportOf("refused", rejection);
  const isSame =
    own !== null && changedShare(own, networks) === 0 && own.table.prefixCount(4) === networks.table.prefixCount(4);
  await write(path);
  return reportOf(own === null ? "new" : isSame ? "unchanged" : "changed", {
    as_numbers: networks.asnCount,
    ipv4: networks.table.prefixCount(4),
    ipv6: networks.table.prefixCount(6),
  });
}

function readNetworks({ text, lastModified, fetchedAt }: FoundList) {
  const builder = new NetworksBuilder();
  readTable(text, IPTOASN_TABLE, NETWORKS_FILE.path, (range) => builder.add(range));
  const at = lastModified === null ? fetchedAt : new Date(lastModified);
  const source = { ...SOURCE, version: null, publishedAt: at.toISOString() };
  const { source: prefixes, metadata } = builder.build({
    title: "Networks by AS number",
    createdAt: at,
    sources: [source],
  });
  const table = freeze(prefixes);
  const content = { table, metadata, kind: NETWORKS_KIND, createdAt: at };
  return { networks: new Networks(metadata, table), write: (path: string) => writeSnapshot(path, content) };
}

/** Why networks are not accepted; null if they are. */
function unusual(
  before: Networks,
  after: Networks,
  { accepts, maxChange }: NetworksUpdateOptions,
  isFirst: boolean,
): Pick<NetworksReport, "code" | "problem"> | null {
  if (accepts) return null;
  const cure = `check it, then accept it with --accept ${NETWORKS_ID}`;
  if (2 * after.asnCount < before.asnCount)
    return {
      code: "half",
      problem: `it has ${after.asnCount} AS numbers, less than half of the ${before.asnCount} before; ${cure}`,
    };
  // Another publisher's table is compared by its size alone: it may name other numbers for the same organisations.
  const share = isFirst ? 0 : changedShare(before, after);
  if (share <= maxChange) return null;
  const percent = `${Math.round(100 * share)} %`;
  return { code: "changed", problem: `${percent} of the prefixes have another AS number than before; ${cure}` };
}

/** The share of the prefixes whose first address has another AS number than before, or had none. */
function changedShare(before: Networks, after: Networks): number {
  let [count, changed] = [0, 0];
  for (const family of [4, 6] as const)
    for (const { prefix, match } of after.table.entries(family)) {
      count++;
      const old = before.table.lookupAddress(prefix);
      if (old === 0 || before.ownerOf(old).asn !== after.ownerOf(match as MatchId).asn) changed++;
    }
  return count === 0 ? 1 : changed / count;
}

/** Networks that cannot be read are nothing to compare with: the new ones replace them. */
async function openIfThere(path: string): Promise<Networks | null> {
  try {
    const { metadata, table, info } = await openSnapshot(path);
    if (info.kind !== NETWORKS_KIND) return null;
    const networks = new Networks(metadata, table);
    networks.checkContents();
    return networks;
  } catch (error) {
    if (error instanceof SnapshotError || error instanceof NetworksError) return null;
    throw error;
  }
}

function reportOf(outcome: NetworksReport["outcome"], more: Partial<NetworksReport> = {}): NetworksReport {
  return {
    path: NETWORKS_FILE.path,
    outcome,
    problem: null,
    code: null,
    as_numbers: null,
    ipv4: null,
    ipv6: null,
    ...more,
  };
}
