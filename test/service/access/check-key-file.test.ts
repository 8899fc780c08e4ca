import assert from "node:assert/strict";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { checkKeyFile } from "../../../src/service/access/check-key-file.ts";
import { SecretKey } from "../../../src/service/access/secret-key.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { temporaryFolder } from "../../cli/run-command.ts";
import { until } from "../../until.ts";

const OTHER = "another server uses another key file; give all servers the same one";

const folder = temporaryFolder({});
const store = await openStore({ file: join(folder.path, "store.db") });
after(async () => {
  await store.close();
  folder.remove();
});
beforeEach(() => store.record("keyFile", null));

/** What a server with that key file logs when it starts and, if the file is not made yet, first uses it. */
class StartingServer {
  readonly key: SecretKey;
  readonly logged: string[] = [];

  constructor(name: string) {
    this.key = new SecretKey(join(folder.path, name));
  }

  check(through: Store = store): Promise<void> {
    return checkKeyFile(this.key, through, { error: (_, message) => this.logged.push(message) });
  }

  /** Makes the file, or reads it. */
  use(): string {
    return this.key.fingerprint();
  }
}

const known = () => store.read("keyFile");

test("servers that start together with different key files: the one that comes second says so", async () => {
  const [one, same, other] = [new StartingServer("a"), new StartingServer("a"), new StartingServer("b")];
  for (const each of [one, same, other]) await each.check();
  const first = one.use();
  await until("the first is remembered", async () => (await known()) === first);
  assert.notEqual(other.use(), first);
  await until("the other one says so", () => other.logged.length > 0);
  assert.equal(same.use(), first);
  assert.deepEqual([one.logged, same.logged, other.logged], [[], [], [OTHER]]);
  assert.equal(await known(), first, "the first one stays");
});

test("key files that exist are remembered at the start, the same one by any number of servers", async () => {
  const [one, same, other] = [new StartingServer("c"), new StartingServer("c"), new StartingServer("d")];
  for (const each of [one, other]) each.use();
  // All of them have read that none is known when the first one is written.
  const blind = { read: () => Promise.resolve(null), record: store.record.bind(store) } as unknown as Store;
  for (const each of [one, same, other]) await each.check(blind);
  assert.equal(await known(), one.use());
  assert.deepEqual([one.logged, same.logged, other.logged], [[], [], [OTHER]]);
  await one.check();
  await assert.rejects(other.check(), {
    name: "KeyFileError",
    message: /\/d is not the key file that the database has been used with; restore it/,
  });
});

test("a start without the key file, or without a path for it, is an error once one is known", async () => {
  await store.record("keyFile", "x");
  await assert.rejects(new StartingServer("none").check(), /\/none is missing, the key file that the database has/);
  const server = new SecretKey(undefined);
  await assert.rejects(
    checkKeyFile(server, store, { error: assert.fail }),
    /^KeyFileError: the database has been used with a key file, and the server has none; restore it/,
  );
});

test("a key file whose use cannot be recorded is logged, and used all the same", async () => {
  const server = new StartingServer("e");
  const full = { read: () => Promise.resolve(null), record: () => Promise.reject(new Error("full")) };
  await server.check(full as unknown as Store);
  server.use();
  await until("it is logged", () => server.logged.length > 0);
  assert.deepEqual(server.logged, ["which key file is used was not recorded; the next start records it"]);
});
