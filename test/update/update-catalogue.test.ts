import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { parsePrefix } from "../../src/address/prefix.ts";
import { AS_SOURCE, Catalogue, type CatalogueMetadata } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { plainText } from "../../src/cbs/importers/plain-text.ts";
import type { Source } from "../../src/cbs/importers/sources.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import type { DownloadLimits } from "../../src/update/download.ts";
import { FolderOrigin } from "../../src/update/folder-origin.ts";
import {
  type FileReport,
  updateCatalogue,
  type UpdateOptions,
  type UpdateReport,
} from "../../src/update/update-catalogue.ts";
import { UpdateError } from "../../src/update/update-error.ts";
import { WebOrigin } from "../../src/update/web-origin.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { zipOf } from "./archives.ts";
import { fileOf, listOf, publicPrefix, publicPrefixes, sourceOf } from "./lists.ts";
import { endless, type Handler, inTurn, page, type Publisher, startPublisher, status } from "./publisher.ts";

let publisher: Publisher;
let folder: ReturnType<typeof temporaryFolder>;
let home: string;
/** One source with one list at `/list.json`, unless a test has others. */
let sources: readonly Source[];

before(async () => {
  publisher = await startPublisher();
});
after(() => publisher.close());
beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder.path, "home");
  publisher.pages.clear();
  publisher.requests.length = 0;
  sources = [sourceOf("acme", [fileOf("acme/list.json", publisher.url("/list.json"))])];
});
afterEach(() => folder.remove());

type Changes = Partial<UpdateOptions> & { mirror?: string; limits?: Partial<DownloadLimits> };

async function update({ mirror, limits, ...options }: Changes = {}): Promise<UpdateReport> {
  const origin =
    options.origin ?? (await WebOrigin.open(publisher.options({ limits: { attempts: 2, ...limits } }), mirror));
  try {
    return await updateCatalogue({ home, sources, maxChange: 0.5, keep: 90, ...options, origin });
  } finally {
    await origin.close();
  }
}

async function fileReport(options?: Changes): Promise<FileReport> {
  return (await update(options)).files[0]!;
}

async function current(): Promise<Catalogue> {
  const { metadata, table } = await openSnapshot(join(home, "catalogue.ipsieve"));
  return new Catalogue(metadata, table);
}

const hundred = publicPrefixes(0, 100);
const GOOD = listOf(hundred);
const outcomes = ({ files }: UpdateReport): string[] => files.map(({ outcome }) => outcome);
const readHome = (path: string): string => readFileSync(join(home, path), "utf8");
const generations = (): string[] => readdirSync(join(home, "history"));

describe("an update", () => {
  test("fetches, stores and builds; when repeated, only sends conditional requests", async () => {
    publisher.pages.set("/list.json", page(listOf(hundred, { creationTime: "2026-11-20T10:00:00" }), { etag: '"1"' }));
    const first = await update();
    assert.deepEqual(first.files, [
      {
        source: "acme",
        path: "acme/list.json",
        outcome: "new",
        problem: null,
        code: null,
        prefixes: 100,
        added: 100,
        removed: 0,
      },
    ]);
    assert.deepEqual(
      [first.sources, first.ipv4, first.ipv6, first.left, first.catalogue],
      [1, 100, 0, [], join(home, "catalogue.ipsieve")],
    );
    assert.equal(first.generation, join(home, "history", generations()[0]!));
    assert.deepEqual(identifyText(await current(), "20.0.99.1").cbs_ids, ["/saas/acme"]);
    const [source] = (await current()).metadata.sources;
    assert.deepEqual(
      [source!.id, source!.version, source!.publishedAt, source!.changedAt],
      ["acme", "2026-11-20T10:00:00.000Z", "2026-11-20T10:00:00.000Z", source!.fetchedAt],
    );

    publisher.pages.set(
      "/list.json",
      (request, response) => void response.writeHead(request.headers["if-none-match"] === '"1"' ? 304 : 500).end(),
    );
    const second = await update();
    assert.deepEqual([outcomes(second), second.generation, generations().length], [["unchanged"], null, 1]);
    const [later] = (await current()).metadata.sources;
    assert.ok(later!.fetchedAt! > source!.fetchedAt!, "asking with success counts as fetching");
    assert.deepEqual([later!.changedAt, later!.publishedAt], [source!.changedAt, source!.publishedAt]);
  });

  test("of a changed list makes a generation, and records the time of the change", async () => {
    publisher.pages.set("/list.json", page(GOOD));
    await update();
    const [before] = (await current()).metadata.sources;
    // Rewritten with the same prefixes, which does not count as a change.
    publisher.pages.set(
      "/list.json",
      page(listOf(hundred, { creationTime: "2026-11-21T00:00:00" }), {
        "last-modified": "Sat, 21 Nov 2026 00:00:05 GMT",
      }),
    );
    assert.deepEqual(outcomes(await update()), ["unchanged"]);
    const [same] = (await current()).metadata.sources;
    assert.deepEqual(
      [same!.changedAt, same!.publishedAt, generations().length],
      [before!.changedAt, "2026-11-21T00:00:00.000Z", 1],
    );

    publisher.pages.set("/list.json", page(listOf([...hundred.slice(10), "30.0.0.0/24"])));
    const report = await update();
    assert.deepEqual(report.files[0], {
      source: "acme",
      path: "acme/list.json",
      outcome: "changed",
      problem: null,
      code: null,
      prefixes: 91,
      added: 1,
      removed: 10,
    });
    assert.ok((await current()).metadata.sources[0]!.changedAt! > before!.changedAt!);
    assert.equal(identifyText(await current(), "30.0.0.1").found, true);
    // The history has both, complete, under their times.
    const times = await Promise.all(
      generations()
        .sort()
        .map(async (name) => {
          const { metadata, info } = await openSnapshot(join(home, "history", name));
          const { createdAt } = metadata as CatalogueMetadata;
          assert.deepEqual(
            [name, info.createdAt.toISOString()],
            [`${createdAt.replaceAll(/[-:]/g, "")}.ipsieve`, createdAt],
          );
          return createdAt;
        }),
    );
    assert.deepEqual([times.length, times[1]], [2, report.createdAt]);
  });

  test("keeps the configured number of newest generations", async () => {
    for (let i = 0; i < 5; i++) {
      publisher.pages.set("/list.json", page(listOf([...hundred, publicPrefix(200 + i)])));
      await update({ keep: 3 });
    }
    assert.equal(generations().length, 3);
    const newest = await openSnapshot(join(home, "history", generations().sort().at(-1)!));
    assert.equal(newest.info.generation, (await openSnapshot(join(home, "catalogue.ipsieve"))).info.generation);
  });

  test("sends unconditional requests if the stored text is not the one that the server described", async () => {
    publisher.pages.set("/list.json", page(GOOD, { etag: '"1"' }));
    await update();
    writeFileSync(join(home, "lists/acme/list.json"), listOf(hundred.slice(0, 99)));
    assert.equal((await fileReport()).outcome, "changed");
    assert.equal(publisher.requests.at(-1)!.headers["if-none-match"], undefined);
    assert.equal(readHome("lists/acme/list.json"), GOOD);
    // The same after the list has moved.
    sources = [sourceOf("acme", [fileOf("acme/list.json", publisher.url("/moved.json"))])];
    publisher.pages.set("/moved.json", page(GOOD));
    assert.equal((await fileReport()).outcome, "unchanged");
    assert.equal(publisher.requests.at(-1)!.headers["if-none-match"], undefined);
  });

  test("of one source leaves the others unchanged, and one that fails does not affect others", async () => {
    const file = (id: string) => sourceOf(id, [fileOf(`${id}/list.json`, publisher.url(`/${id}.json`))]);
    sources = [file("acme"), file("globex"), file("initech")];
    for (const [i, { id }] of sources.entries()) publisher.pages.set(`/${id}.json`, page(listOf([publicPrefix(i)])));
    assert.deepEqual(outcomes(await update({ only: new Set(["acme", "globex"]) })), ["new", "new"]);
    assert.deepEqual(
      (await current()).metadata.sources.map(({ id }) => id),
      ["acme", "globex"],
    );
    publisher.pages.set("/acme.json", status(500));
    assert.deepEqual(outcomes(await update()), ["failed", "unchanged", "new"]);
    assert.deepEqual(
      (await current()).metadata.sources.map(({ id }) => id),
      ["acme", "globex", "initech"],
    );
    assert.equal(identifyText(await current(), "20.0.0.1").found, true);
  });

  test("without any list is an error, and builds nothing", async () => {
    publisher.pages.set("/list.json", status(500));
    await assert.rejects(
      update(),
      (error: unknown) => error instanceof UpdateError && error.code === "no-lists" && error.message.includes(home),
    );
    assert.equal(existsSync(join(home, "catalogue.ipsieve")), false);
    assert.deepEqual(
      readdirSync(home).filter((name) => name.startsWith("update.lock")),
      [],
    );
  });

  test("reports a source whose addresses cannot be separated from another's", async () => {
    sources = [
      sourceOf("cloud", [fileOf("cloud/list.json", publisher.url("/cloud.json"))]),
      sourceOf("rest", [fileOf("rest/list.json", publisher.url("/list.json"))], { minus: "cloud" }),
      sourceOf("other", [fileOf("other/list.json", publisher.url("/list.json"))]),
    ];
    publisher.pages.set("/list.json", page(GOOD));
    const { left } = await update();
    assert.deepEqual(
      left.map(({ source, error }) => [source.id, error]),
      [["rest", "the addresses of cloud are taken out of this list, and cloud could not be imported"]],
    );
    home = join(folder.path, "another");
    await assert.rejects(
      update({ only: new Set(["rest"]) }),
      /to build a catalogue from; rest: the addresses of cloud are taken out/,
    );
  });
});

describe("an update over the catalogue of AS numbers", () => {
  /**
   * A snapshot of a base: AS numbers announce 20.0.0.0/16 for acme, and `more` for a network that publishes no list.
   */
  async function writeBase(more = "30.0.0.0/16", kind = "catalogue"): Promise<string> {
    const builder = new CatalogueBuilder();
    builder.add(parsePrefix("20.0.0.0/16"), "/saas/acme", AS_SOURCE);
    builder.add(parsePrefix(more), "/isp/line", AS_SOURCE);
    const source = {
      id: AS_SOURCE,
      name: "routes",
      version: null,
      url: null,
      license: null,
      attribution: null,
      publishedAt: "2026-06-17T19:00:00.000Z",
      fetchedAt: null,
      changedAt: null,
    };
    const { trie, metadata } = builder.build({
      title: "AS numbers",
      createdAt: new Date("2026-06-17T19:00:00Z"),
      sources: [source],
    });
    const path = join(folder.path, "base.ipsieve");
    await writeSnapshot(path, { table: freeze(trie), metadata, kind, createdAt: new Date(metadata.createdAt) });
    return path;
  }
  const claimsAt = async (address: string) =>
    identifyText(await current(), address).matches.map(({ cbs_id, source }) => `${cbs_id} ${source}`);

  test("keeps both, each with its source; a list that fails later leaves both unchanged", async () => {
    const base = await writeBase();
    publisher.pages.set("/list.json", page(GOOD));
    const report = await update({ base });
    assert.deepEqual(
      [report.sources, report.base],
      [1, { title: "AS numbers", createdAt: "2026-06-17T19:00:00.000Z" }],
    );
    const answers = async () => [
      await claimsAt("20.0.99.1"),
      await claimsAt("20.0.100.1"),
      await claimsAt("30.0.0.1"),
      await claimsAt("40.0.0.1"),
    ];
    const both = [["/saas/acme acme"], ["/saas/acme asn"], ["/isp/line asn"], []];
    assert.deepEqual(await answers(), both);
    // Half of the list is gone: rejected, as it would be without a base.
    publisher.pages.set("/list.json", page(listOf(hundred.slice(0, 20))));
    assert.deepEqual(outcomes(await update({ base })), ["refused"]);
    assert.deepEqual([await answers(), generations().length], [both, 1]);
    publisher.pages.set("/list.json", status(500));
    assert.deepEqual(outcomes(await update({ base })), ["failed"]);
    assert.deepEqual([await answers(), generations().length], [both, 1]);
  });

  test("makes a generation when either layer changes, and none when neither does", async () => {
    publisher.pages.set("/list.json", page(GOOD));
    const made = [
      await update({ base: await writeBase() }),
      await update({ base: await writeBase() }),
      await update({ base: await writeBase("31.0.0.0/16") }),
    ];
    assert.deepEqual(
      made.map(({ generation }) => generation !== null),
      [true, false, true],
    );
    assert.deepEqual([await claimsAt("30.0.0.1"), await claimsAt("31.0.0.1")], [[], ["/isp/line asn"]]);
    publisher.pages.set("/list.json", page(listOf([...hundred, "31.0.0.0/24"])));
    assert.deepEqual(
      [(await update({ base: await writeBase("31.0.0.0/16") })).generation !== null, generations().length],
      [true, 3],
    );
  });

  test("makes a generation when only the source of a prefix changes", async () => {
    publisher.pages.set("/list.json", page(listOf([...publicPrefixes(0, 250), "20.0.0.0/16"])));
    const base = await writeBase();
    await update({ base });
    assert.deepEqual(await claimsAt("20.0.250.1"), ["/saas/acme acme"]);
    const first = await current();
    // Another source, the same prefixes in the same nodes.
    sources = [
      sourceOf("other", [fileOf("acme/list.json", publisher.url("/list.json"))], { provider: "acme", name: "acme" }),
    ];
    assert.notEqual((await update({ base })).generation, null);
    assert.deepEqual(
      [await claimsAt("20.0.250.1"), (await current()).nodes.length],
      [["/saas/acme other"], first.nodes.length],
    );
  });

  test("is rejected before anything is fetched if the base cannot be used, and the last catalogue stays", async () => {
    publisher.pages.set("/list.json", page(GOOD));
    const base = await writeBase();
    await update({ base });
    const [asked, bytes] = [publisher.requests.length, readFileSync(join(home, "catalogue.ipsieve"))];
    const corrupt = readFileSync(base);
    corrupt[corrupt.length >> 1]! ^= 1;
    writeFileSync(join(folder.path, "corrupt.ipsieve"), corrupt);
    const bad: [path: string, message: RegExp][] = [
      [join(folder.path, "corrupt.ipsieve"), /corrupt\.ipsieve.*install ipsieve again/s],
      [join(folder.path, "nothing.ipsieve"), /nothing\.ipsieve/],
      [await writeBase("30.0.0.0/16", "cti"), /its kind is "cti"/],
    ];
    for (const [path, message] of bad)
      await assert.rejects(update({ base: path }), { name: "UpdateError", code: "bad-base", message });
    assert.deepEqual(
      [publisher.requests.length, readFileSync(join(home, "catalogue.ipsieve")).equals(bytes)],
      [asked, true],
    );
  });

  test("without any list is an error, even if there is a base", async () => {
    publisher.pages.set("/list.json", status(500));
    await assert.rejects(update({ base: await writeBase() }), { code: "no-lists" });
    assert.equal(existsSync(join(home, "catalogue.ipsieve")), false);
  });
});

describe("a bad list is refused, and the last good one stays", () => {
  const cut = GOOD.slice(0, GOOD.length >> 1);
  const withPrefix = (prefix: string): Handler => page(listOf([...hundred, prefix]));
  const BAD: readonly [
    what: string,
    handler: () => Handler,
    outcome: "refused" | "failed",
    code: string,
    message: RegExp,
    limits?: Partial<DownloadLimits>,
  ][] = [
    [
      "a web page, called JSON",
      () =>
        page("<!DOCTYPE html><html><body>We'll be right back</body></html>", { "content-type": "application/json" }),
      "refused",
      "web-page",
      /^line 1: /,
    ],
    [
      "a web page, called a web page",
      () => page("\n\n<html lang=en>", { "content-type": "text/html" }),
      "refused",
      "web-page",
      /^line /,
    ],
    [
      "an XML error",
      () => page('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'),
      "refused",
      "web-page",
      /^line 1: /,
    ],
    ["nothing", () => page(""), "refused", "empty", /^line 1: /],
    ["a list without prefixes", () => page(listOf([])), "refused", "empty", /the list contains no prefixes/],
    ["JSON cut off", () => page(cut), "refused", "bad-json", /^line 1, column \d+: /],
    [
      "a length shorter than the list",
      () =>
        (_, { socket }) =>
          void socket!.end(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${cut.length}\r\n\r\n${GOOD}`),
      "refused",
      "bad-json",
      /^line 1/,
    ],
    [
      "JSON with a key twice",
      () => page(GOOD.replace("{", '{"prefixes": [],')),
      "refused",
      "bad-json",
      /^line 1, column \d+: /,
    ],
    ["JSON of another shape", () => page('{"error": "rate limit exceeded"}'), "refused", "bad-shape", /^\$/],
    ["bytes that are no text", () => page(gzipSync(GOOD)), "refused", "not-utf8", /^byte 1: /],
    [
      "a prefix that is none",
      () => withPrefix("20.0.0.0/33"),
      "refused",
      "bad-prefix",
      /^\$\.prefixes\[100\]\.ipv4Prefix: /,
    ],
    ["all of IPv4", () => withPrefix("0.0.0.0/0"), "refused", "bad-prefix", /0\.0\.0\.0\/0/],
    ["all of IPv6", () => withPrefix("::/0"), "refused", "bad-prefix", /::\/0/],
    ["half of IPv4", () => withPrefix("128.0.0.0/1"), "refused", "too-wide", /128\.0\.0\.0\/1/],
    ["more of IPv4 than anybody has", () => withPrefix("20.0.0.0/7"), "refused", "too-wide", /20\.0\.0\.0\/7/],
    ["more of IPv6 than anybody has", () => withPrefix("2600::/12"), "refused", "too-wide", /2600::\/12/],
    ["a private network", () => withPrefix("10.0.0.0/24"), "refused", "special-purpose", /Private-Use/],
    ["loopback", () => withPrefix("::1"), "refused", "special-purpose", /Loopback/],
    [
      "less than half of it",
      () => page(listOf(hundred.slice(0, 49))),
      "refused",
      "half",
      /only 49 of 100 prefixes are left.*accept it with --accept acme; it is kept as .*refused\/acme\/list\.json$/,
    ],
    [
      "another list",
      () => page(listOf(publicPrefixes(1000, 1100))),
      "refused",
      "changed",
      /100 % of it has changed \(100 prefixes added, 100 of 100 removed\)/,
    ],
    [
      "a list changed too much",
      () => page(listOf(publicPrefixes(40, 140))),
      "refused",
      "changed",
      /57 % of it has changed/,
    ],
    [
      "a list grown too much",
      () => page(listOf(publicPrefixes(0, 201))),
      "refused",
      "changed",
      /50 % of it|101 prefixes added/,
    ],
    ["404", () => status(404), "failed", "status", /404/],
    ["500", () => status(500), "failed", "status", /500; tried 2 times/],
    ["429", () => status(429, { "retry-after": "0" }), "failed", "status", /429; tried 2 times/],
    ["304 to a request without conditions", () => status(304), "failed", "status", /which was not requested/],
    [
      "a connection reset",
      () =>
        (_, { socket }) =>
          void (socket as import("node:tls").TLSSocket).destroy(),
      "failed",
      "unreachable",
      /no complete response/,
    ],
    [
      "a body cut off",
      () => (_, response) =>
        void response.writeHead(200, { "content-length": GOOD.length }).write(cut, () => response.socket!.destroy()),
      "failed",
      "unreachable",
      /no complete response/,
    ],
    ["a drip without end", () => endless(" ", 20), "failed", "timeout", /longer than/, { totalTime: 500 }],
    [
      "a body without end",
      () => endless(" ".repeat(1 << 16), 1),
      "failed",
      "too-large",
      /more than 1000000 bytes/,
      { bytes: 1_000_000 },
    ],
    [
      "a gzip bomb",
      () => page(gzipSync(Buffer.alloc(64 << 20, " ")), { "content-encoding": "gzip" }),
      "failed",
      "too-large",
      /more than 1000000 bytes/,
      { bytes: 1_000_000 },
    ],
    [
      "a redirect to cleartext",
      () => status(302, { location: "http://publisher.test/list.json" }),
      "failed",
      "bad-url",
      /only https/,
    ],
    [
      "a redirect to the cloud's metadata",
      () => status(302, { location: "https://169.254.169.254/latest/meta-data" }),
      "failed",
      "address-refused",
      /Link Local/,
    ],
    [
      "a redirect into the network, by name",
      () => status(307, { location: "https://private.test/list.json" }),
      "failed",
      "address-refused",
      /Private-Use/,
    ],
    ["a redirect to itself", () => status(302, { location: "/list.json" }), "failed", "redirect", /more than 5/],
  ];
  for (const [what, handler, outcome, code, message, limits] of BAD) {
    test(what, async () => {
      publisher.pages.set("/list.json", page(GOOD));
      assert.equal((await fileReport()).outcome, "new");
      const good = await openSnapshot(join(home, "catalogue.ipsieve"));
      const [{ fetchedAt }] = (good.metadata as CatalogueMetadata).sources as [CatalogueMetadata["sources"][number]];

      publisher.pages.set("/list.json", handler());
      const report = await update(limits && { limits });
      const [file] = report.files as [FileReport];
      assert.deepEqual([file.outcome, file.code, file.prefixes], [outcome, code, null], file.problem ?? "");
      assert.match(file.problem!, message);
      assert.deepEqual(
        [readHome("lists/acme/list.json"), report.ipv4, report.generation, generations().length],
        [GOOD, 100, null, 1],
      );
      assert.equal(existsSync(join(home, "refused/acme/list.json")), outcome === "refused" && code !== "not-utf8");
      assert.equal((await current()).metadata.sources[0]!.fetchedAt, fetchedAt, "it is as old as it was");

      publisher.pages.set("/list.json", page(GOOD));
      assert.equal((await fileReport()).outcome, "unchanged");
      assert.equal(existsSync(join(home, "refused/acme/list.json")), false);
      // Negative control: the same server, behaving well again.
      publisher.pages.set("/list.json", page(listOf([...hundred, "30.0.0.0/24"])));
      assert.equal((await fileReport()).outcome, "changed");
    });
  }

  test("even the first time: nothing is kept", async () => {
    for (const content of ["<html>", "", cut, listOf([...hundred, "10.0.0.0/24"]), listOf(["0.0.0.0/0"])]) {
      publisher.pages.set("/list.json", page(content));
      await assert.rejects(update(), (error: unknown) => error instanceof UpdateError && error.code === "no-lists");
      assert.equal(existsSync(join(home, "lists/acme/list.json")), false);
    }
  });

  test("a change is accepted after an operator has checked it; an impossible list never is", async () => {
    publisher.pages.set("/list.json", page(GOOD));
    await update();
    const other = listOf(publicPrefixes(1000, 1100));
    publisher.pages.set("/list.json", page(other));
    assert.equal((await fileReport({ accept: new Set(["globex"]) })).outcome, "refused");
    assert.equal(readHome("refused/acme/list.json"), other);
    assert.equal((await fileReport({ accept: new Set(["acme"]) })).outcome, "changed");
    publisher.pages.set("/list.json", page(listOf([...publicPrefixes(1000, 1100), "10.0.0.0/24"])));
    assert.equal((await fileReport({ accept: new Set(["acme"]) })).code, "special-purpose");
    publisher.pages.set("/list.json", page(listOf(publicPrefixes(1000, 1250))));
    assert.equal((await fileReport({ maxChange: 0.7 })).outcome, "changed");
  });
});

describe("lists behind a page or in an archive", () => {
  test("the weekly link of a page is followed, to its own publisher only", async () => {
    const link = /\/Tags_\d{8}\.json$/;
    sources = [sourceOf("acme", [fileOf("acme/list.json", publisher.url("/details", "www.publisher.test"), { link })])];
    const linkTo = (url: string): Handler => page(`<html><a href="${url}">download</a></html>`);
    publisher.pages.set("/a/Tags_20261116.json", page(GOOD, { etag: '"16"' }));
    publisher.pages.set("/details", linkTo(publisher.url("/a/Tags_20261116.json", "files.publisher.test")));
    assert.equal((await fileReport()).outcome, "new");
    publisher.pages.set("/a/Tags_20261116.json", status(304));
    assert.equal((await fileReport()).outcome, "unchanged");
    // A week later: another address, for which the server has no information yet.
    publisher.pages.set("/a/Tags_20261123.json", page(listOf([...hundred, "30.0.0.0/24"])));
    publisher.pages.set("/details", linkTo(publisher.url("/a/Tags_20261123.json", "files.publisher.test")));
    assert.equal((await fileReport()).outcome, "changed");
    for (const [url, message] of [
      [publisher.url("/a/Tags_20261123.json", "other.test"), /not on publisher\.test/],
      ["https://files.publisher.test/", /no longer links to a list/],
    ] as const) {
      publisher.pages.set("/details", linkTo(url));
      const report = await fileReport();
      assert.deepEqual([report.outcome, report.code], ["failed", "link"]);
      assert.match(report.problem!, message);
    }
  });

  test("an archive is fetched once for all its lists", async () => {
    const members = ["v4.txt", "v6.txt"];
    sources = [
      sourceOf(
        "acme",
        members.map((member) =>
          fileOf(`acme/${member}`, publisher.url("/lists.zip"), { member, importer: plainText() }),
        ),
      ),
    ];
    publisher.pages.set(
      "/lists.zip",
      page(
        zipOf([
          { name: "v4.txt", content: hundred.join("\n") },
          { name: "v6.txt", content: "2600::/32\n" },
        ]),
        { etag: '"1"' },
      ),
    );
    assert.deepEqual([outcomes(await update()), publisher.requests.length], [["new", "new"], 1]);
    publisher.pages.set("/lists.zip", status(304));
    assert.deepEqual([outcomes(await update()), publisher.requests.length], [["unchanged", "unchanged"], 2]);
    for (const [archive, problem] of [
      [zipOf([{ name: "v4.txt", content: hundred.join("\n") }]), /has no v6\.txt/],
      [
        zipOf([
          { name: "v6.txt", content: Buffer.alloc(100 << 20), size: 10 },
          { name: "v4.txt", content: hundred.join("\n") },
        ]),
        /too many bytes/,
      ],
    ] as const) {
      publisher.pages.set("/lists.zip", page(archive));
      const { files } = await update();
      assert.deepEqual(
        files.map(({ outcome, code }) => [outcome, code]),
        [
          ["unchanged", null],
          ["failed", "archive"],
        ],
      );
      assert.match(files[1]!.problem!, problem);
    }
    publisher.pages.set("/lists.zip", page("<html>"));
    assert.deepEqual(
      (await update()).files.map(({ code }) => code),
      ["archive", "archive"],
    );
  });

  test("a URL with {uuid} has a different one each time", async () => {
    sources = [sourceOf("acme", [fileOf("acme/list.json", `${publisher.url("/list.json")}?id={uuid}`)])];
    publisher.pages.set("/list.json", page(GOOD, { etag: '"1"' }));
    await update();
    await update();
    const [first, second] = publisher.requests.map(({ path }) => path);
    for (const path of [first, second])
      assert.match(path!, /^\/list\.json\?id=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    assert.notEqual(first, second);
    assert.equal(publisher.requests[1]!.headers["if-none-match"], '"1"');
  });
});

describe("lists from elsewhere", () => {
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), content);
  };

  test("a mirror offers the files themselves, including those of pages, archives, and lists without an official URL", async () => {
    sources = [
      sourceOf("acme", [fileOf("acme/list.json", "https://www.acme.example/details", { link: /\/x$/ })]),
      sourceOf("globex", [
        fileOf("globex/v4.txt", "https://globex.example/lists.zip", { member: "v4.txt", importer: plainText() }),
      ]),
      sourceOf("initech", [fileOf("initech/list.json", null)]),
      sourceOf("umbrella", [fileOf("umbrella/list.json", "https://umbrella.example/list")]),
    ];
    for (const path of ["/lists/acme/list.json", "/lists/initech/list.json"]) publisher.pages.set(path, page(GOOD));
    publisher.pages.set("/lists/globex/v4.txt", page("30.0.0.0/24"));
    assert.deepEqual(outcomes(await update({ mirror: publisher.url("/lists/") })), ["new", "new", "new", "failed"]);
    // The list without an address cannot be had from its publisher.
    assert.deepEqual(
      (await update({ only: new Set(["initech"]) })).files.map(({ outcome, problem }) => [outcome, problem]),
      [["absent", null]],
    );
  });

  test("a folder, with file names as browsers save them; the guards are the same", async () => {
    const link = /\/Tags_\d{8}\.json$/;
    sources = [
      sourceOf("acme", [fileOf("acme/Tags.json", "https://www.acme.example/details", { link })]),
      sourceOf("globex", [
        fileOf("globex/v4.txt", "https://globex.example/pdfs/lists.zip", { member: "v4.txt", importer: plainText() }),
      ]),
      sourceOf("initech", [fileOf("initech/list.json", null)]),
    ];
    const origin = new FolderOrigin(join(folder.path, "from"));
    write("from/acme/Tags_20261109.json", listOf(["20.0.0.0/24"]));
    write("from/acme/Tags_20261116.json", GOOD);
    write("from/globex/lists.zip", zipOf([{ name: "v4.txt", content: "30.0.0.0/24" }]));
    const long = new Date("2026-01-02T03:04:05Z");
    utimesSync(join(folder.path, "from/acme/Tags_20261116.json"), long, long);
    assert.deepEqual(outcomes(await update({ origin })), ["new", "new", "absent"]);
    const [acme] = (await current()).metadata.sources;
    assert.deepEqual([readHome("lists/acme/Tags.json"), acme!.fetchedAt], [GOOD, long.toISOString()]);
    // Its own name takes precedence.
    write("from/acme/Tags.json", "<html>");
    assert.deepEqual(
      (await update({ origin })).files.map(({ outcome, code }) => [outcome, code]),
      [
        ["refused", "web-page"],
        ["unchanged", null],
        ["absent", null],
      ],
    );
    write("from/acme/Tags.json", listOf(hundred.slice(60)));
    assert.equal((await fileReport({ origin })).code, "half");
    write("from/acme/Tags.json", Buffer.concat([Buffer.from(GOOD), Buffer.of(0xff)]));
    assert.equal((await fileReport({ origin })).code, "not-utf8");
    write("from/globex/lists.zip", "no archive");
    assert.equal((await update({ origin })).files[1]!.code, "archive");
  });

  test("a folder with something else in place of a list: the other lists are read", async () => {
    const origin = new FolderOrigin(join(folder.path, "from"));
    sources = [
      sourceOf("acme", [fileOf("acme/list.json", null)]),
      sourceOf("globex", [fileOf("globex/list.json", null)]),
    ];
    write("from/globex/list.json", GOOD);
    write("secret.txt", "hunter2");
    write("outside/list.json", "hunter2");
    const place = join(folder.path, "from/acme");
    const put: readonly [what: RegExp, put: () => void][] = [
      [/acme: ENOTDIR/, () => writeFileSync(place, "")],
      [/acme\/list\.json is not a file/, () => mkdirSync(join(place, "list.json"), { recursive: true })],
      [/acme\/list\.json is not a file/, () => void execFileSync("mkfifo", [join(place, "list.json")])],
      [
        /acme\/list\.json is, or is reached through, a symbolic link that leaves .*from; put a copy/,
        () => symlinkSync("/dev/zero", join(place, "list.json")),
      ],
      [
        /acme\/list\.json is, or is reached through, a symbolic link that leaves (?!.*hunter2)/s,
        () => symlinkSync("../../secret.txt", join(place, "list.json")),
      ],
      [
        /acme\/list\.json is, or is reached through, a symbolic link that leaves (?!.*hunter2)/s,
        () => (rmSync(place, { recursive: true }), symlinkSync("../outside", place)),
      ],
      [/acme: ENOENT/, () => symlinkSync("nowhere", join(place, "list.json"))],
      [/acme: ELOOP/, () => symlinkSync("list.json", join(place, "list.json"))],
    ];
    for (const [i, [what, putThere]] of put.entries()) {
      if (i > 1) mkdirSync(place);
      putThere();
      const { files } = await update({ origin });
      assert.deepEqual(
        files.map(({ outcome, code }) => [outcome, code]),
        [
          ["failed", "unreadable"],
          [i === 0 ? "new" : "unchanged", null],
        ],
      );
      assert.match(files[0]!.problem!, what);
      rmSync(place, { recursive: true });
    }
  });

  test("links within the folder are followed, including one to the folder itself", async () => {
    sources = [
      sourceOf("acme", [fileOf("acme/list.json", null)]),
      sourceOf("globex", [fileOf("globex/list.json", null)]),
    ];
    write("from/editions/today.json", GOOD);
    write("from/globex/list.json", GOOD);
    mkdirSync(join(folder.path, "from/acme"));
    symlinkSync("../editions/today.json", join(folder.path, "from/acme/list.json"));
    symlinkSync("from", join(folder.path, "link"));
    const { files } = await update({ origin: new FolderOrigin(join(folder.path, "link")) });
    assert.deepEqual(
      files.map(({ outcome }) => outcome),
      ["new", "new"],
    );
  });

  test("a missing folder offers nothing", async () => {
    await assert.rejects(
      update({ origin: new FolderOrigin(join(folder.path, "nowhere")) }),
      (error: unknown) => error instanceof UpdateError && error.code === "no-lists",
    );
  });
});

describe("a home folder", () => {
  test("with an unreadable state is reported with the remedy", async () => {
    publisher.pages.set("/list.json", page(GOOD));
    await update();
    for (const state of [
      "{",
      "null",
      '{"format": 2, "lists": {}}',
      '{"format": 1, "lists": {"acme/list.json": {"sha256": 7}}}',
      '{"format": 1, "lists": {"acme/list.json": {"sha256": "", "fetchedAt": "never"}}}',
    ]) {
      writeFileSync(join(home, "lists/state.json"), state);
      await assert.rejects(
        update(),
        (error: unknown) =>
          error instanceof UpdateError &&
          error.code === "bad-home" &&
          /remove it to fetch all lists again$/.test(error.message),
      );
    }
    writeFileSync(join(home, "lists/state.json"), '{"format": 1, "lists": {}}');
    assert.equal((await fileReport()).outcome, "unchanged");
  });

  test("with a folder in place of a list is reported with the remedy; no work continues after the update ends", async () => {
    const files = ["acme", "globex"].map((id, i) =>
      sourceOf(id, [fileOf(`${id}/list.json`, publisher.url("/list.json", ["publisher.test", "other.test"][i]))]),
    );
    sources = files;
    mkdirSync(join(home, "lists/acme/list.json"), { recursive: true });
    publisher.pages.set("/list.json", (_, response) => void setTimeout(() => response.end(GOOD), 300));
    await assert.rejects(
      update(),
      (error: unknown) =>
        error instanceof UpdateError &&
        error.code === "bad-home" &&
        /acme\/list\.json cannot be read \(EISDIR.*or remove it/.test(error.message),
    );
    assert.equal(readHome("lists/globex/list.json"), GOOD);
  });

  test("with a corrupt newest generation gets a new one", async () => {
    publisher.pages.set("/list.json", page(GOOD));
    await update();
    writeFileSync(join(home, "history", generations()[0]!), "corrupt");
    assert.notEqual((await update()).generation, null);
    assert.equal(generations().length, 2);
  });

  test("allows one update at a time", async () => {
    let answer: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => {
      publisher.pages.set("/list.json", (_, response) => {
        answer = () => void response.end(GOOD);
        resolve();
      });
    });
    const first = update();
    await asked;
    await assert.rejects(
      update(),
      (error: unknown) =>
        error instanceof UpdateError && error.code === "locked" && error.message.includes(`process ${process.pid} `),
    );
    answer!();
    assert.deepEqual(outcomes(await first), ["new"]);
    publisher.pages.set("/list.json", page(GOOD));
    assert.deepEqual(outcomes(await update()), ["unchanged"]);
  });

  test("whose clock was once wrong continues", async () => {
    publisher.pages.set("/list.json", page(GOOD));
    await update();
    const [name] = generations();
    renameSync(join(home, "history", name!), join(home, "history/20991121T111900.000Z.ipsieve"));
    assert.notEqual((await update()).generation, null);
    assert.equal((await update()).generation, null);
    // What it made at that time does not replace anything in the history.
    publisher.pages.set("/list.json", page(listOf(hundred.slice(1))));
    const { generation } = await update({ keep: 1 });
    assert.deepEqual(generations().sort(), [basename(generation!), "20991121T111900.000Z.ipsieve"]);
  });

  test("that an older version filled with lists that this one rejects: the new list counts as the first one", async () => {
    publisher.pages.set("/list.json", page(GOOD));
    await update();
    writeFileSync(join(home, "lists/acme/list.json"), "what an older version took");
    publisher.pages.set("/list.json", page(listOf(publicPrefixes(1000, 1010))));
    assert.equal((await fileReport()).outcome, "new");
  });
});

test("a server that fails at first is tried again", async () => {
  publisher.pages.set("/list.json", inTurn(status(500), page(GOOD)));
  assert.equal((await fileReport()).outcome, "new");
});
