import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { type Download, Downloader, type DownloadOptions } from "../../src/update/download.ts";
import { assertFails } from "./assert-fails.ts";
import { SMALL_CATALOGUE } from "../api/harness/small-catalogue.ts";
import { run, temporaryFolder } from "../cli/run-command.ts";
import { CA_FILE, page, type Publisher, startPublisher } from "./publisher.ts";

/** A real proxy on this machine that connects to the requested target, or responds with a status of its own. */
interface TestProxy {
  readonly url: URL;
  /** The requested targets, with the credentials. */
  readonly asked: { readonly target: string; readonly credentials: string | undefined }[];
  refuses: number | undefined;
  close(): Promise<void>;
}

async function startProxy(): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const proxy: Omit<TestProxy, "url" | "close"> = { asked: [], refuses: undefined };
  const server = createServer((_, response) => response.writeHead(501).end());
  server.on("connect", (request: IncomingMessage, client: Socket) => {
    proxy.asked.push({ target: request.url!, credentials: request.headers["proxy-authorization"] });
    if (proxy.refuses !== undefined) return client.end(`HTTP/1.1 ${proxy.refuses} no\r\ncontent-length: 0\r\n\r\n`);
    const port = Number(request.url!.slice(request.url!.lastIndexOf(":") + 1));
    const upstream = connect(port, request.url!.slice(0, request.url!.lastIndexOf(":")).replace(/[[\]]/g, ""), () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
    return undefined;
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return Object.assign(proxy, { url, close });
}

let publisher: Publisher;
let proxy: TestProxy;
before(async () => {
  [publisher, proxy] = [await startPublisher(), await startProxy()];
  publisher.pages.set("/list", page("10 prefixes"));
});
after(() => Promise.all([publisher.close(), proxy.close()]));
afterEach(() => {
  proxy.asked.length = 0;
  proxy.refuses = undefined;
  publisher.requests.length = 0;
});

async function get(url = publisher.url("/list"), options: Partial<DownloadOptions> = {}): Promise<string> {
  const downloader = await Downloader.create(
    publisher.options({ proxy: { url: proxy.url, except: [] }, limits: { attempts: 1 }, ...options }),
  );
  try {
    return ((await downloader.get(url)) as Download).bytes.toString();
  } finally {
    await downloader.close();
  }
}

describe("through a proxy", () => {
  test("a list comes from the checked address, under the name of the certificate", async () => {
    assert.equal(await get(), "10 prefixes");
    assert.deepEqual(
      proxy.asked,
      [{ target: `127.0.0.1:${publisher.port}`, credentials: undefined }],
      "asked for the address, not for the name",
    );
    assert.equal(publisher.requests[0]!.headers["host"], `publisher.test:${publisher.port}`);
  });

  test("an internal host is rejected before the proxy is contacted, even after a redirect", async () => {
    for (const host of ["metadata.test", "private.test", "loopback6.test", "mapped.test", "mixed.test"]) {
      await assertFails(get(publisher.url("/list", host)), "address-refused", /from which nothing is fetched/);
    }
    publisher.pages.set(
      "/moved",
      (_, response) => void response.writeHead(302, { location: publisher.url("/list", "private.test") }).end(),
    );
    assert.deepEqual(proxy.asked, []);
    await assertFails(get(publisher.url("/moved")), "address-refused", /10\.1\.2\.3/);
    assert.equal(proxy.asked.length, 1);
  });

  test("another host's certificate is not trusted", async () => {
    await assertFails(
      get(publisher.url("/list", "loopback.test"), { allow: [], resolve: async () => ["127.0.0.1"] }),
      "address-refused",
      /127\.0\.0\.1/,
    );
    const allow = publisher.options().allow;
    await assertFails(
      get(publisher.url("/list", "unnamed.test"), { allow, resolve: async () => ["127.0.0.1"] }),
      "untrusted",
      /certificate/,
    );
  });

  test("credentials are sent only to the proxy", async () => {
    const url = new URL(proxy.url);
    [url.username, url.password] = ["user", "s3cret"];
    assert.equal(await get(undefined, { proxy: { url, except: [] } }), "10 prefixes");
    assert.equal(proxy.asked[0]!.credentials, `Basic ${Buffer.from("user:s3cret").toString("base64")}`);
    assert.equal(publisher.requests[0]!.headers["proxy-authorization"], undefined);
  });

  test("a rejection by the proxy is reported, without its password", async () => {
    const url = new URL(proxy.url);
    [url.username, url.password] = ["user", "s3cret"];
    for (const [status, message] of [
      [403, /responds to CONNECT with status 403/],
      [407, /requires a user name and password/],
      [502, /status 502/],
    ] as const) {
      proxy.refuses = status;
      const failure = get(undefined, { proxy: { url, except: [] } });
      await assertFails(failure, "proxy", message);
      await assert.rejects(
        failure,
        (error: Error) => !error.message.includes("s3cret") && error.message.includes(proxy.url.host),
      );
    }
    const gone = await startProxy();
    await gone.close();
    await assertFails(
      get(undefined, { proxy: { url: gone.url, except: [] } }),
      "unreachable",
      new RegExp(`the proxy ${gone.url.host} cannot be reached`),
    );
    // At the usual port of its protocol, at which there is none here, or one that is not to be asked.
    for (const text of ["http://127.9.9.9", "https://127.9.9.9"])
      await assert.rejects(
        get(undefined, { proxy: { url: new URL(text), except: [] } }),
        /the proxy 127\.9\.9\.9 /,
        text,
      );
  });

  test("excepted hosts are connected to directly", async () => {
    for (const except of [["publisher.test"], ["test"], ["*"], [`publisher.test:${publisher.port}`]]) {
      assert.equal(await get(undefined, { proxy: { url: proxy.url, except } }), "10 prefixes");
    }
    assert.deepEqual(proxy.asked, []);
    for (const except of [["lisher.test"], ["other.test"]]) await get(undefined, { proxy: { url: proxy.url, except } });
    assert.equal(proxy.asked.length, 2);
  });

  test("a list that is too long or endless is cut off as without a proxy", async () => {
    publisher.pages.set("/long", page("x".repeat(2000)));
    await assertFails(get(publisher.url("/long"), { limits: { attempts: 1, bytes: 1000 } }), "too-large", /1000 bytes/);
  });
});

/** The lists are laid over a few lines. */
const SMALL_BASE = new URL("small-base.ts", import.meta.url);
SMALL_BASE.searchParams.set("path", SMALL_CATALOGUE);

describe("cbs update --proxy", () => {
  const update = async (environment: Record<string, string>, ...args: string[]) => {
    const folder = temporaryFolder();
    try {
      publisher.pages.set("/telegram/cidr.txt", page("30.0.0.0/24\n"));
      const mirror = [
        "--mirror",
        `https://localhost:${publisher.port}`,
        "--allow-address",
        "127.0.0.0/8",
        "--allow-address",
        "::1",
      ];
      return await run(["cbs", "update", "--only", "telegram", ...mirror, ...args], {
        cwd: folder.path,
        env: {
          IPSIEVE_HOME: folder.path,
          NODE_EXTRA_CA_CERTS: CA_FILE,
          NODE_OPTIONS: `--import=${SMALL_BASE.href}`,
          ...environment,
        },
      });
    } finally {
      folder.remove();
    }
  };

  test("a named proxy; one from the environment only on request, except for NO_PROXY", async () => {
    const asked = async (environment: Record<string, string>, ...args: string[]): Promise<number> => {
      proxy.asked.length = 0;
      const { code, stderr } = await update(environment, ...args);
      assert.deepEqual([code, stderr], [0, ""]);
      return proxy.asked.length;
    };
    const HTTPS_PROXY = proxy.url.href;
    assert.equal(await asked({}, "--proxy", HTTPS_PROXY), 1);
    assert.equal(await asked({ HTTPS_PROXY }), 0);
    assert.equal(await asked({ HTTPS_PROXY }, "--proxy", "env"), 1);
    assert.equal(await asked({ HTTPS_PROXY, NO_PROXY: "example.org, localhost" }, "--proxy", "env"), 0);
  });

  test("an invalid proxy is rejected, and a password is not shown", async () => {
    const cases: [environment: Record<string, string>, args: string[], message: RegExp][] = [
      [{}, ["--proxy", "env"], /HTTPS_PROXY is not set/],
      [{ HTTPS_PROXY: "user:s3cret@proxy" }, ["--proxy", "env"], /^ipsieve: HTTPS_PROXY is not the URL of a proxy/],
      [{}, ["--proxy", "socks5://proxy.example"], /^ipsieve: --proxy is not the URL of a proxy/],
    ];
    for (const [environment, args, message] of cases) {
      const { code, stderr } = await update(environment, ...args);
      assert.equal(code, 2);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /s3cret/);
    }
  });
});
