import { openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ListeningProgram, startListening } from "../api/harness/start-listening.ts";
import { freePort } from "../free-port.ts";
import { run } from "../tools.ts";

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
  let broker = await start(file, folder, port);
  return {
    address,
    restart: async () => {
      await broker.end();
      broker = await start(file, folder, port);
    },
    end: () => broker.end(),
  };
}

function start(file: string, folder: string, port: number): Promise<ListeningProgram> {
  const log = join(folder, "broker.log");
  return startListening("java", [...JAVA, "kafka.Kafka", file], port, openSync(log, "a")).catch((cause) => {
    throw new Error(`Kafka does not listen: ${readFileSync(log, "utf8")}`, { cause });
  });
}
