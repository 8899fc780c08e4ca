import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { parsePrefix } from "../../src/address/prefix.ts";
import { type Download, DOWNLOAD_LIMITS, Downloader, type DownloadOptions } from "../../src/update/download.ts";
import type { UpdateErrorCode } from "../../src/update/update-error.ts";
import { assertFails } from "./assert-fails.ts";
import { endless, type Handler, inTurn, page, type Publisher, startPublisher, status } from "./publisher.ts";

let publisher: Publisher;
before(async () => {
  publisher = await startPublisher();
});
after(() => publisher.close());

/** Fetches `url` (default: the page that was just set) with a downloader of its own. */
async function get(
  handler: Handler | undefined,
  options: Partial<DownloadOptions> = {},
  url = publisher.url("/list"),
  validators?: Parameters<Downloader["get"]>[1],
) {
  if (handler !== undefined) publisher.pages.set("/list", handler);
  publisher.requests.length = 0;
  const downloader = await Downloader.create(publisher.options(options));
  try {
    return await downloader.get(url, validators);
  } finally {
    await downloader.close();
  }
}

async function textOf(found: Promise<Download | "same">): Promise<string> {
  const download = await found;
  return download === "same" ? download : download.bytes.toString();
}

describe("responses of a good server are accepted", () => {
  test("a page with its headers; requested as ipsieve, compressed or not", async () => {
    const found = (await get(
      page("10 prefixes", { etag: '"a1"', "last-modified": "Fri, 20 Nov 2026 10:00:00 GMT" }),
    )) as Download;
    assert.deepEqual(
      [found.bytes.toString(), found.etag, found.lastModified],
      ["10 prefixes", '"a1"', "Fri, 20 Nov 2026 10:00:00 GMT"],
    );
    const [{ headers }] = publisher.requests as [Publisher["requests"][number]];
    assert.deepEqual(
      [headers["user-agent"], headers["accept-encoding"], headers["host"], headers["if-none-match"]],
      ["ipsieve/test", "gzip, br", `publisher.test:${publisher.port}`, undefined],
    );
  });

  test("gzip, brotli, chunks, any content type", async () => {
    assert.equal(await textOf(get(page(gzipSync("zipped"), { "content-encoding": "gzip" }))), "zipped");
    assert.equal(await textOf(get(page(gzipSync("zipped"), { "content-encoding": "x-gzip" }))), "zipped");
    assert.equal(await textOf(get(page("plain", { "content-encoding": "identity" }))), "plain");
    assert.equal(await textOf(get(page(brotliCompressSync("brotli"), { "content-encoding": "br" }))), "brotli");
    assert.equal(
      await textOf(
        get(
          (_, response) =>
            void response.writeHead(200, { "content-type": "text/html" }).write("in ", () => response.end("pieces")),
        ),
      ),
      "in pieces",
    );
  });

  test("a redirect to another host, and one to a path", async () => {
    publisher.pages.set("/here", page("arrived"));
    publisher.pages.set("/there", status(302, { location: "/here" }));
    assert.equal(await textOf(get(status(301, { location: publisher.url("/there", "other.test") }))), "arrived");
    assert.deepEqual(
      publisher.requests.map(({ path, headers }) => `${headers["host"]!.split(":")[0]}${path}`),
      ["publisher.test/list", "other.test/there", "other.test/here"],
    );
  });

  test("every kind of redirect, up to as many as are allowed", async () => {
    publisher.pages.set("/here", page("arrived"));
    for (const code of [301, 302, 303, 307, 308])
      assert.equal(await textOf(get(status(code, { location: "/here" }))), "arrived", String(code));
    for (const code of [300, 304, 305, 309])
      await assertFails(get(status(code, { location: "/here" })), "status", new RegExp(`status ${code}`));
    const hops = 3;
    for (let hop = 1; hop <= hops; hop++)
      publisher.pages.set(`/${hop}`, status(302, { location: hop === hops ? "/here" : `/${hop + 1}` }));
    const limits = (redirects: number) => ({ limits: { redirects } });
    assert.equal(await textOf(get(undefined, limits(hops), publisher.url("/1"))), "arrived");
    await assertFails(get(undefined, limits(hops - 1), publisher.url("/1")), "redirect", /more than 2 redirects/);
  });

  test("one connection to a host, or as many as are allowed", async () => {
    const fetchTwo = async (connections?: number) => {
      const ports = new Set<number | undefined>();
      const waiting: (() => void)[] = [];
      publisher.pages.set("/list", (request, response) => {
        ports.add(request.socket.remotePort);
        waiting.push(() => response.end("x"));
        // With two connections both requests arrive before either is answered.
        if (waiting.length === (connections ?? 1)) waiting.splice(0).forEach((end) => end());
      });
      const downloader = await Downloader.create(publisher.options(connections === undefined ? {} : { connections }));
      await Promise.all([downloader.get(publisher.url("/list")), downloader.get(publisher.url("/list"))]);
      await downloader.close();
      return ports.size;
    };
    assert.deepEqual([await fetchTwo(), await fetchTwo(2)], [1, 2]);
  });

  test("an unchanged page, by its validators", async () => {
    const validators = { etag: '"a1"', lastModified: "Fri, 20 Nov 2026 10:00:00 GMT" };
    assert.equal(await get(status(304), {}, undefined, validators), "same");
    const [{ headers }] = publisher.requests as [Publisher["requests"][number]];
    assert.deepEqual(
      [headers["if-none-match"], headers["if-modified-since"]],
      ['"a1"', "Fri, 20 Nov 2026 10:00:00 GMT"],
    );
  });

  test("a name without an address at first", async () => {
    const answers = [[], ["127.0.0.1"]];
    assert.equal(await textOf(get(page("now"), { resolve: async () => answers.shift()! })), "now");
  });

  test("cleartext from this machine, if it is allowed", async () => {
    const server = createServer((_, response) => void response.end("in the clear"));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    for (const host of ["127.0.0.1", "localhost"])
      assert.equal(await textOf(get(undefined, {}, `http://${host}:${port}/`)), "in the clear");
    await assertFails(get(undefined, { allow: [] }, `http://127.0.0.1:${port}/`), "address-refused", /Loopback/);
    await assertFails(get(undefined, { allow: [] }, `http://[::1]:${port}/`), "address-refused", /Loopback/);
    server.closeAllConnections();
    server.close();
  });

  test("a transient failure, or a Retry-After", async () => {
    for (const bad of [
      status(503, { "retry-after": "0" }),
      ...[429, 500, 502, 503, 504].map((code) => status(code)),
      ((_, response) => void response.socket!.destroy()) satisfies Handler,
    ]) {
      assert.equal(await textOf(get(inTurn(bad, page("now")))), "now");
      assert.equal(publisher.requests.length, 2);
    }
    for (const code of [400, 404, 428, 501, 505]) {
      await assertFails(get(inTurn(status(code), page("now"))), "status", new RegExp(`status ${code}`));
      assert.equal(publisher.requests.length, 1, `${code} is final`);
    }
  });

  test("malformed validators are not kept", async () => {
    for (const etag of ["unquoted", `"${"x".repeat(300)}"`, '"a" "b"'])
      assert.equal(((await get(page("x", { etag }))) as Download).etag, null);
    for (const time of ["yesterday", "Fri, 20 Nov 2026 10:00:00 GMT (and so on, at length)"])
      assert.equal(((await get(page("x", { "last-modified": time }))) as Download).lastModified, null);
  });
});

describe("responses of a bad server are rejected", () => {
  const MALFORMED: readonly [what: string, handler: Handler, code: UpdateErrorCode, message: RegExp][] = [
    ["404", status(404), "status", /status 404$/],
    ["403", status(403), "status", /status 403$/],
    ["206", status(206), "status", /status 206$/],
    ["500 for ever", status(500), "status", /status 500; tried 3 times$/],
    ["304 that was not requested", status(304), "status", /status 304, which was not requested$/],
    [
      "a connection cut before the answer",
      (_, response) => void response.socket!.destroy(),
      "unreachable",
      /no complete response/,
    ],
    [
      "a body cut before the length that was told",
      (_, response) =>
        void response.writeHead(200, { "content-length": 100 }).write("ten bytes.", () => response.socket!.destroy()),
      "unreachable",
      /no complete response/,
    ],
    [
      "chunks without their end",
      (_, response) => void response.writeHead(200).write("ten bytes.", () => response.socket!.destroy()),
      "unreachable",
      /no complete response/,
    ],
    [
      "two lengths",
      (_, { socket }) => void socket!.end("HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nfour"),
      "unreachable",
      /does not have the length that it states/,
    ],
    [
      "no HTTP",
      (_, { socket }) => void socket!.end("220 smtp.example ESMTP\r\n"),
      "unreachable",
      /no complete response/,
    ],
    ["gzip that is none", page("plain", { "content-encoding": "gzip" }), "encoding", /the compressed data is corrupt/],
    [
      "gzip cut off",
      page(gzipSync("a".repeat(1000)).subarray(0, 20), { "content-encoding": "gzip" }),
      "encoding",
      /the compressed data is corrupt \(unexpected end of file\)/,
    ],
    ["brotli that is none", page("plain", { "content-encoding": "br" }), "encoding", /the compressed data is corrupt/],
    [
      "a compression that was not requested",
      page("x", { "content-encoding": "zstd" }),
      "encoding",
      /"zstd", which was not requested/,
    ],
    [
      "compression twice",
      page(gzipSync(gzipSync("x")), { "content-encoding": "gzip, gzip" }),
      "encoding",
      /, which was not requested/,
    ],
    ["a redirect without an address", status(302), "status", /status 302/],
    ["a redirect to no address", status(302, { location: "https://[" }), "status", /status 302/],
  ];
  for (const [what, handler, code, message] of MALFORMED) {
    test(what, () => assertFails(get(handler), code, message));
  }

  test("too large: declared, as received, as decoded, endless", async () => {
    const limits = { bytes: 100_000 };
    const large = Buffer.alloc(100_001, "x");
    for (const handler of [
      page(large),
      ((_, response) => void response.writeHead(200).end(large)) satisfies Handler,
      page(gzipSync(Buffer.alloc(50 << 20)), { "content-encoding": "gzip" }),
      page(brotliCompressSync(Buffer.alloc(50 << 20)), { "content-encoding": "br" }),
      endless(large, 1),
      // Bytes that decompress to nothing at all.
      endless(Buffer.concat(Array<Buffer>(1000).fill(gzipSync(""))), 1, { "content-encoding": "gzip" }),
    ]) {
      await assertFails(get(handler, { limits }), "too-large", /more than 100000 bytes/);
      assert.equal(publisher.requests.length, 1, "what is too large is not asked for again");
    }
    assert.equal((await textOf(get(page(large.subarray(1)), { limits }))).length, 100_000);
    assert.equal(DOWNLOAD_LIMITS.bytes, 67_108_864, "without a limit of one's own");
  });

  test("too slow: a trickle, silence before the response, silence within it", async () => {
    await assertFails(get(endless("x", 50), { limits: { totalTime: 700 } }), "timeout", /longer than 0\.7 s/);
    await assertFails(
      get(() => {}, { limits: { idleTime: 500, attempts: 2 } }),
      "timeout",
      /no data arrived for 0\.5 s; tried 2 times/,
    );
    await assertFails(
      get((_, response) => void response.writeHead(200).write("x"), { limits: { idleTime: 500, attempts: 1 } }),
      "timeout",
      /no data arrived/,
    );
    await assertFails(
      get(() => {}, { limits: { totalTime: 500 } }),
      "timeout",
      /longer than 0\.5 s/,
    );
  });

  test("a server with an untrusted certificate", async () => {
    const { ca: _, ...options } = publisher.options();
    publisher.pages.set("/list", page("x"));
    const downloader = await Downloader.create(options);
    await assertFails(
      downloader.get(publisher.url("/list")),
      "untrusted",
      /the certificate is not trusted.*NODE_EXTRA_CA_CERTS/,
    );
    await downloader.close();
    // The certificate does not cover this name.
    await assertFails(
      get(
        page("x"),
        { allow: [parsePrefix("127.0.0.0/8")], resolve: async () => ["127.0.0.1"] },
        publisher.url("/list", "loopback.test"),
      ),
      "untrusted",
      /not trusted/,
    );
  });
});

describe("nothing is fetched from inside the network", () => {
  const REFUSED: readonly [host: string, why: RegExp][] = [
    [
      "metadata.test",
      /metadata\.test has the address 169\.254\.169\.254, from which nothing is fetched: it is in 169\.254\.0\.0\/16, Link Local/,
    ],
    ["private.test", /10\.1\.2\.3.*Private-Use \(RFC 1918\)/],
    ["loopback.test", /127\.0\.0\.2.*Loopback/],
    ["loopback6.test", /::1.*Loopback Address/],
    ["mapped.test", /::ffff:10\.1\.2\.3.*Private-Use/],
    ["translated.test", /64:ff9b::a01:203.*Private-Use/],
    ["mixed.test", /192\.168\.0\.1.*Private-Use/],
    ["169.254.169.254", /169\.254\.169\.254.*Link Local/],
    ["0x7f.2", /127\.0\.0\.2.*Loopback/],
    ["2130706434", /127\.0\.0\.2.*Loopback/],
    ["0", /0\.0\.0\.0.*This host/],
    ["[::1]", /::1.*Loopback/],
    ["[::ffff:192.168.0.1]", /::ffff:c0a8:1.*Private-Use/],
    ["[::7f00:1]", /outside 2000::\/3/],
    ["[fe80::1]", /Link-Local/],
    ["[fd00::1]", /Unique-Local/],
  ];
  for (const [host, why] of REFUSED) {
    test(`${host}, at first and by a redirect`, async () => {
      await assertFails(get(page("secret"), {}, publisher.url("/list", host)), "address-refused", why);
      assert.equal(publisher.requests.length, 0);
      for (const code of [301, 302, 303, 307, 308]) {
        await assertFails(get(status(code, { location: publisher.url("/secret", host) })), "address-refused", why);
        assert.equal(publisher.requests.length, 1);
      }
    });
  }

  test("a named address is allowed, and the host name of the request is kept", async () => {
    assert.equal(await textOf(get(page("mirror"), { allow: [parsePrefix("127.0.0.0/8")] })), "mirror");
    assert.equal(await textOf(get(page("mirror"), {}, publisher.url("/list", "127.0.0.1"))), "mirror");
    await assertFails(get(page("mirror"), { allow: [] }), "address-refused", /--allow-address 127\.0\.0\.1 allows it/);
  });

  test("the checked address is connected to, even if the name changes its address (DNS rebinding)", async () => {
    const answers = ["127.0.0.1", "10.0.0.1"];
    let asked = 0;
    const resolve = async (): Promise<string[]> => [answers[Math.min(asked++, 1)]!];
    assert.equal(await textOf(get(page("checked"), { resolve })), "checked");
    assert.equal(asked, 1);
    // A new connection resolves the name again, and checks it again.
    asked = 0;
    await assertFails(
      get(
        inTurn((_, response) => void response.socket!.destroy(), page("secret")),
        { resolve },
      ),
      "address-refused",
      /10\.0\.0\.1/,
    );
    assert.deepEqual([asked, publisher.requests.length], [2, 1]);
  });

  test("cleartext, other protocols and passwords", async () => {
    for (const url of [
      "http://publisher.test/list",
      "http://203.0.113.1/list",
      "ftp://publisher.test/list",
      "file:///etc/passwd",
      "data:text/plain,x",
    ]) {
      await assertFails(get(undefined, {}, url), "bad-url", /only https URLs are fetched/);
      await assertFails(get(status(302, { location: url })), "bad-url", /only https URLs are fetched/);
    }
    await assertFails(
      get(undefined, {}, "https://me:secret@publisher.test/"),
      "bad-url",
      /^publisher\.test: URLs with a user name or password/,
    );
    await assertFails(get(undefined, {}, "no url"), "bad-url", /is not a URL/);
    // On this machine, but not allowed: http does not get around the check.
    await assertFails(
      get(undefined, { allow: [] }, `http://localhost:${publisher.port}/list`),
      "address-refused",
      /Loopback/,
    );
  });

  test("redirects that lead nowhere", async () => {
    publisher.pages.set("/a", status(302, { location: "/b" }));
    publisher.pages.set("/b", status(302, { location: "/a" }));
    await assertFails(get(undefined, {}, publisher.url("/a")), "redirect", /more than 5 redirects/);
    assert.equal(publisher.requests.length, 6);
  });

  test("a name without an address", async () => {
    await assertFails(
      get(undefined, {}, publisher.url("/list", "nowhere.test")),
      "unreachable",
      /nowhere\.test has no address \(ENOTFOUND\)/,
    );
    await assertFails(get(undefined, { resolve: async () => [] }), "unreachable", /publisher\.test has no address/);
  });
});
