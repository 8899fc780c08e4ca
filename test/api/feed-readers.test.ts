/** Independent programs follow the change feed as server-sent events. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { freePort } from "../free-port.ts";
import { onlyLong } from "../rounds.ts";
import { missingCommand, missingTools, TOOLS } from "../tools.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

const PACKAGE = join(TOOLS, "node_modules/eventsource");
const SCRIPT = join(import.meta.dirname, "clients/event-source.mjs");
const missing = missingTools(PACKAGE) || missingCommand("curl", "--version", "curl");

describe("readers of the change feed", { skip: missing || onlyLong() }, () => {
  const running: ChildProcess[] = [];
  let t: TestServer;
  let key: string;
  let rules: string;
  let feed: string;
  let added = 0;

  before(async () => {
    // The server comes back on the same port.
    t = await startServer({ perMinute: 1e9, port: await freePort() });
    key = (await addKey(t, await addOrganisation(t, "Readers"))).text;
    rules = `/v1/edl/ip-rulesets/${(await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[1].id}/rules`;
    feed = `${t.server.url}/v1/changes`;
  });
  after(async () => {
    for (const child of running) child.kill("SIGKILL");
    await t.close();
  });

  const lastSequence = async (): Promise<number> => (await ask(t, "GET", "/v1/changes?limit=1", { key })).body.sequence;
  const addRule = async (): Promise<void> => {
    const { status, text } = await ask(t, "POST", rules, { key, body: { ip: `192.0.2.${added++}` } });
    assert.equal(status, 201, text);
  };
  /** The output of a program, as it arrives. */
  const start = (program: string, args: readonly string[]): { text: string; readonly child: ChildProcess } => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
    running.push(child);
    const output = { text: "", child };
    child.stdout.on("data", (part: Buffer) => (output.text += part.toString()));
    return output;
  };
  const numbersIn = (text: string, pattern: RegExp): number[] =>
    [...text.matchAll(pattern)].map(([, id]) => Number(id));
  const range = (after: number, count: number): number[] => Array.from({ length: count }, (_, at) => after + at + 1);

  test("curl gets each change as it is made, and continues after the number that it sends", async () => {
    const first = await lastSequence();
    await addRule();
    const options = ["-sN", "--header", `X-API-Key: ${key}`, "--header", "Accept: text/event-stream"];
    const output = start("curl", [...options, "--header", `Last-Event-ID: ${first}`, feed]);
    const numbers = (): number[] => numbersIn(output.text, /^id: (\d+)\.\w+$/gm);
    await until("curl has the change from before", () => numbers().length === 1);
    for (let count = 2; count <= 4; count++) {
      await addRule();
      await until(`curl has ${count} changes`, () => numbers().length === count);
    }
    assert.deepEqual(numbers(), range(first, 4));
    output.child.kill();
  });

  test("an EventSource reconnects by itself after restarts and gets every change once", async () => {
    const before = await lastSequence();
    const output = start(process.execPath, [SCRIPT, PACKAGE, `${feed}?after=${before}`, key]);
    const numbers = (): number[] => numbersIn(output.text, /^(\d+)\.\w+ \{"sequence":\1,.*"type":"rule.created"/gm);
    for (let count = 1; count <= 6; count++) {
      await addRule();
      // Written while it is away as well: Last-Event-ID says where it stopped, and `after` no longer counts.
      if (count !== 3) await until(`it has ${count} changes`, () => numbers().length === count);
      if (count === 2 || count === 5) await t.restart();
    }
    assert.deepEqual(numbers(), range(before, 6));
  });
});
