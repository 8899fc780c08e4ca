import { FAULTS, startBrokenServer } from "../api/fuzz/broken-server.ts";
import { fuzz } from "../api/fuzz/fuzz.ts";
import { startFuzzServer } from "../api/fuzz/fuzz-server.ts";
import { attack } from "../api/fuzz/hostile-connections.ts";
import { longRunOptions, Random } from "../snapshot/harness/sample.ts";

// R8, long form: npm run torture:api -- --minutes N [--seed N]
const { until, seed } = longRunOptions();
const LEAST = 100_000;

const t = await startFuzzServer({ headerTimeout: 1, bodyTimeout: 1, keepAlive: 1 });
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

const total = { requests: 0, connections: 0, byKind: {} as Record<string, number>, byStatus: {} as Record<string, number>, hostileByStatus: {} as Record<string, number> };
for (let round = 0; Date.now() < until || total.requests < LEAST; round++) {
  const { failures, ...report } = await fuzz({ url, key: t.key, seed: seed + round, runs: 400 });
  const hostile = await attack({ url, key: t.key, random: new Random(seed + round), connections: 1000 });
  total.requests += report.requests;
  total.connections += hostile.connections;
  for (const [into, from] of [[total.byKind, report.byKind], [total.byStatus, report.byStatus], [total.hostileByStatus, hostile.byStatus]] as const) {
    for (const [name, count] of Object.entries(from)) into[name] = (into[name] ?? 0) + count;
  }
  for (const failure of [...Object.values(failures), ...hostile.failures]) console.log(failure);
  isOk &&= Object.keys(failures).length + hostile.failures.length === 0;
  console.log(`seed ${seed + round}: ${JSON.stringify(total)}`);
}
await t.close();
console.log(isOk ? "ok" : "FAILED");
if (!isOk) process.exitCode = 1;
