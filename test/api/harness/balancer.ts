import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import { type ListeningProgram, startListening } from "./start-listening.ts";

const CONFIGURATION = join(import.meta.dirname, "../../../packaging/compose/haproxy.cfg");

/** HAProxy as in the compose file, but without TLS and Docker's names, balancing servers on these ports. */
export async function startBalancer(folder: string, ports: readonly number[]): Promise<ListeningProgram> {
  const port = await freePort();
  const file = join(folder, `balancer-${port}.cfg`);
  const servers = ports.map((each) => `server on-${each} 127.0.0.1:${each}`).join("\n  ");
  writeFileSync(file, configuration(`bind 127.0.0.1:${port}`, servers));
  return startListening("haproxy", ["-db", "-f", file], port);
}

function configuration(bind: string, servers: string): string {
  let text = readFileSync(CONFIGURATION, "utf8");
  for (const [from, to] of [
    [/bind .*/g, bind],
    [/server-template .*/g, servers],
    [/\n#[^\n]*\nresolvers [^]*?\n\n/g, "\n"],
  ] as const) {
    if (text.search(from) < 0) throw new Error(`the configuration of HAProxy has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}
