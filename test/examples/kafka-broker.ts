import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { run } from "../tools.ts";
import { until } from "../until.ts";

/** The files that `npm run examples:setup` gets from Maven. */
export const LIBRARIES = join(import.meta.dirname, "../../tools/kafka-broker/libs");
export const JAVA = ["-Xmx512m", "-cp", join(LIBRARIES, "*")];
const CLUSTER = "aXBzaWV2ZS10ZXN0LWthZg";

/** A Kafka broker, which is its own controller, on the loopback interface. */
export interface KafkaBroker {
  readonly address: string;
  /** Kills the broker and starts it again on the same data. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

export async function startKafka(folder: string): Promise<KafkaBroker> {
  const [port, controllerPort] = [await freePort(), await freePort()];
  const address = `127.0.0.1:${port}`;
  const file = join(folder, "server.properties");
  const settings = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://${address},CONTROLLER://127.0.0.1:${controllerPort}`,
    "advertised.listeners": `PLAINTEXT://${address}`,
    "controller.listener.names": "CONTROLLER",
    "log.dirs": join(folder, "data"),
    "offsets.topic.replication.factor": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "group.initial.rebalance.delay.ms": 0,
  };
  writeFileSync(
    file,
    Object.entries(settings)
      .map((setting) => setting.join("="))
      .join("\n"),
  );
  const { code, output } = await run("java", [...JAVA, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", file]);
  if (code !== 0) throw new Error(`Kafka's storage cannot be formatted: ${output}`);
  let child = await start(file, folder, port);
  const end = async (): Promise<void> => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  return {
    address,
    restart: async () => {
      await end();
      child = await start(file, folder, port);
    },
    end,
  };
}

async function start(file: string, folder: string, port: number): Promise<ChildProcess> {
  const log = join(folder, "broker.log");
  const descriptor = openSync(log, "a");
  const child = spawn("java", [...JAVA, "kafka.Kafka", file], { stdio: ["ignore", descriptor, descriptor] });
  await until("Kafka listens", async () => {
    if (child.exitCode !== null) throw new Error(`Kafka ended: ${readFileSync(log, "utf8")}`);
    const socket = connect(port, "127.0.0.1");
    const isUp = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isUp;
  });
  return child;
}
