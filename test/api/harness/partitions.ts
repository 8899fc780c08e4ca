import { spawnSync } from "node:child_process";
import { reportFromNamespace } from "./report-from-namespace.ts";

export interface PartitionOptions {
  readonly rounds: number;
  readonly seed: number;
  /** With `early`, a write counts as acknowledged when it is sent: the negative control, which must lose some. */
  readonly timing: "honest" | "early";
}

export interface PartitionReport {
  /** By direction, and whether the server that was cut off was writing. */
  readonly rounds: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  /** Acknowledged writes that are missing at one of the two servers or at a third one. */
  readonly lost: readonly string[];
  /**
   * Answers of a server that was cut off by which the rules of another server, newer ones, were the same as its own.
   */
  readonly claimedFresh: number;
  /** Writes that were executed although the rules had changed since the tag that they named. */
  readonly staleWrites: number;
  /**
   * Writes that a server acknowledged while nothing went between it and the database in one direction at least: then
   * the partition was none.
   */
  readonly acrossPartition: number;
  /** Rounds in which the server that was not cut off had to wait for a transaction of the other's. */
  readonly othersWaited: number;
  /**
   * Of these, the rounds in which it waited for longer than a server tries: then all writes of all servers would be
   * rejected.
   */
  readonly othersBlocked: number;
  /** Answers to writes that are neither 201 nor 503. */
  readonly otherRefusals: readonly number[];
  /** Milliseconds from the end of a partition until the server knew what the other had written meanwhile, at most. */
  readonly slowestCatchUp: number;
}

/** Why no packets can be filtered here; false: they can. */
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
 * Cuts servers off from their database by a packet filter, in a network namespace of its own: a process that is alone
 * in it does it, and reports.
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
