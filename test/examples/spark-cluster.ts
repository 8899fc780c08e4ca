import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { type Run, run } from "../tools.ts";
import { until } from "../until.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/spark");
export const PYTHON = join(EXAMPLE, ".venv/bin/python");

/** A Spark master and its workers, each in a process of its own on the loopback interface, with one core. */
export interface SparkCluster {
  /** Runs a Python program on the cluster, with `spark-submit`. */
  submit(script: string, args: readonly string[], settings?: Readonly<Record<string, string>>): Promise<Run>;
  /** Ids of the workers and of the processes below them whose command line contains this text. */
  processes(what: string): number[];
  close(): Promise<void>;
}

export async function startSpark(folder: string, { workers }: { readonly workers: number }): Promise<SparkCluster> {
  const sparkHome = (await run(PYTHON, ["-c", "import pyspark; print(pyspark.__path__[0])"])).stdout.trim();
  const environment = {
    SPARK_HOME: sparkHome,
    SPARK_LOCAL_IP: "127.0.0.1",
    PYSPARK_PYTHON: PYTHON,
    PYTHONWARNINGS: "ignore",
  };
  const port = await freePort();
  const url = `spark://127.0.0.1:${port}`;
  const children: ChildProcess[] = [];
  const startDaemon = (name: string, className: string, args: readonly string[]): string => {
    const log = join(folder, `${name}.log`);
    const descriptor = openSync(log, "w");
    const classArgs = [`org.apache.spark.deploy.${className}`, "--host", "127.0.0.1", "--webui-port", "0", ...args];
    const options = { env: { ...process.env, ...environment }, stdio: ["ignore", descriptor, descriptor] as const };
    children.push(spawn(join(sparkHome, "bin/spark-class"), classArgs, { ...options, stdio: [...options.stdio] }));
    return log;
  };
  const isLogged = (log: string, text: string, what: string) =>
    until(what, () => readFileSync(log, "utf8").includes(text), { every: 100 });

  await isLogged(startDaemon("master", "master.Master", ["--port", String(port)]), "ALIVE", "the master is alive");
  const logs = Array.from({ length: workers }, (_, index) => {
    const work = join(folder, `worker-${index}`);
    return startDaemon(`worker-${index}`, "worker.Worker", ["-c", "1", "-m", "1g", "-d", work, url]);
  });
  for (const log of logs) await isLogged(log, "Successfully registered with master", "a worker is registered");

  const processes = (what: string): number[] =>
    descendants(
      children.map(({ pid }) => pid!),
      what,
    );
  return {
    submit: (script, args, settings = {}) => {
      const settingArgs = Object.entries(settings).flatMap(([name, value]) => ["--conf", `${name}=${value}`]);
      const places = ["--master", url, "--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.ui.enabled=false"];
      return run(join(sparkHome, "bin/spark-submit"), [...places, ...settingArgs, script, ...args], { environment });
    },
    processes,
    close: async () => {
      const ended = children.map((child) => (child.exitCode ?? child.signalCode) === null && once(child, "exit"));
      // Workers end their executors when they end.
      for (const child of children.toReversed()) child.kill("SIGTERM");
      await Promise.all(ended);
    },
  };
}

/** Of these processes and all their descendants (Linux), the ids of those whose command line contains this text. */
function descendants(roots: readonly number[], what: string): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    parents.set(Number(name), parentOf(readQuietly(`/proc/${name}/stat`)));
  const isBelow = (id: number): boolean => roots.includes(id) || (parents.has(id) && isBelow(parents.get(id)!));
  return [...parents.keys()].filter((id) => isBelow(id) && readQuietly(`/proc/${id}/cmdline`).includes(what));
}

const parentOf = (stat: string): number => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);

/** The text of a file of a process; empty if the process has ended. */
function readQuietly(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
