import { EDGE_FAULTS, FAULTS, startBrokenServer, startMuteServer } from "../api/fuzz/broken-server.ts";
import { attackByEarlyAnswers } from "../api/fuzz/early-answers.ts";
import { fuzz } from "../api/fuzz/fuzz.ts";
import { startFuzzServer } from "../api/fuzz/fuzz-server.ts";
import { attack } from "../api/fuzz/hostile-connections.ts";
import { longRunOptions, Random } from "../snapshot/harness/sample.ts";

// R8, long form: npm run torture -- api --minutes N [--seed N]
const { until, seed } = longRunOptions();
const MIN = 100_000;
/** For bodies that are attacks: the maximum. */
const BODY_BYTES = 300_000;

/** Seconds for which the server of hostile connections waits for a client. */
const LIMIT = 1;

const t = await startFuzzServer();
const hasty = await startFuzzServer({ headerTimeout: LIMIT, bodyTimeout: LIMIT, keepAlive: LIMIT });
const { url } = t.server;
let isOk = true;

for (const [name, fault] of Object.entries(FAULTS)) {
  const broken = await startBrokenServer(url, t.key, fault);
  const { failures } = await fuzz({ url: broken.url, key: t.key, seed, runs: 300, only: fault.operation });
  broken.close();
  const isCaught = Object.keys(failures).some((failure) => failure.startsWith(name));
  console.log(`negative control ${name}: ${isCaught ? "caught" : "NOT CAUGHT"}`);
  isOk &&= isCaught;
}

for (const [name, fault] of Object.entries(EDGE_FAULTS)) {
  const broken = await startBrokenServer(url, t.key, fault);
  const { failures } = await fuzz({
    url: broken.url,
    key: t.key,
    seed,
    runs: 600,
    only: fault.operation,
    bodyBytes: BODY_BYTES,
  });
  broken.close();
  const isCaught = Object.keys(failures).some((failure) => failure.startsWith(fault.check));
  console.log(`negative control, a server that ${name}: ${isCaught ? "caught" : "NOT CAUGHT"}`);
  isOk &&= isCaught;
}

const mute = await startMuteServer();
const muted = await attackByEarlyAnswers({
  url: mute.url,
  key: t.key,
  random: new Random(seed),
  connections: 3,
  bodyBytes: 1000,
  patience: 4000,
});
mute.close();
console.log(
  `negative control, a server that answers once on a connection: ${Object.keys(muted.failures).length > 0 ? "caught" : "NOT CAUGHT"}`,
);
isOk &&= Object.keys(muted.failures).length > 0;

const total = {
  requests: 0,
  connections: 0,
  byKind: {} as Record<string, number>,
  byStatus: {} as Record<string, number>,
  hostileByStatus: {} as Record<string, number>,
};
for (let round = 0; Date.now() < until || total.requests < MIN; round++) {
  const { failures, ...report } = await fuzz({ url, key: t.key, seed: seed + round, runs: 400, bodyBytes: BODY_BYTES });
  const hostile = await attack({
    url: hasty.server.url,
    key: hasty.key,
    random: new Random(seed + round),
    connections: 1000,
    timeLimit: LIMIT * 1000,
  });
  const early = await attackByEarlyAnswers({
    url,
    key: t.key,
    random: new Random(seed + round),
    connections: 1000,
    bodyBytes: BODY_BYTES,
    patience: 60_000,
  });
  total.requests += report.requests + early.requests;
  total.connections += hostile.connections + early.connections;
  for (const [into, from] of [
    [total.byKind, report.byKind],
    [total.byStatus, report.byStatus],
    [total.hostileByStatus, hostile.byStatus],
    [total.hostileByStatus, early.byStatus],
  ] as const) {
    for (const [name, count] of Object.entries(from)) into[name] = (into[name] ?? 0) + count;
  }
  for (const failure of [...Object.values(failures), ...hostile.failures, ...Object.values(early.failures)])
    console.log(failure);
  isOk &&= Object.keys(failures).length + hostile.failures.length + Object.keys(early.failures).length === 0;
  console.log(`seed ${seed + round}: ${JSON.stringify(total)}`);
}
await t.close();
await hasty.close();
console.log(isOk ? "ok" : "FAILED");
if (!isOk) process.exitCode = 1;
