/** On a Node release that is too old, every entry of the package says which one it needs. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, test } from "node:test";
import { nodeVersionError } from "../src/runtime/node-version.ts";
import { oldNode } from "./old-node.ts";

const root = join(import.meta.dirname, "..");

const old = oldNode();

describe("on an old Node", { skip: old === undefined && "there is none in PATH" }, () => {
  const { program, version } = old ?? { program: "", version: "" };
  const message = `ipsieve needs Node 22.18 or newer; this is ${version}`;
  for (const [what, path] of [
    ["library", "dist/index.js"],
    ["client", "dist/client/client.js"],
  ] as const) {
    test(`the ${what} cannot be imported, and the error says why`, () => {
      const { status, stderr } = spawnSync(
        program,
        ["--input-type=module", "-e", `import ${JSON.stringify(pathToFileURL(join(root, path)).href)}`],
        { encoding: "utf8" },
      );
      assert.equal(status, 1);
      assert.match(stderr, new RegExp(`NodeVersionError: ${message}`));
    });
  }

  test("the command says so in one line, and ends with 2", () => {
    for (const args of [["lookup", "1.1.1.1"], ["--help"], []]) {
      const { status, stdout, stderr } = spawnSync(program, [join(root, "dist/cli/main.js"), ...args], {
        encoding: "utf8",
      });
      assert.deepEqual([status, stdout, stderr], [2, "", `${message}\n`]);
    }
  });
});

test("the required version is that of package.json; outside Node none is required", () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const needed = engines.node.replace(">=", "");
  const [major, minor] = needed.split(".").map(Number);
  for (const good of [`${needed}.0`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`, undefined])
    assert.equal(nodeVersionError(good), undefined);
  for (const bad of [`${major}.${minor - 1}.9`, `${major - 1}.99.0`, "9.0.0"])
    assert.equal(nodeVersionError(bad), `ipsieve needs Node ${needed} or newer; this is ${bad}`);
});
