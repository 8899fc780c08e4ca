import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { fillStore, type FilledStore } from "../../bench/api/fill-store.ts";
import { Random } from "../../bench/data/random.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { until } from "../until.ts";
import { ServiceProcess } from "./harness/service-process.ts";
import { onlyLong } from "../rounds.ts";

const RULES = 60_000;

let folder: ReturnType<typeof temporaryFolder>;
let store: FilledStore;
before(async () => {
  folder = temporaryFolder();
  store = await fillStore(`${folder.path}/store.db`, RULES, new Random(1));
});
after(() => folder.remove());

const start = (...args: string[]) =>
  ServiceProcess.start(
    `${folder.path}/store.db`,
    ["--log-level", "info", "--rules-per-ruleset", String(RULES), ...args],
    { logTo: "pipe" },
  );
const about = (service: ServiceProcess, message: RegExp) => service.logged.find(({ msg }) => message.test(String(msg)));
const untilItShutsDown = (service: ServiceProcess): Promise<void> =>
  until("the server has taken the signal", () => about(service, /^shutting down/) !== undefined);

/** A client that reads only when the test makes it. */
class Client {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #end: Promise<string>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#end = new Promise((resolve) =>
      socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code!)).once("end", () => resolve("end")),
    );
    socket.on("data", (chunk) => this.#received.push(chunk));
  }

  static async open(port: number): Promise<Client> {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    await once(socket, "connect");
    return new Client(socket);
  }

  send(bytes: string): void {
    this.#socket.write(bytes);
  }

  /** Sends the head of a request. */
  ask(line: string, ...headers: string[]): void {
    this.send([`${line}`, "Host: localhost", `X-API-Key: ${store.key}`, ...headers, "", ""].join("\r\n"));
  }

  /** Sends the head of a request whose body follows, and waits until the server has it. */
  async begin(line: string, ...headers: string[]): Promise<void> {
    this.ask(line, ...headers, "Expect: 100-continue");
    await this.readUntil("HTTP/1.1 100 Continue\r\n\r\n");
    this.#received = [];
  }

  /** Waits for the headers of a response, and reads no more. */
  async readHead(): Promise<string> {
    await this.#until(() => this.#all.includes("\r\n\r\n"));
    this.#socket.pause();
    return this.#all.subarray(0, this.#all.indexOf("\r\n\r\n")).toString("latin1");
  }

  async readUntil(text: string): Promise<void> {
    await this.#until(() => this.#all.includes(text));
  }

  /** Reads slowly to the end: "end", or the code of an error. */
  async readSlowly(): Promise<{ how: string; head: string; body: Buffer }> {
    this.#socket.on("data", () => {
      this.#socket.pause();
      setTimeout(() => this.#socket.resume(), 2);
    });
    this.#socket.resume();
    const how = await this.#end;
    const at = this.#all.indexOf("\r\n\r\n");
    return { how, head: this.#all.subarray(0, at).toString("latin1"), body: this.#all.subarray(at + 4) };
  }

  close(): void {
    this.#socket.destroy();
  }

  get #all(): Buffer {
    if (this.#received.length > 1) this.#received = [Buffer.concat(this.#received)];
    return this.#received[0] ?? Buffer.alloc(0);
  }

  async #until(isThere: () => boolean): Promise<void> {
    while (!isThere())
      await Promise.race([
        once(this.#socket, "data"),
        this.#end.then((how) => {
          throw new Error(`the connection ended before: ${how}`);
        }),
      ]);
  }
}

const isRefused = (port: number): Promise<boolean> =>
  Client.open(port).then(
    (client) => (client.close(), false),
    ({ code }: NodeJS.ErrnoException) => code === "ECONNREFUSED",
  );

const length = (head: string): number => Number(/content-length: (\d+)/i.exec(head)?.[1]);
const exportPath = (): string => `/v1/edl/ip-rulesets/${store.rulesetId}/rules:export?format=ndjson`;

describe("SIGTERM", () => {
  test("slow readers get their complete responses, and idle connections are closed", async (t) => {
    const service = await start();
    const wanted = hash(
      "sha256",
      await (
        await fetch(`http://127.0.0.1:${service.port}${exportPath()}`, { headers: { "X-API-Key": store.key } })
      ).bytes(),
    );
    const readers = await Promise.all(Array.from({ length: 4 }, () => Client.open(service.port)));
    for (const reader of readers) reader.ask(`GET ${exportPath()} HTTP/1.1`);
    const sizes = await Promise.all(readers.map(async (reader) => length(await reader.readHead())));
    const idle = await Client.open(service.port);
    idle.ask("GET /livez HTTP/1.1");
    await idle.readUntil("ok\n");
    const exit = service.end("SIGTERM");
    assert.equal((await idle.readSlowly()).how, "end");
    await untilItShutsDown(service);
    const answers = await Promise.all(readers.map((reader) => reader.readSlowly()));
    assert.deepEqual(
      answers.map(({ body, how }) => [body.length, how]),
      sizes.map((size) => [size, "end"]),
    );
    for (const { body } of answers) assert.equal(hash("sha256", body), wanted);
    assert.equal(await exit, 0);
    t.diagnostic(`${answers.length} answers of ${sizes[0]} bytes`);
    assert.ok(sizes[0]! > 8e6, "more than the system holds for a connection");
    assert.equal(about(service, /^shutting down/)?.["requests"], 4);
    assert.equal(about(service, /^shut down/)?.["cut_off"], 0);
  });

  test("uploads are completed: a replacement, a stream of lookups, a body whose response has not begun", async () => {
    const service = await start();
    const [replacement, lookups, chunked] = await Promise.all([1, 2, 3].map(() => Client.open(service.port)));
    const body = JSON.stringify({ rules: [{ ip: "20.1.1.0/24", name: "office" }] });
    await replacement!.begin(
      `PUT /v1/edl/ip-rulesets/${store.emptyId}/rules HTTP/1.1`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    );
    replacement!.send(body.slice(0, 20));
    lookups!.ask("POST /v1/cti/bulk_lookup HTTP/1.1", "Content-Type: text/plain", "Transfer-Encoding: chunked");
    lookups!.send("8\r\n1.1.1.1\n\r\n");
    await lookups!.readUntil('"1.1.1.1"');
    await chunked!.begin(
      "POST /v1/cti/bulk_lookup HTTP/1.1",
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    );
    chunked!.send('9\r\n{"ips":["\r\n');
    const exit = service.end("SIGTERM");
    // A terminal and npm both send it: the same signal a second time.
    void service.end("SIGINT");
    await untilItShutsDown(service);
    replacement!.send(body.slice(20));
    lookups!.send("8\r\n2.2.2.2\n\r\n0\r\n\r\n");
    chunked!.send('a\r\n1.1.1.1"]}\r\n0\r\n\r\n');
    const answers = await Promise.all([replacement!, lookups!, chunked!].map((client) => client.readSlowly()));
    assert.deepEqual(
      answers.map(({ head, how }) => [head.split("\r\n")[0], how]),
      answers.map(() => ["HTTP/1.1 200 OK", "end"]),
    );
    assert.match(answers[0]!.body.toString(), /"added":1,/);
    assert.match(answers[1]!.body.toString(), /"2\.2\.2\.2"[^]*\r\n0\r\n\r\n$/);
    assert.match(answers[2]!.body.toString(), /"1\.1\.1\.1"/);
    for (const index of [0, 2]) assert.match(answers[index]!.head, /\r\nconnection: close/i);
    assert.equal(await exit, 0);
    assert.equal(about(service, /^shut down/)?.["cut_off"], 0);
  });

  test(
    "new connections are rejected, and open connections are closed after their next response",
    { skip: onlyLong() },
    async () => {
      const service = await start();
      const [busy, asking] = [await Client.open(service.port), await Client.open(service.port)];
      busy.ask(`GET ${exportPath()} HTTP/1.1`);
      await busy.readHead();
      asking.ask("GET /livez HTTP/1.1");
      await asking.readUntil("ok\n");
      const exit = service.end("SIGTERM");
      await untilItShutsDown(service);
      asking.ask("GET /readyz HTTP/1.1");
      const { body } = await asking.readSlowly();
      assert.match(body.toString(), /HTTP\/1\.1 503 [^]*connection: close[^]*the server is closing/i);
      await until("new connections are refused", () => isRefused(service.port));
      assert.equal((await busy.readSlowly()).how, "end");
      assert.equal(await exit, 0);
    },
  );

  test("at the time limit the rest is cut off, and nothing that is cut off looks complete", async () => {
    const service = await start("--shutdown-timeout", "1");
    const [reader, old, upload] = await Promise.all([1, 2, 3].map(() => Client.open(service.port)));
    reader!.ask(`GET ${exportPath()} HTTP/1.1`);
    const size = length(await reader!.readHead());
    // A response in HTTP/1.0 has no chunks: a streamed one ends with the connection.
    old!.ask("POST /v1/cti/bulk_lookup HTTP/1.0", "Content-Type: text/plain", "Content-Length: 100");
    old!.send("1.1.1.1\n");
    await old!.readUntil('"1.1.1.1"');
    await upload!.begin(
      `PUT /v1/edl/ip-rulesets/${store.emptyId}/rules HTTP/1.1`,
      "Content-Type: application/json",
      "Content-Length: 100",
    );
    assert.equal(await service.end("SIGTERM"), 0);
    const [read, oldAnswer, uploaded] = await Promise.all(
      [reader!, old!, upload!].map((client) => client.readSlowly()),
    );
    assert.ok(read!.body.length < size);
    assert.deepEqual(
      [read, oldAnswer, uploaded].map((answer) => answer!.how),
      ["ECONNRESET", "ECONNRESET", "ECONNRESET"],
    );
    const { cut_off, msg } = about(service, /^shut down/)!;
    assert.deepEqual([cut_off, msg], [3, "shut down; 3 requests were cut off after 1 s (--shutdown-timeout)"]);
  });

  test("a second signal ends the server at once", { skip: onlyLong() }, async () => {
    for (const [second, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      const service = await start();
      const reader = await Client.open(service.port);
      reader.ask(`GET ${exportPath()} HTTP/1.1`);
      await reader.readHead();
      const ended = service.end("SIGTERM");
      await untilItShutsDown(service);
      // A signal soon after the first counts as the same one.
      const again = setInterval(() => void service.end(second), 50);
      assert.equal(await ended, code);
      clearInterval(again);
      assert.equal((await reader.readSlowly()).how, "ECONNRESET");
      assert.equal(about(service, /second signal/)?.["cut_off"], 1);
    }
  });
});
