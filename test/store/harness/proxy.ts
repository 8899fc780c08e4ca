import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { PassThrough, Transform } from "node:stream";

/**
 * What to do with a commit on its way to PostgreSQL: let it pass; cut the connection after it, or instead of it; stop
 * forwarding in either direction while the connection stays open, as when a cable is pulled; or delay the commit for
 * some time. "cut while set up" concerns the next connection: it is cut when its first statement arrives. "gone while
 * loading": at the next read of the state, every connection is cut, and none is accepted until `open`.
 */
export type CommitFate =
  | "pass"
  | "lose the answer"
  | "lose the commit"
  | "pull the cable"
  | "delay the commit"
  | "cut while set up"
  | "gone while loading";

/** The milliseconds by which a commit is delayed. */
const DELAY = 2500;

/** A proxy between a store and PostgreSQL. */
export interface Proxy {
  readonly url: string;
  /** How many notifications it has dropped. */
  readonly lost: number;
  /** Applies to the next commit; the ones after it pass again. */
  fate: CommitFate;
  /** From now on, no connection is accepted until `open`. */
  shut(): void;
  /** From now on, every client is answered that PostgreSQL is starting up (57P03), until `open`. */
  startUp(): void;
  open(): void;
  /** From now on, nothing passes through the connections that exist, which stay open; new ones are as before. */
  silence(): void;
  /** Commits that did not simply pass. */
  readonly struck: number;
  close(): Promise<void>;
}

/** With `losesNotifications`, none gets through. `port`: any free one by default. */
export async function startProxy(url: string, { losesNotifications = false, port: ownPort = 0 } = {}): Promise<Proxy> {
  const target = new URL(url);
  const { port, hostname } = target;
  const sockets = new Set<Socket>();
  const silences = new Set<() => void>();
  let state: "open" | "shut" | "starting" = "open";
  const server = createServer((client) => {
    if (state === "shut") return client.destroy();
    if (state === "starting") return void client.once("data", () => client.end(STARTING_UP)).on("error", () => {});
    const database = connect(Number(port), hostname);
    const cut = () => {
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket
        .on("error", cut)
        .on("close", cut)
        .on("close", () => sockets.delete(socket));
    }
    silences.add(() => {
      filter.unpipe(client);
      client.pause();
    });
    const filter = losesNotifications ? withoutNotifications(() => proxy.lost++) : new PassThrough();
    database.pipe(filter).pipe(client);
    let hasWritten = false;
    client.on("data", (chunk: Buffer) => {
      if (proxy.fate === "cut while set up" && chunk.includes("search_path")) {
        proxy.fate = "pass";
        proxy.struck++;
        return cut();
      }
      if (proxy.fate === "gone while loading" && chunk.includes("repeatable read")) {
        proxy.fate = "pass";
        proxy.struck++;
        return proxy.shut();
      }
      // A transaction that changes something notifies before it commits.
      hasWritten ||= chunk.includes("pg_notify");
      const isCommit = chunk.includes("commit\0");
      const isStruck = proxy.fate !== "pass" && isCommit && hasWritten;
      if (isCommit) hasWritten = false;
      if (!isStruck) return database.write(chunk);
      const { fate } = proxy;
      proxy.fate = "pass";
      proxy.struck++;
      if (fate === "delay the commit") return void setTimeout(() => database.write(chunk), DELAY);
      filter.unpipe(client);
      if (fate === "pull the cable") return void client.pause();
      if (fate === "lose the commit") return cut();
      // The commit arrives; its response does not.
      database.write(chunk, () => client.destroy());
      return undefined;
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(ownPort, "127.0.0.1", resolve));
  target.port = String((server.address() as AddressInfo).port);
  const proxy = {
    url: target.href,
    fate: "pass" as CommitFate,
    struck: 0,
    lost: 0,
    shut() {
      state = "shut";
      for (const socket of sockets) socket.destroy();
    },
    startUp() {
      state = "starting";
    },
    open() {
      state = "open";
    },
    silence() {
      for (const silence of silences) silence();
      silences.clear();
    },
    async close() {
      proxy.shut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** PostgreSQL's response to a connection before it is ready. */
const STARTING_UP = errorResponse({ S: "FATAL", V: "FATAL", C: "57P03", M: "the database system is starting up" });

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const content = Object.entries(fields).map(([kind, text]) => `${kind}${text}\0`);
  const message = Buffer.from(`E....${content.join("")}\0`);
  message.writeUInt32BE(message.length - 1, 1);
  return message;
}

const NOTIFICATION = "A".charCodeAt(0);

/**
 * Forwards the messages of PostgreSQL's protocol without notifications. A message is a letter, its length without the
 * letter in four bytes, and its content.
 */
function withoutNotifications(lost: () => void): Transform {
  let rest = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const message = rest.subarray(0, 1 + rest.readUInt32BE(1));
        rest = rest.subarray(message.length);
        if (message[0] === NOTIFICATION) lost();
        else this.push(message);
      }
      done();
    },
  });
}
