import type { PeerAnswers, PeerQuestion, PeerQuestions, Peers } from "../../service/processes/peers.ts";
import type { RemoteWriter, WriterReply } from "../../store/sqlite/file-writer.ts";
import type { WritingMethod } from "../../store/sqlite/messages.ts";
import type { EndSignal } from "../end-signals.ts";
import type { Start, FromProcess, ToProcess } from "./messages.ts";

/** Milliseconds between signs of life while the process starts. */
const SIGN_OF_LIFE = 10_000;

/** In a process of `serve --processes`: its connection to the supervisor that started it, and through that to the others. */
export class ProcessLink implements Peers, RemoteWriter {
  readonly areThere = true;
  /** Set when `open` resolves. */
  start!: Start;
  readonly #asked = new Map<number, (answers: readonly unknown[]) => void>();
  readonly #signs = setInterval(() => send({ kind: "alive" }), SIGN_OF_LIFE).unref();
  readonly #writing = new Map<number, (reply: WriterReply) => void>();
  #last = 0;
  #hint = (): void => {};
  #answers: PeerAnswers | undefined;
  #reload = (): void => {};
  /** Until there are requests to finish: ends the process. */
  #end: (signal: EndSignal) => void = () => process.exit();

  /** Resolves when the process knows its number. */
  static async open(): Promise<ProcessLink> {
    const link = new ProcessLink();
    await new Promise<void>((resolve) => {
      process.on("message", (message: ToProcess) => {
        if (message.kind !== "begin") return link.#received(message);
        link.start = message;
        resolve();
      });
      send({ kind: "hello" });
    });
    return link;
  }

  get isFirst(): boolean {
    return this.start.number === 1;
  }

  ask<Name extends PeerQuestion>(
    name: Name,
    argument: PeerQuestions[Name]["argument"],
  ): Promise<readonly PeerQuestions[Name]["answer"][]> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve as (answers: readonly unknown[]) => void);
      send({ kind: "ask", id, name, argument });
    });
  }

  answer(answers: PeerAnswers): void {
    this.#answers = answers;
  }

  call(method: WritingMethod, argument: unknown): Promise<WriterReply> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#writing.set(id, resolve);
      send({ kind: "write", id, method, argument });
    });
  }

  onChange(hint: () => void): void {
    this.#hint = hint;
  }

  /** Reports that the process listens. */
  ready(text: string): void {
    clearInterval(this.#signs);
    send({ kind: "ready", text });
  }

  /** Calls `reload` at every SIGHUP of the server. */
  onReload(reload: () => void): void {
    // A terminal sends its signals to all processes; this one acts on what the supervisor passes on.
    process.on("SIGHUP", () => {});
    this.#reload = reload;
  }

  /** Like the function `firstSignal`, for signals to the server. SIGTERM also ends this process alone. */
  firstSignal(again: (signal: EndSignal) => void): Promise<EndSignal> {
    process.on("SIGINT", () => {});
    return new Promise((resolve) => {
      process.on("SIGTERM", () => resolve("SIGTERM"));
      let isEnding = false;
      this.#end = (signal) => {
        if (isEnding) again(signal);
        isEnding = true;
        resolve(signal);
      };
    });
  }

  /** Lets the process end when nothing else keeps it alive. */
  close(): void {
    process.channel?.unref();
  }

  #received(message: Exclude<ToProcess, { kind: "begin" }>): void {
    if (message.kind === "end") return this.#end(message.signal);
    if (message.kind === "reload") return this.#reload();
    if (message.kind === "asked") return void this.#answer(message);
    if (message.kind === "changed") return this.#hint();
    if (message.kind === "written") return take(this.#writing, message.id)?.(message.reply);
    take(this.#asked, message.id)?.(message.answers);
  }

  /** If a question fails here, the others get no answer of this process. */
  async #answer({ id, name, argument }: Extract<ToProcess, { kind: "asked" }>): Promise<void> {
    const answer = this.#answers?.[name as PeerQuestion] as ((argument: unknown) => unknown) | undefined;
    try {
      send({ kind: "answer", id, answer: await answer?.(argument) });
    } catch {
      send({ kind: "answer", id, answer: undefined });
    }
  }
}

function take<Value>(waiting: Map<number, Value>, id: number): Value | undefined {
  const found = waiting.get(id);
  waiting.delete(id);
  return found;
}

/** If the supervisor has ended, so does this process, also if it ends while the message is sent. */
function send(message: FromProcess): void {
  if (process.connected) process.send!(message, () => {});
}
