import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { ensureDataset } from "../../bench/data/dataset.ts";
import { writeNativeInput } from "../../bench/native/native-input.ts";
import { compilePeer, NativePeer } from "../../bench/native/native-peer.ts";

const skip = spawnSync("cc", ["--version"]).status === 0 ? false : "cc not installed (apt-get install gcc libc6-dev)";
const source = join(import.meta.dirname, "linear-peer.c");

test("a native peer that answers all queries correctly takes turns; a wrong one is rejected", { skip }, async () => {
  const right = compilePeer({ name: "linear", args: [source] });
  const wrong = compilePeer({ name: "linear-broken", args: ["-DBROKEN", source] });
  for (const table of ["quick4", "quick6"] as const) {
    await ensureDataset(table);
    const input = await writeNativeInput(table);
    using started = new DisposableStack();
    const [peer, rejected] = [await NativePeer.start(right, input), await NativePeer.start(wrong, input)];
    for (const each of [peer, rejected]) if (each instanceof NativePeer) started.use(each);
    assert.ok(peer instanceof NativePeer, JSON.stringify(peer));
    for (const kind of ["uniform", "misses"] as const) {
      const samples = await peer.measure(kind, 1);
      assert.ok(samples.length > 0 && samples.every((each) => each > 0));
    }
    assert.ok(!(rejected instanceof NativePeer), "a peer without half of the prefixes was not rejected");
    assert.match(rejected.reason, /^query \d+ gave \d+, right is \d+$/);
  }
});

test("sources that cannot be compiled are named with the compiler's message", { skip }, () => {
  assert.throws(
    () => compilePeer({ name: "absent", args: ["/absent/poptrie.c"] }),
    /cc .*\/absent\/poptrie\.c ended with 1; does the path hold its sources\?[^]*absent\/poptrie\.c/,
  );
});
