import { spawnSync } from "node:child_process";
import { reportFromNamespace } from "./report-from-namespace.ts";

export interface PartitionOptions {
  readonly rounds: number;
  readonly seed: number;
  /** With `early`, a write counts as acknowledged when it is sent: the negative control, which must lose some. */
  readonly timing: "honest" | "early";
}

export interface PartitionReport {
  /** By direction, and by whether the server that was cut off was writing. */
  readonly rounds: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  /** Acknowledged writes that are missing at one of the two servers or at a third one. */
  readonly lost: readonly string[];
  /**
   * Responses of a server that was cut off which claimed that newer rules, those of another server, were the same as
   * its own.
   */
  readonly claimedFresh: number;
  /** Writes that were executed although the rules had changed since the tag that they named. */
  readonly staleWrites: number;
  /**
   * Writes that a server acknowledged while nothing passed between it and the database in at least one direction: then
   * it was not a partition.
   */
  readonly acrossPartition: number;
  /** Rounds in which the server that was not cut off had to wait for a transaction of the other's. */
  readonly othersWaited: number;
  /**
   * The rounds among these in which it waited for longer than a server tries: then all writes of all servers would be
   * rejected.
   */
  readonly othersBlocked: number;
  /** Statuses of writes other than 201 and 503. */
  readonly otherRefusals: readonly number[];
  /**
   * The maximum of milliseconds from the end of a partition until the server knew what the other had written in the
   * meantime.
   */
  readonly slowestCatchUp: number;
}

/** Why packets cannot be filtered here; false if they can. */
export function whyNoPartitions(): false | string {
  if (process.platform !== "linux") return "network namespaces are Linux's";
  if (process.getuid?.() !== 0) return "only root may make a network namespace and filter packets in it";
  const probe = spawnSync("unshare", ["--net", "sh", "-c", "ip link set lo up && nft list ruleset"], {
    encoding: "utf8",
  });
  return probe.status === 0
    ? false
    : `ip (iproute2), nft (nftables) and unshare are needed: ${probe.stderr ?? probe.error?.message}`;
}

/**
 * Cuts servers off from their database with a packet filter: a process that is alone in a network namespace does it,
 * and reports.
 */
export function runPartitions(options: PartitionOptions): PartitionReport {
  return reportFromNamespace("./partitioned.ts", options);
}

export function holdsInPartitions({
  lost,
  claimedFresh,
  staleWrites,
  acrossPartition,
  othersBlocked,
  otherRefusals,
}: PartitionReport): boolean {
  return lost.length + claimedFresh + staleWrites + acrossPartition + othersBlocked + otherRefusals.length === 0;
}
