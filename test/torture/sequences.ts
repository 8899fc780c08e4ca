import { startBrokenServer } from "../api/fuzz/broken-server.ts";
import { BROKEN_SERVICES } from "../api/sequences/broken-services.ts";
import { runSequences } from "../api/sequences/run-sequences.ts";
import { startServer } from "../api/start-server.ts";
import { longRunOptions } from "../snapshot/harness/sample.ts";

// R8, sequences of two organisations, long form: npm run torture -- sequences --minutes N [--seed N]
const { until, seed } = longRunOptions();
const MIN = 10_000;

const t = await startServer({
  perMinute: 1e9,
  perMonth: 1e12,
  failuresPerMinute: 1e9,
  eventLoopDelay: 60_000,
  logLevel: "silent",
});
let isOk = true;
for (const [name, fault] of Object.entries(BROKEN_SERVICES)) {
  const broken = await startBrokenServer(t.server.url, "", fault());
  const { failure, sequences } = await runSequences({ server: t, url: broken.url, seed, runs: 500, shrinks: false });
  broken.close();
  console.log(
    `negative control, a service that ${name}: ${failure === undefined ? "NOT CAUGHT" : `caught by sequence ${sequences}`}`,
  );
  isOk &&= failure !== undefined;
}
const total = { sequences: 0, requests: 0, answers: {} as Record<string, number> };
for (let round = 0; Date.now() < until || total.sequences < MIN; round++) {
  const { failure, sequences, requests, answers } = await runSequences({ server: t, seed: seed + round, runs: 1000 });
  total.sequences += sequences;
  total.requests += requests;
  for (const [name, count] of Object.entries(answers)) total.answers[name] = (total.answers[name] ?? 0) + count;
  if (failure !== undefined) console.log(failure);
  isOk &&= failure === undefined;
  console.log(`seed ${seed + round}: ${JSON.stringify(total)}`);
}
await t.close();
console.log(isOk ? "ok" : "FAILED");
if (!isOk) process.exitCode = 1;
