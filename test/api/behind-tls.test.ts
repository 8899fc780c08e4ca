import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { after, before, describe, test } from "node:test";
import { CERTIFICATE_AUTHORITY, PROXIES, startProxy } from "./harness/proxies.ts";
import type { ListeningProgram } from "./harness/start-listening.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { addKey, addOrganisation, startServer, type TestServer } from "./start-server.ts";

const PASSWORD = "a long enough passphrase";

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: any;
}

for (const proxy of PROXIES) {
  describe(`behind TLS that ${proxy.name} terminates`, { skip: proxy.missing }, () => {
    let folder: ReturnType<typeof temporaryFolder>;
    let t: TestServer;
    let running: ListeningProgram;
    let agent: Agent;
    before(async () => {
      folder = temporaryFolder();
      t = await startServer({ trustProxy: "127.0.0.1" });
      running = await startProxy(proxy, {
        folder: folder.path,
        servicePort: Number(new URL(t.server.url).port),
        withTls: true,
      });
      agent = new Agent({
        keepAlive: true,
        ca: CERTIFICATE_AUTHORITY,
        servername: "localhost",
        checkServerIdentity: () => undefined,
      });
    });
    after(async () => {
      agent.destroy();
      await running.end();
      await t.close();
      folder.remove();
    });

    const origin = (): string => `https://localhost:${running.port}`;

    async function send(
      method: string,
      path: string,
      headers: Record<string, string>,
      body?: unknown,
    ): Promise<Answer> {
      const sent = request({
        agent,
        method,
        path,
        host: "127.0.0.1",
        port: running.port,
        headers: {
          Host: `localhost:${running.port}`,
          ...headers,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      const text = Buffer.concat(await response.toArray()).toString();
      return {
        status: response.statusCode!,
        headers: response.headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
    }

    test("the first user is created, signs in with cookies for https only, and looks up an address", async () => {
      const page = { Origin: origin(), "Sec-Fetch-Site": "same-origin" };
      const made = await send("POST", "/dashboard/api/setup", page, {
        token: t.server.setupToken,
        organisation: "Example",
        name: "Ann",
        password: PASSWORD,
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const signedIn = await send("POST", "/dashboard/api/session", page, { name: "Ann", password: PASSWORD });
      assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
      const [set] = signedIn.headers["set-cookie"]!;
      assert.match(set!, /^__Host-ipsieve=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
      const Cookie = set!.split(";")[0]!;
      const found = await send("GET", "/dashboard/api/session", { Cookie });
      assert.deepEqual([found.status, found.body.user.name], [200, "Ann"]);
      assert.equal((await send("GET", "/dashboard/api/cbs/lookup?ip=1.1.1.1", { Cookie })).status, 200);
      // A cookie that a plain connection could have set does not count here, and neither does a page of another site
      // count as one of ours.
      assert.equal(
        (await send("GET", "/dashboard/api/session", { Cookie: Cookie.replace("__Host-", "") })).status,
        401,
      );
      assert.equal(
        (
          await send(
            "POST",
            "/dashboard/api/session",
            { Origin: "https://evil.example" },
            { name: "Ann", password: PASSWORD },
          )
        ).status,
        403,
      );
    });

    test("a key, links to the proxy, and an id for every response", async () => {
      const { text: key } = await addKey(t, await addOrganisation(t, "Links"));
      const id = randomUUID();
      const { status, headers, body } = await send("GET", "/v1/edl/ip-rulesets?page_size=1", {
        "X-API-Key": key,
        "X-Request-Id": id,
      });
      assert.deepEqual([status, headers["x-request-id"]], [200, id]);
      assert.ok(String(body.next).startsWith(`${origin()}/v1/edl/ip-rulesets?`), String(body.next));
    });
  });
}
