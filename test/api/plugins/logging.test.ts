/** The lines of the log: what they say of a request, of a process and of an error, and what they leave out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog, logRequest } from "../../../src/api/plugins/logging.ts";
import { until } from "../../until.ts";
import { startServer } from "../start-server.ts";

function logAt(level: string, number?: number) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog(level, { write: (line) => void lines.push(JSON.parse(line)) }, number);
  return { log, lines };
}
const REQUEST = {
  id: "r1",
  method: "GET",
  url: "/v1/status?api_key=x",
  address: "192.0.2.1",
  operation: "getStatus",
  status: 200,
  elapsed: 12.3456,
};

test("a request is a line with its path, without its query, and its time to a hundredth of a millisecond", () => {
  const { log, lines } = logAt("info");
  logRequest(log, REQUEST);
  logRequest(log, { ...REQUEST, identity: { kind: "key", id: "k" } as never });
  const [first, second] = lines.map(({ time, ...rest }) => {
    assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    return rest;
  });
  const { id: request_id, method, address, operation, status } = REQUEST;
  const line = { level: 30, request_id, method, path: "/v1/status", address, operation, status, ms: 12.35 };
  assert.deepEqual(first, { ...line, msg: "request" });
  assert.deepEqual(second, { ...line, key: "k", msg: "request" });
  const silent = logAt("warn");
  logRequest(silent.log, REQUEST);
  assert.deepEqual(silent.lines, []);
});

test("of several processes each line names its process; errors are without keys", () => {
  const one = logAt("info");
  one.log.info("a");
  assert.ok(!("process" in one.lines[0]!) && !("pid" in one.lines[0]!));
  for (const number of [0, 3]) {
    const { log, lines } = logAt("info", number);
    log.info("a");
    assert.equal(lines[0]!["process"], number);
  }
  const secret = `ips_${"a".repeat(40)}`;
  one.log.error({ err: new TypeError(`bad ${secret}`) }, "failed");
  const { err } = one.lines[1] as { err: Record<string, string> };
  assert.equal(err["type"], "TypeError");
  assert.match(err["stack"]!, /logging\.test\.ts/);
  assert.ok(err["message"]!.startsWith("bad ") && !JSON.stringify(one.lines).includes(secret));
});

test("a request whose path cannot be read, so that it has no route, has a line like others", async (context) => {
  const t = await startServer();
  context.after(() => t.close());
  const lines = () =>
    t
      .logged()
      .split("\n")
      .filter((line) => line.includes('"msg":"request"'));
  for (const path of ["/%zz", "/v1/status"]) await (await fetch(t.server.url + path)).text();
  await until("both have a line", () => lines().length === 2);
  const found = lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    found.map(({ path, operation, status }) => [path, operation, status]),
    [
      ["/%zz", "none", 400],
      ["/v1/status", "getStatus", 401],
    ],
  );
});
