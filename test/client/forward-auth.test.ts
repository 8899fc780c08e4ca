/** The example program that reverse proxies query, with nginx and HAProxy configured as in its folder. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../api/start-server.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { nginxConfiguration } from "../formats/programs/nginx-configuration.ts";
import { freePort } from "../free-port.ts";
import { onlyLong } from "../rounds.ts";
import { missingCommand } from "../tools.ts";
import { until } from "../until.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/forward-auth");
/** The header in which the tests name the client. */
const CLIENT = "X-Test-Client";
const missing = missingCommand("nginx", "-v", "nginx-light") || missingCommand("haproxy", "-v", "haproxy");

describe("the example of forward authentication", { skip: missing || onlyLong() }, () => {
  const folder = temporaryFolder();
  const running: ChildProcess[] = [];
  const passed: string[] = [];
  let t: TestServer;
  let key: string;
  let id: string;
  let application: Server;
  let decider: ChildProcess;
  const ports = { decider: 0, nginx: 0, haproxy: 0, application: 0 };

  const write = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await ask(t, method, `/v1/edl/ip-rulesets/${path}`, { key, body });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const start = (program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess => {
    const child = spawn(program, args, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...environment },
    });
    running.push(child);
    return child;
  };
  const startDecider = (ruleset: string, port: number, environment: NodeJS.ProcessEnv = {}): ChildProcess => {
    const { url } = t.server;
    const settings = { IPSIEVE_URL: url, IPSIEVE_API_KEY: key, RULESET: ruleset, LISTEN: `127.0.0.1:${port}` };
    return start(process.execPath, [join(EXAMPLE, "forward-auth.js")], { ...settings, ...environment });
  };
  const status = async (port: number, headers: Record<string, string>, path = "/"): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
  /** The statuses that a client gets through each of the proxies. */
  const through = (client: string): Promise<number[]> =>
    Promise.all([ports.nginx, ports.haproxy].map((port) => status(port, { [CLIENT]: client })));
  const untilThrough = (client: string, expected: number): Promise<void> =>
    until(`${client} gets ${expected}`, async () => (await through(client)).every((each) => each === expected));
  const configuration = (file: string): string =>
    readFileSync(join(EXAMPLE, file), "utf8")
      .replaceAll("9090", String(ports.decider))
      .replaceAll("3000", String(ports.application));

  before(async () => {
    t = await startServer({ perMinute: 1e9 });
    key = (await addKey(t, await addOrganisation(t, "Edge"))).text;
    id = (await write("POST", "", { name: "scanners", purpose: "blocklist" })).id;
    await write("POST", `${id}/rules`, { ip: "192.0.2.0/24" });
    await write("POST", `${id}/rules`, { ip: "2001:db8::/32" });
    application = createServer(({ headers }, response) => {
      passed.push(String(headers[CLIENT.toLowerCase()]));
      response.end("welcome");
    });
    await once(application.listen(0, "127.0.0.1"), "listening");
    ports.application = (application.address() as AddressInfo).port;
    for (const name of ["decider", "nginx", "haproxy"] as const) ports[name] = await freePort();
    decider = startDecider(id, ports.decider);
    startNginx();
    startHaproxy();
    for (const name of ["decider", "nginx", "haproxy"] as const)
      await until(`${name} answers`, () =>
        status(ports[name], { "X-Real-IP": "198.51.100.1" }).then(Boolean, () => false),
      );
  });
  after(async () => {
    for (const child of running) child.kill("SIGKILL");
    application.close();
    await t.close();
    folder.remove();
  });

  function startNginx(): void {
    const server = `server {
      listen 127.0.0.1:${ports.nginx}; set_real_ip_from 127.0.0.1; real_ip_header ${CLIENT};
      ${configuration("nginx.conf")}
      location /static/ { proxy_pass http://127.0.0.1:${ports.application}; }
    }`;
    writeFileSync(join(folder.path, "nginx.conf"), nginxConfiguration(folder.path, server));
    start("nginx", ["-p", folder.path, "-c", join(folder.path, "nginx.conf")]);
  }

  function startHaproxy(): void {
    writeFileSync(join(folder.path, "may-pass.lua"), configuration("may-pass.lua"));
    const asked = "  http-request lua.may-pass";
    const text = configuration("haproxy.cfg").replace("8080", String(ports.haproxy));
    assert.ok(text.includes(asked));
    writeFileSync(
      join(folder.path, "haproxy.cfg"),
      text.replace(asked, `  http-request set-src req.hdr(${CLIENT})\n${asked}`),
    );
    start("haproxy", ["-db", "-C", folder.path, "-f", "haproxy.cfg"]);
  }

  test("listed clients get 403 from both proxies, others the application", async () => {
    for (const client of ["192.0.2.7", "2001:db8::7"]) assert.deepEqual(await through(client), [403, 403]);
    // In other locations of the server too.
    assert.equal(await status(ports.nginx, { [CLIENT]: "192.0.2.7" }, "/static/a"), 403);
    assert.ok(!passed.includes("192.0.2.7") && !passed.includes("2001:db8::7"));
    for (const client of ["198.51.100.7", "2001:db9::7"]) assert.deepEqual(await through(client), [200, 200]);
    // Without the check, a listed client reaches the application too.
    assert.equal(await status(ports.application, { [CLIENT]: "192.0.2.7" }), 200);
  });

  test("changes in the service apply in the proxies without a restart", async () => {
    await write("POST", `${id}/rules`, { ip: "198.51.100.7" });
    await untilThrough("198.51.100.7", 403);
    await write("DELETE", `${id}/rules/rule?ip=198.51.100.7`);
    await untilThrough("198.51.100.7", 200);
  });

  test("an allowlist admits only listed clients; a proxy that sends no address gets an error", async () => {
    const { id: allowed } = await write("POST", "", { name: "staff", purpose: "allowlist" });
    await write("POST", `${allowed}/rules`, { ip: "203.0.113.0/24" });
    const port = await freePort();
    startDecider(allowed, port);
    await until("it answers", () =>
      status(port, {}, "/health").then(
        (code) => code === 204,
        () => false,
      ),
    );
    const asked = (client: string) => status(port, { "X-Real-IP": client });
    assert.equal(await asked("fe80::1%eth0"), 400);
    assert.deepEqual([await asked("203.0.113.9"), await asked("192.0.2.7")], [204, 403]);
    assert.deepEqual([await asked("nobody"), await status(port, {})], [400, 400]);
  });

  test("an allowlist beside a blocklist: what both list passes, as the service decides", async () => {
    const { id: partners } = await write("POST", "", { name: "partners", purpose: "allowlist" });
    await write("POST", `${partners}/rules`, { ip: "192.0.2.8" });
    const port = await freePort();
    startDecider(id, port, { ALLOWLIST: partners });
    const asked = (client: string) => status(port, { "X-Real-IP": client });
    await until("it answers", () =>
      asked("192.0.2.8").then(
        (code) => code === 204,
        () => false,
      ),
    );
    assert.deepEqual([await asked("192.0.2.7"), await asked("198.51.100.1")], [403, 204]);
    await write("DELETE", `${partners}/rules/rule?ip=192.0.2.8`);
    await until("the change of the allowlist applies", async () => (await asked("192.0.2.8")) === 403);
  });

  test("a wrong key or ruleset ends the program with the reason", async () => {
    for (const [environment, reason] of [
      [{ IPSIEVE_API_KEY: "ips_wrong-key" }, /cannot be read: Authentication Required/],
      [{ RULESET: crypto.randomUUID() }, /cannot be read: .*ruleset/],
      [{ ALLOWLIST: id }, /ALLOWLIST must be the id of an allowlist/],
      [{ RULESET: "" }, /set IPSIEVE_URL, IPSIEVE_API_KEY and RULESET/],
    ] as const) {
      const child = startDecider(id, await freePort(), environment);
      let said = "";
      child.stderr!.on("data", (part: Buffer) => (said += part.toString()));
      const [code] = await once(child, "close");
      assert.equal(code, 1);
      assert.match(said, reason);
    }
  });

  test("while the service is down, decisions stay; while the program is down, no one passes", async () => {
    await t.server.close();
    assert.deepEqual(await through("192.0.2.7"), [403, 403]);
    assert.deepEqual(await through("198.51.100.7"), [200, 200]);
    decider.kill("SIGKILL");
    await once(decider, "close");
    assert.deepEqual(await through("198.51.100.7"), [500, 503]);
    await t.restart();
  });
});
