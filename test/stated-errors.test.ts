import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript-5";

const ROOT = join(import.meta.dirname, "..");

/** The lines of a test file in which any error would do, also one of the test itself. */
function bareChecks(text: string): readonly number[] {
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && acceptsAnyError(node))
      lines.push(text.slice(0, node.getStart(source)).split("\n").length);
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile("test.ts", text, ts.ScriptTarget.Latest);
  const acceptsAnyError = ({ expression, arguments: [, expected] }: ts.CallExpression): boolean =>
    /^assert\.(throws|rejects)$/.test(expression.getText(source)) &&
    (expected === undefined || ts.isStringLiteralLike(expected) || ts.isTemplateExpression(expected));
  visit(source);
  return lines;
}

test("every test that expects an error says which", () => {
  const files = globSync(["test/**/*.ts", "bench/*.ts"], { cwd: ROOT, exclude: ["test/output/**"] });
  const bare = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    return /assert\.(throws|rejects)\(/.test(text) ? bareChecks(text).map((line) => `${file}:${line}`) : [];
  });
  assert.deepEqual(bare, []);
});

test("the negative control: checks without an error, or with a message only, are found", () => {
  const text = [
    "assert.throws(f);",
    "await assert.rejects(() => f(1, 2), `said of ${what}`);",
    'assert.throws(() => f(), "said when it fails");',
    'assert.throws(() => f(), { code: "locked" }, "said when it fails");',
    "await assert.rejects(f(), /locked/);",
  ];
  assert.deepEqual(bareChecks(text.join("\n")), [1, 2, 3]);
});
