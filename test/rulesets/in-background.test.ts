import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { inBackground } from "../../src/rulesets/_in-background.ts";

/** The work itself keeps no process running. */
function ended(work: Iterator<undefined, void>): Promise<unknown> {
  const running = setInterval(() => {}, 1000);
  return new Promise((resolve) => inBackground(work, resolve)).finally(() => clearInterval(running));
}

test("work is done in the background, and its error is handed over", async () => {
  let steps = 0;
  const long = function* (): Generator<undefined, void, undefined> {
    for (const end = performance.now() + 20; performance.now() < end; steps++) yield;
  };
  const working = ended(long());
  assert.equal(steps, 0);
  assert.equal(await working, undefined);
  assert.ok(steps > 0);
  const failing = (function* (): Generator<undefined, void, undefined> {
    yield;
    throw new RangeError("no memory");
  })();
  assert.deepEqual(await ended(failing), new RangeError("no memory"));
});

test("an error of `onEnd` is not taken for an error of the work: the end is reported once", () => {
  const path = JSON.stringify(join(import.meta.dirname, "../../src/rulesets/_in-background.ts"));
  const program = `
    import { inBackground } from ${path};
    process.on("uncaughtException", ({ message }) => console.log("thrown:", message));
    inBackground([].values(), (error) => {
      console.log("ended:", error);
      throw new Error("of the caller");
    });
    setTimeout(() => {}, 50);`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  assert.equal(stdout, "ended: undefined\nthrown: of the caller\n");
});

test("only work that is awaited keeps a program from ending", () => {
  const path = JSON.stringify(join(import.meta.dirname, "../../src/rulesets/_in-background.ts"));
  const program = `
    import { inBackground } from ${path};
    const endless = { next: () => ({ done: false }) };
    let steps = 0;
    const short = { next: () => ({ done: ++steps > 3 }) };
    inBackground(endless, () => {}, { delay: 1 });
    inBackground(short, () => console.log("ended"), { delay: 1, isAwaited: true });`;
  const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.deepEqual([stdout, status], ["ended\n", 0]);
});
