/** The process that sends requests: `fork`ed, because a process that also responded or counted would measure itself. */
import { LoadConnection } from "./load-connection.ts";
import type { LoadMessage, LoadOrder, LoadReport } from "./load-messages.ts";

async function run({
  port,
  connections,
  milliseconds,
  requests,
  greeting,
  rate = Infinity,
  isAwake = false,
}: LoadOrder): Promise<LoadReport> {
  const ports = [port].flat();
  const open = (index: number) => LoadConnection.open(ports[index % ports.length]!);
  const opened = await Promise.all(Array.from({ length: connections }, (_, index) => open(index)));
  if (greeting !== undefined) await Promise.all(opened.map((connection) => greet(connection, greeting)));
  say("begun");
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const start = performance.now();
  const end = start + milliseconds;
  let [due, sent, withoutRetryAfter, reconnected] = [0, 0, 0, 0];
  const stayAwake = (): void => void (performance.now() < end && setImmediate(stayAwake));
  if (isAwake) stayAwake();
  const askUntilEnd = (index: number, place: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const ask = (): void => {
        const wait = start + (due++ * 1000) / rate - performance.now();
        if (wait > 1) return void setTimeout(send, wait);
        send();
      };
      const send = (): void => {
        const sentAt = performance.now();
        if (sentAt >= end) return resolve();
        sent++;
        const connection = opened[index]!;
        connection.ask(
          requests[place++ % requests.length]!,
          (status) => {
            latencies.push(performance.now() - sentAt);
            statuses[status] = (statuses[status] ?? 0) + 1;
            if ((status === 503 || status === 429) && !connection.hasRetryAfter) withoutRetryAfter++;
            if (connection.isLast) reconnect().then(ask, reject);
            else ask();
          },
          reject,
        );
      };
      // As for clients, a response before the end of a body may end the connection.
      const reconnect = async (): Promise<void> => {
        opened[index]!.close();
        opened[index] = await open(index);
        reconnected++;
      };
      ask();
    });
  await Promise.all(opened.map((_, index) => askUntilEnd(index, Math.floor((index * requests.length) / connections))));
  const seconds = (performance.now() - start) / 1000;
  for (const connection of opened) connection.close();
  return {
    seconds,
    sent,
    answers: latencies.length,
    statuses,
    withoutRetryAfter,
    reconnected,
    ...quantiles(latencies),
  };
}

function greet(connection: LoadConnection, greeting: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => connection.ask(greeting, resolve, reject));
}

function quantiles(latencies: readonly number[]): Pick<LoadReport, "median" | "p99" | "longest"> {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return { median: at(0.5), p99: at(0.99), longest: at(1) };
}

function say(message: LoadMessage): void {
  process.send!(message);
}

process.on("message", (order: LoadOrder) => {
  run(order).then(
    (report) => say({ report }),
    (error: Error) => say({ error: error.stack ?? String(error) }),
  );
});
