import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import { parseSources } from "../layers/parse-sources.ts";

const root = new URL("../../", import.meta.url);

/**
 * The members of classes that are `private` or `protected`, which only the compiler enforces: `#` is enforced at run
 * time too. A constructor has no such form; it may be `private`, but must not have parameters that become members.
 */
function findPrivateMembers(sources: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  for (const [path, file] of parseSources(sources)) {
    const visit = (node: Node): void => {
      const isKeyword = node.kind === SyntaxKind.PrivateKeyword || node.kind === SyntaxKind.ProtectedKeyword;
      if (isKeyword && node.parent.kind !== SyntaxKind.Constructor)
        found.push(`${path}:${file.text.slice(0, node.getStart(file)).split("\n").length}: ${node.getText(file)}`);
      node.forEachChild(visit);
    };
    visit(file);
  }
  return found;
}

test("private members are # members", () => {
  const paths = globSync("src/**/*.{ts,tsx}", { cwd: root, exclude: ["src/kernel/assembly/**"] });
  assert.ok(paths.length > 300, `${paths.length} files`);
  const texts = paths.map((path) => [path, readFileSync(new URL(path, root), "utf8")] as const);
  // Only files with one of the words are parsed: all of them take seconds.
  const sources = Object.fromEntries(texts.filter(([, text]) => /private|protected/.test(text)));
  assert.deepEqual(findPrivateMembers(sources), []);
});

test("private and protected members are found, private constructors are allowed", () => {
  const text = `class A {
    private a = 1;
    protected static b(): void {}
    private constructor(private readonly c: number) {}
    #private = "private d";
    get private() { return this.#private; }
  }`;
  assert.deepEqual(findPrivateMembers({ "a.ts": text }), ["a.ts:2: private", "a.ts:3: protected", "a.ts:4: private"]);
});
