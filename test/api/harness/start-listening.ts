import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { until } from "../../until.ts";

/** A program that listens on a port of 127.0.0.1. */
export interface ListeningProgram {
  readonly port: number;
  readonly process: { readonly pid: number };
  end(): Promise<void>;
}

/** Starts a program that is configured with its port, and waits until it listens there. `log`: takes its output. */
export async function startListening(
  name: string,
  args: readonly string[],
  port: number,
  log?: number,
): Promise<ListeningProgram> {
  const child = spawn(name, args, { stdio: ["ignore", log ?? "ignore", log ?? "inherit"] });
  const ended = once(child, "exit");
  await until(`${name} listens`, () => isListening(child, port));
  return {
    port,
    process: { pid: child.pid! },
    end: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function isListening({ exitCode, spawnfile }: ChildProcess, port: number): Promise<boolean> {
  if (exitCode !== null) throw new Error(`${spawnfile} ended with exit code ${exitCode}`);
  const socket = connect(port, "127.0.0.1");
  const isUp = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isUp;
}
