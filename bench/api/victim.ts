/** The process of the victim, `fork`ed: it sends at a fixed rate, with or without responses, until it is stopped. */
import { LoadConnection } from "./load-connection.ts";
import type { VictimOrder, VictimReport } from "./neighbour-messages.ts";

/** Milliseconds. */
const TICK = 1;
const RECONNECT = 100;
/** How long responses are awaited after the end: longer than any stall that the bench must show. */
const PATIENCE = 60_000;
/** How long after the end requests are still sent until enough have been served: a busy machine may be late. */
const MORE_WITHIN = 20_000;

/**
 * What is due waits for a free connection, and its time runs from then on: a server that blocks delays everything that
 * would have been sent meanwhile.
 */
class Victim {
  readonly #order: VictimOrder;
  readonly #free: LoadConnection[] = [];
  readonly #due: number[] = [];
  readonly #latencies: number[] = [];
  readonly #refused: Record<string, number> = {};
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  #answered = 0;
  #isStopped = false;

  constructor(order: VictimOrder) {
    this.#order = order;
    for (let index = 0; index < order.connections; index++) void this.#connect();
    this.#timer = setInterval(() => this.#tick(), TICK);
  }

  async stop(): Promise<VictimReport> {
    await until(() => this.#latencies.length >= this.#order.minServed, MORE_WITHIN);
    this.#isStopped = true;
    await until(() => this.#answered >= this.#sent, PATIENCE);
    clearInterval(this.#timer);
    for (const connection of this.#free) connection.close();
    const sorted = Float64Array.from(this.#latencies).sort();
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
    return {
      sent: this.#sent,
      served: sorted.length,
      p50: at(0.5),
      p99: at(0.99),
      longest: at(1),
      refused: { ...this.#refused, ...this.#unanswered() },
    };
  }

  #unanswered(): Record<string, number> {
    const missing = this.#sent - this.#answered;
    return missing === 0 ? {} : { none: (this.#refused["none"] ?? 0) + missing };
  }

  #tick(): void {
    const now = performance.now();
    const wanted = Math.floor(((now - this.#startedAt) / 1000) * this.#order.perSecond);
    for (; !this.#isStopped && this.#sent < wanted; this.#sent++) this.#due.push(now);
    this.#sendDue();
  }

  #sendDue(): void {
    while (this.#due.length > 0 && this.#free.length > 0) this.#send(this.#free.pop()!, this.#due.shift()!);
  }

  #send(connection: LoadConnection, dueAt: number): void {
    const { requests } = this.#order;
    connection.ask(
      requests[this.#answered % requests.length]!,
      (status) => {
        this.#answered++;
        if (status === 200) this.#latencies.push(performance.now() - dueAt);
        else this.#refuse(String(status));
        this.#free.push(connection);
        this.#sendDue();
      },
      () => {
        this.#answered++;
        this.#refuse("none");
        connection.close();
        void this.#connect();
      },
    );
  }

  #refuse(status: string): void {
    this.#refused[status] = (this.#refused[status] ?? 0) + 1;
  }

  /** Again and again while there is no one to connect to. */
  async #connect(): Promise<void> {
    for (;;) {
      try {
        this.#free.push(await LoadConnection.open(this.#order.port));
        return this.#sendDue();
      } catch {
        if (this.#isStopped) return;
        await new Promise((resolve) => setTimeout(resolve, RECONNECT));
      }
    }
  }
}

/** Waits for something, but not forever. */
async function until(isSo: () => boolean, limit: number): Promise<void> {
  const deadline = performance.now() + limit;
  while (!isSo() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
}

let victim: Victim | undefined;
process.on("message", (message: VictimOrder | "stop") => {
  if (message !== "stop") victim = new Victim(message);
  else void victim!.stop().then((report) => process.send!(report));
});
