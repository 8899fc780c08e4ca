/** The unit, under a systemd of its own: what docs/operating.md says in "Debian and systemd", from the unit to TLS. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { text } from "node:stream/consumers";
import { temporaryFolder } from "../cli/run-command.ts";
import { NOT_HAD } from "../every-file-ran.ts";
import { onlyLong } from "../rounds.ts";
import { missingCommand, run } from "../tools.ts";
import { until } from "../until.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const BOOT = join(import.meta.dirname, "harness/boot-systemd.sh");
const PACKAGE = "/usr/local/lib/node_modules/ipsieve";

/** The blocks of commands in the section, in order: packages, the unit, commands, TLS. */
const [, unitSteps, commandSteps, tlsSteps] = Array.from(
  readFileSync(join(CHECKOUT, "docs/operating.md"), "utf8")
    .split("### Debian and systemd\n")[1]!
    .split("\n#")[0]!
    .matchAll(/^\n((?: {4}.*\n)+)/gm),
  ([, block]) => block!.replaceAll(/^ {4}/gm, ""),
) as [string, string, string, string];

/** A systemd that has booted, in namespaces of its own. */
class Machine {
  readonly #first: number;

  constructor(first: number) {
    this.#first = first;
  }

  /** Runs a script as root, in the folder of the package; returns what it printed. */
  async run(script: string): Promise<string> {
    const { code, stdout, output } = await this.try(script);
    assert.equal(code, 0, `${script}\n${output}`);
    return stdout;
  }

  try(script: string) {
    const namespaces = ["-m", "-p", "-n", "-u", "-i", "-C", "-r", "-w"];
    const command = ["env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "sh", "-euc"];
    return run("nsenter", ["-t", String(this.#first), ...namespaces, ...command, `cd ${PACKAGE}; ${script}`]);
  }

  /** A property of the service, as systemd has it. */
  async property(name: string): Promise<string> {
    return (await this.run(`systemctl show ipsieve --value --property=${name}`)).trim();
  }

  async isServing(): Promise<boolean> {
    return (await this.try(`node -e "fetch('http://127.0.0.1:8080/livez').then(() => {})"`)).code === 0;
  }
}

/** A machine that is gone after the test; a text: why there can be none here. */
async function boot(context: TestContext): Promise<Machine | string> {
  const folder = temporaryFolder();
  const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--net", "--uts", "--ipc", "--cgroup"];
  const parent = spawn(
    "setpriv",
    ["--pdeathsig", "KILL", "unshare", ...namespaces, "sh", BOOT, folder.path, process.execPath, CHECKOUT],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  context.after(async () => {
    if (parent.exitCode === null && parent.signalCode === null) {
      parent.kill("SIGKILL");
      await once(parent, "exit");
    }
    folder.remove();
  });
  const said = text(parent.stderr);
  const children = `/proc/${parent.pid}/task/${parent.pid}/children`;
  let machine: Machine | undefined;
  await until("systemd has booted, or ended", async () => {
    if (parent.exitCode !== null || parent.signalCode !== null) return true;
    const first = Number(readFileSync(children, "utf8").trim() || 0);
    if (first === 0 || !readFileSync(`/proc/${first}/comm`, "utf8").startsWith("systemd")) return false;
    machine = new Machine(first);
    return (await machine.try("systemctl is-active basic.target")).code === 0;
  });
  return machine ?? `a systemd in namespaces of its own: ${await said}`;
}

/** Why there can be no machine; false if it can be tried. */
function missing(): string | false {
  if (process.getuid!() !== 0) return "only root can make namespaces";
  return (
    missingCommand("systemctl", "--version", "systemd") ||
    missingCommand("haproxy", "-v", "haproxy") ||
    missingCommand("openssl", "version", "openssl")
  );
}

test(
  "a bare Debian's systemd runs the unit as docs/operating.md says",
  { skip: onlyLong() || missing() },
  async (t) => {
    const machine = await boot(t);
    if (typeof machine === "string") return t.skip(NOT_HAD + machine);
    const log = () => machine.run("journalctl --no-pager --unit ipsieve");

    await t.test("the steps end with a server, with all that the unit forbids", async () => {
      await machine.run(unitSteps);
      await until("it serves", () => machine.isServing());
      assert.match(await log(), /https:\/\/lists\.example\.org\/#\/setup\?token=/);
      assert.equal(
        (await machine.run("stat -c '%U %a' /var/lib/ipsieve /var/lib/ipsieve/ipsieve.db")).trim(),
        "ipsieve 700\nipsieve 600",
      );
    });

    await t.test("commands use its database, as its user", async () => {
      const printed = await machine.run(commandSteps);
      assert.match(printed, /^https:\/\/lists\.example\.org\/#\/join\?token=/m);
      await machine.run("ipsieve-as-service db backup backup.db; test -s /var/lib/ipsieve/backup.db");
      assert.equal(await machine.run("find /var/lib/ipsieve ! -user ipsieve"), "");
    });

    await t.test("behind HAProxy with TLS", async () => {
      const steps = tlsSteps.replace(/^apt-get .*\n/, "");
      await machine.run(
        "mkdir -p /etc/haproxy/tls; cd /etc/haproxy/tls; openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=lists.example.org -keyout key.pem -out certificate.pem 2>/dev/null; cat certificate.pem key.pem > server.pem",
      );
      await machine.run(steps);
      const request = `fetch("https://127.0.0.1/readyz").then(async (response) => console.log(await response.text()))`;
      assert.equal(
        (await machine.run(`NODE_NO_WARNINGS=1 NODE_TLS_REJECT_UNAUTHORIZED=0 node -e '${request}'`)).trim(),
        "ok",
      );
    });

    await t.test("a reload keeps the process, a kill does not end the service", async () => {
      const pid = await machine.property("MainPID");
      await machine.run("systemctl reload ipsieve");
      assert.equal(await machine.property("MainPID"), pid);
      await machine.run("systemctl kill --signal=KILL ipsieve");
      await until("it is started again", async () => (await machine.property("NRestarts")) === "1");
      await until("it serves again", () => machine.isServing());
    });

    await t.test("a port in use is waited for", async () => {
      await machine.run("systemctl stop ipsieve");
      assert.equal(await machine.property("Result"), "success");
      await machine.run(
        `systemd-run --unit=other node -e 'require("node:http").createServer().listen(8080, "127.0.0.1")'; systemctl start ipsieve`,
      );
      await until("a start has ended", async () => Number(await machine.property("NRestarts")) >= 1);
      assert.match(await log(), /status=75/);
      await machine.run("systemctl stop other");
      await until("it serves", () => machine.isServing());
    });

    await t.test("a wrong setting ends it at once, with what is wrong in the log", async () => {
      await machine.run("echo IPSIEVE_PORT=70000 >> /etc/ipsieve/environment; systemctl restart ipsieve");
      await until("it has failed", async () => (await machine.property("ActiveState")) === "failed");
      assert.equal(await machine.property("ExecMainStatus"), "2");
      assert.equal(await machine.property("NRestarts"), "0");
      assert.match(await log(), /IPSIEVE_PORT "70000": write a whole number/);
    });
  },
);

test(
  "negative control: a unit that asks for what is not there does not start",
  { skip: onlyLong() || missing() },
  async (t) => {
    const machine = await boot(t);
    if (typeof machine === "string") return t.skip(NOT_HAD + machine);
    const unit = "packaging/systemd/ipsieve.service";
    await machine.run(
      `sed -i s,/usr/local/bin/ipsieve,/usr/bin/ipsieve, ${unit}; sed -i 's,/bin/sh -c,/bin/missing,' ${unit}`,
    );
    await machine.run(unitSteps);
    await until("it has failed", async () => (await machine.property("ExecMainStatus")) === "203");
    assert.equal(await machine.isServing(), false);
  },
);
