import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";

/**
 * Microseconds: a short period, so that a server that has used up its share continues before anything regards it as
 * stuck.
 */
const PERIOD = 10_000;

/**
 * A folder of the processor's control groups, and what to write into it: version 1 has a hierarchy for each resource,
 * version 2 one for all.
 */
const VERSIONS = [
  {
    root: "/sys/fs/cgroup/cpu",
    settingsOf: (quota: number) => ({ "cpu.cfs_period_us": PERIOD, "cpu.cfs_quota_us": quota }),
  },
  { root: "/sys/fs/cgroup", settingsOf: (quota: number) => ({ "cpu.max": `${quota} ${PERIOD}` }) },
] as const;

/** Why no share of a processor can be set here; false if it can. */
export function whyNoLimit(): false | string {
  if (process.getuid?.() !== 0) return "only root may limit a process to a share of a processor";
  return versionHere() === undefined ? "the system has no control group of the processor" : false;
}

/** Limits a process, with its present and future threads, to this share of one processor. */
export function limitProcessor(pid: number, share: number): { remove(): void } {
  const version = versionHere();
  if (version === undefined) throw new Error("the system has no control group of the processor");
  const folder = `${version.root}/ipsieve-${pid}`;
  mkdirSync(folder);
  for (const [name, value] of Object.entries(version.settingsOf(Math.round(PERIOD * share))))
    writeFileSync(`${folder}/${name}`, String(value));
  writeFileSync(`${folder}/cgroup.procs`, String(pid));
  return { remove: () => rmdirSync(folder) };
}

function versionHere(): (typeof VERSIONS)[number] | undefined {
  const [first, second] = VERSIONS;
  if (existsSync(`${first.root}/cpu.cfs_quota_us`) || existsSync(`${first.root}/cgroup.procs`)) return first;
  return existsSync(`${second.root}/cgroup.controllers`) ? second : undefined;
}
