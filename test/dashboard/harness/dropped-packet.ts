/*
 * `unshare --net node dropped-packet.ts`: what the administrator of a firewall does, from `ipsieve serve --quick-start`
 * to a rule that drops a packet, in a network namespace that has nothing but its loopback interface. Prints each step,
 * and fails at the first thing that is not as it should be.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chromium } from "playwright-core";
import { program } from "../browser.ts";
import { temporaryFolder } from "../../cli/run-command.ts";
import { until } from "../../until.ts";

const MAIN = new URL("../../../src/cli/main.ts", import.meta.url).pathname;
const LISTED = "192.0.2.77";
const OTHER = "198.51.100.7";
/** The target of the packets. */
const TARGET = "127.0.0.1";

let steps = 0;
const step = (text: string): void => void process.stdout.write(`${++steps}. ${text}\n`);

execFileSync("ip", ["link", "set", "lo", "up"]);
for (const source of [LISTED, OTHER]) execFileSync("ip", ["address", "add", `${source}/32`, "dev", "lo"]);

const receiver = createSocket("udp4");
/** The sources of the packets that have arrived. */
const arrived: string[] = [];
receiver.on("message", (_, { address }) => arrived.push(address));
receiver.bind(0, TARGET);
await once(receiver, "listening");

/** The sources whose packets arrive: packets on one interface keep their order, so the last one ends the wait. */
async function sourcesHeard(): Promise<string[]> {
  arrived.length = 0;
  for (const source of [LISTED, OTHER]) {
    const sender = createSocket("udp4");
    await new Promise<void>((resolve) => void sender.bind(0, source, resolve));
    const { port } = receiver.address();
    // A packet that is dropped on arrival has still been sent.
    await new Promise<void>((resolve) => void sender.send("x", port, TARGET, () => resolve()));
    sender.close();
  }
  await until("the packet of the address that is not listed arrives", () => arrived.includes(OTHER));
  return [...arrived];
}

const folder = temporaryFolder();
const server = spawn(process.execPath, [MAIN, "serve", "--quick-start", "--port", "0"], {
  env: {
    ...process.env,
    IPSIEVE_HOME: folder.path,
    IPSIEVE_DB: "",
    DATABASE_URL: "",
    IPSIEVE_EVENT_LOOP_DELAY: "60000",
  },
  stdio: ["ignore", "pipe", "ignore"],
});
let told = "";
for await (const part of server.stdout) if (/setup\?.*\n/.test((told += String(part)))) break;
step("npm start");
const browser = await chromium.launch({ executablePath: program!, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(/http:\S+#\/setup\?\S+/.exec(told)![0]);
  await page.locator("input[name=name]").fill("Erin");
  for (const field of await page.locator("input[type=password]").all()) await field.fill("a long passphrase of hers");
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByRole("link", { name: "Deployments" }).waitFor();
  step("open the link that it prints, and create the first user");
  await page.getByRole("link", { name: "Deployments" }).click();
  await page.getByRole("link", { name: "New deployment" }).first().click();
  await page.locator("input[name=name]").fill("Edge");
  await page.getByLabel("Format", { exact: true }).selectOption("nftables");
  const include = page.getByRole("group", { name: "Include" });
  await include.getByLabel("Include from").selectOption("prefixes");
  await include.getByLabel("Addresses and prefixes", { exact: true }).fill("192.0.2.0/24");
  await include.getByRole("button", { name: "Add prefixes" }).click();
  await page.getByText("The list would be published.").waitFor();
  await page.getByRole("button", { name: "Create deployment" }).click();
  step(
    "Deployments > New deployment: a name, the format nftables, what to include; the preview says that it is published",
  );
  const shown = async (where: RegExp): Promise<string> => {
    const region = page.getByRole("region", { name: where });
    await region.waitFor();
    return (await region.innerText()).replaceAll("/var/lib/", `${folder.path}/`);
  };
  const commands = await shown(/^In a shell/);
  const [path, job] = (await shown(/^In \/etc\/cron\.d\/ipsieve/)).split("\n") as [string, string];
  const renewal = commands.slice(0, commands.indexOf("\n"));
  assert.match(renewal, /^curl -fsS 'http:.*' -o (.*)\.new && mv \1\.new \1 && nft -f \1$/);
  assert.equal(job, `*/15 * * * * root ${renewal}`);
  await until("the list is made", async () => (await fetch(/'(http:[^']*)'/.exec(renewal)![1]!)).status === 200);
  assert.deepEqual(await sourcesHeard(), [LISTED, OTHER]);
  execFileSync("sh", ["-ec", commands]);
  step("copy its commands into a shell of the firewall");
  assert.deepEqual(await sourcesHeard(), [OTHER]);
  execFileSync("nft", ["flush", "set", "inet", "ipsieve", /@(\w+_4) drop/.exec(commands)![1]!]);
  assert.deepEqual(await sourcesHeard(), [LISTED, OTHER]);
  const asCron = (environment: string): unknown =>
    execFileSync("/usr/bin/env", ["-i", environment, "sh", "-c", renewal]);
  assert.throws(
    () => asCron("PATH=/usr/bin:/bin"),
    { status: 127 },
    "nft is found although cron does not look where it is",
  );
  asCron(path);
  assert.deepEqual(await sourcesHeard(), [OTHER]);
  process.stdout.write(`packets from ${LISTED} are dropped after ${steps} steps, those from ${OTHER} are not\n`);
} finally {
  await browser.close();
  server.kill("SIGTERM");
  await once(server, "close");
  receiver.close();
  folder.remove();
}
