import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { untilItAnswers } from "./consumer.ts";

/** The blackhole routes of a BIRD that runs with `bird.conf` from the folder, in a network namespace of its own. */
export async function routesOf(folder: string): Promise<string[]> {
  const socket = join(folder, "bird.ctl");
  const options = ["-n", "bird", "-f", "-c", join(folder, "bird.conf"), "-s", socket, "-P", join(folder, "bird.pid")];
  const child = spawn("unshare", options, { stdio: "ignore" });
  const ended = once(child, "close");
  try {
    const listing = await untilItAnswers(child, async () => {
      const { status, stdout } = spawnSync("birdc", ["-s", socket, "show", "route"], { encoding: "utf8" });
      if (status !== 0) throw new Error(stdout);
      return stdout;
    });
    return [...listing.matchAll(/^(\S+\/\d+)\s+blackhole /gm)].map(([, prefix]) => prefix!);
  } finally {
    child.kill();
    await ended;
  }
}
