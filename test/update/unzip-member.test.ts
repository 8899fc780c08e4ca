import assert from "node:assert/strict";
import { test } from "node:test";
import { unzipMember } from "../../src/update/unzip-member.ts";
import { UpdateError, type UpdateErrorCode } from "../../src/update/update-error.ts";
import { zipOf } from "./archives.ts";

const MAX = 1 << 20;
const LIST = { name: "list.txt", content: "20.0.0.0/24\n".repeat(1000) };
const OTHER = { name: "__MACOSX/list.txt", content: "not the list" };

test("the member, at the top or in a folder, beside a Mac's additional files", async () => {
  assert.equal((await unzipMember(zipOf([OTHER, LIST]), "list.txt", MAX)).toString(), LIST.content);
  assert.equal(
    (await unzipMember(zipOf([{ ...LIST, name: "folder/list.txt" }, OTHER]), "list.txt", MAX)).toString(),
    LIST.content,
  );
});

const archive = zipOf([OTHER, LIST]);
const corrupt = Buffer.from(archive);
corrupt[archive.indexOf("list.txt", archive.indexOf("list.txt") + 20) + 12]! ^= 1;

const REFUSED: readonly [what: string, archive: Buffer, code: UpdateErrorCode, message: RegExp][] = [
  ["no archive", Buffer.from("<html>"), "archive", /cannot be read/],
  ["nothing", Buffer.alloc(0), "archive", /cannot be read/],
  ["an archive cut off", archive.subarray(0, archive.length - 30), "archive", /cannot be read/],
  ["an archive without its front", archive.subarray(40), "archive", /cannot be read/],
  ["an archive without the list", zipOf([OTHER, { name: "my-list.txt", content: "x" }]), "archive", /has no list\.txt/],
  // It is impossible to tell which of them is the list.
  [
    "the list twice",
    zipOf([LIST, { ...LIST, content: "30.0.0.0/8" }]),
    "archive",
    /two members list\.txt and list\.txt/,
  ],
  [
    "the list in two folders",
    zipOf([
      { ...LIST, name: "old/list.txt" },
      { ...LIST, name: "new/list.txt" },
    ]),
    "archive",
    /two members old\/list\.txt and new\/list\.txt/,
  ],
  [
    "a name that a terminal would obey",
    zipOf([{ name: "/\u001b[31m", content: "", isUtf8: true }]),
    "archive",
    /absolute path: \/\\u001b\[31m\)$/,
  ],
  ["a corrupt member", corrupt, "archive", /cannot be read|checksum/],
  ["another checksum", zipOf([{ ...LIST, crc: 1 }]), "archive", /list\.txt in the ZIP archive is corrupt/],
  [
    "a member too large, as the archive says",
    zipOf([{ name: "list.txt", content: Buffer.alloc(MAX + 1) }]),
    "too-large",
    /more than 1048576 bytes/,
  ],
  [
    "a member larger than the archive says (a bomb)",
    zipOf([{ name: "list.txt", content: Buffer.alloc(200 << 20), size: 1000 }]),
    "archive",
    /too many bytes/,
  ],
  [
    "a member smaller than the archive says",
    zipOf([{ ...LIST, size: LIST.content.length + 1 }]),
    "archive",
    /not enough bytes/,
  ],
];
for (const [what, bytes, code, message] of REFUSED) {
  test(`refused: ${what}`, async () => {
    await assert.rejects(unzipMember(bytes, "list.txt", MAX), (error: unknown) => {
      assert.ok(error instanceof UpdateError, String(error));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      return true;
    });
  });
}
