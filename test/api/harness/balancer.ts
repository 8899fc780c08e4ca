import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import { until } from "../../until.ts";

const CONFIGURATION = join(import.meta.dirname, "../../../packaging/compose/haproxy.cfg");

export interface Balancer {
  readonly port: number;
  readonly process: { readonly pid: number };
  end(): Promise<void>;
}

/** HAProxy as the compose file has it, but without TLS and Docker's names, in front of servers on these ports. */
export async function startBalancer(folder: string, ports: readonly number[]): Promise<Balancer> {
  const port = await freePort();
  const file = join(folder, `balancer-${port}.cfg`);
  const servers = ports.map((each) => `server on-${each} 127.0.0.1:${each}`).join("\n  ");
  writeFileSync(file, configuration(`bind 127.0.0.1:${port}`, servers));
  const child = spawn("haproxy", ["-db", "-f", file], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  await until("HAProxy listens", async () => {
    if (child.exitCode !== null) throw new Error(`haproxy ended with exit code ${child.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    const isUp = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isUp;
  });
  return {
    port,
    process: { pid: child.pid! },
    end: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
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
