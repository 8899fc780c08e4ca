import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");

const DOCUMENTS = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["docs", "docs/design", "data", "bench/record/notes"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

/** The broken links of a document: to a file that does not exist, or to a heading that the target lacks. */
function brokenLinks(document: string, text: string): string[] {
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target]) => target!).filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", heading] = target.split("#", 2);
    const file = path === "" ? join(root, document) : join(root, dirname(document), path);
    if (path !== "" && !existsSync(file)) return true;
    return heading !== undefined && !headingsOf(path === "" ? text : readFileSync(file, "utf8")).includes(heading);
  });
}

/** Anchors as GitHub makes them: lower case, without punctuation, a hyphen for each space. */
function headingsOf(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

for (const document of DOCUMENTS) {
  test(`${document}: every link has a target`, () => {
    assert.deepEqual(brokenLinks(document, readFileSync(join(root, document), "utf8")), []);
  });
}

test("every design document is linked from DESIGN.md", () => {
  const text = readFileSync(join(root, "DESIGN.md"), "utf8");
  for (const name of readdirSync(join(root, "docs/design")))
    assert.ok(text.includes(`(docs/design/${name})`), `docs/design/${name}`);
});

test("every note about what was tried is listed in the README of the notes, and linked from a design document", () => {
  const notes = readdirSync(join(root, "bench/record/notes")).filter((name) => name !== "README.md");
  const list = readFileSync(join(root, "bench/record/notes/README.md"), "utf8");
  const designs = readdirSync(join(root, "docs/design")).map((name) =>
    readFileSync(join(root, "docs/design", name), "utf8"),
  );
  for (const name of notes) {
    assert.ok(list.includes(`](${name})`), name);
    assert.ok(
      designs.some((text) => text.includes(`../../bench/record/notes/${name}`)),
      name,
    );
  }
});

test("the negative control: links to missing files and headings are detected", () => {
  const text =
    "# One\n[a](absent.md) [b](#one) [c](#two) [d](README.md#the-command) [e](README.md#absent) [f](https://a.example/)";
  assert.deepEqual(brokenLinks("TEXT.md", text), ["absent.md", "#two", "README.md#absent"]);
});
