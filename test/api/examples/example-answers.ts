import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { catalogueOf } from "../../cbs/catalogues.ts";
import { inTemporaryFolder } from "../../snapshot/harness/sample.ts";
import { writeSmallNetworks } from "../../networks/small-networks.ts";
import { addKey, addOrganisation, startServer, type TestServer } from "../start-server.ts";
import { askDashboard } from "./ask-dashboard.ts";
import { askPublic } from "./ask-public.ts";
import { type Examples, Interview } from "./interview.ts";
import { StandIns } from "./stand-ins.ts";
import { COMMAND_FILE } from "../../command-file.ts";

const THREATS = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));

/** The examples of all operations, from the responses of a real server. */
export function exampleAnswers(): Promise<Examples> {
  return inTemporaryFolder(async (folder) => {
    const standIns = new StandIns();
    const server = await startExampleServer(folder);
    try {
      await writeEarlier(join(server.folder, "history"));
      const key = await keyOf(server);
      const asKey = await Interview.start(server, "/openapi.json", { "X-API-Key": key });
      await askPublic(asKey);
      const asUser = await Interview.start(server, "/dashboard/api/openapi.json", { Origin: BASE_URL });
      await askDashboard(server, asUser, standIns);
      return standIns.in({ ...asKey.examples, ...asUser.examples });
    } finally {
      await server.close();
    }
  });
}

/** A catalogue that was in use before. */
async function writeEarlier(history: string): Promise<void> {
  mkdirSync(history);
  const { table, metadata } = catalogueOf(CATALOGUE.slice(1));
  const createdAt = new Date("2026-06-30T00:00:00Z");
  await writeSnapshot(join(history, "20260630T000000.000Z.ipsieve"), { table, metadata, kind: "catalogue", createdAt });
}

/** A server whose catalogue and threat intelligence can be replaced, as with the command `serve`. */
async function startExampleServer(folder: string): Promise<TestServer> {
  const [home, bundled] = [join(folder, "home"), join(folder, "catalogue.ipsieve")];
  const { table, metadata } = catalogueOf(CATALOGUE, {
    "/cdn/cloudflare": "Cloudflare",
    "/cloud/aws": "Amazon Web Services",
  });
  await writeSnapshot(bundled, { table, metadata, kind: "catalogue" });
  const networks = join(folder, "networks.ipsieve");
  await writeSmallNetworks(networks);
  mkdirSync(join(folder, "lists/telegram"), { recursive: true });
  writeFileSync(join(folder, "lists/telegram/cidr.txt"), "30.0.0.0/24\n2600::/32\n");
  const update = ["cbs", "update", "--json", "--progress", "json", "--home", home, "--from", join(folder, "lists")];
  const command = (...args: string[]) => ({
    program: process.execPath,
    args: [COMMAND_FILE, ...args],
    environment: process.env,
  });
  const output = join(home, "cti.ipsieve");
  return startServer(
    { baseUrl: BASE_URL, datasetOrganisation: ORGANISATION, outboundAllow: "127.0.0.1" },
    [join(home, "catalogue.ipsieve"), bundled],
    [output, THREATS],
    command(...update, "--only", "telegram"),
    { command: command("cti", "import"), output },
    [networks],
  );
}

const BASE_URL = "https://lists.example.org";
/** The organisation in the document's example of setUp. */
const ORGANISATION = "Example";

/** The key of an organisation that is a second older than the rulesets: those of the same millisecond have no order. */
async function keyOf(server: TestServer): Promise<string> {
  server.clock.now -= 1000;
  const { text } = await addKey(server, await addOrganisation(server, "examples"));
  server.clock.now += 1000;
  return text;
}

const CATALOGUE: Parameters<typeof catalogueOf>[0] = [
  ["1.1.1.0/24", "/cdn/cloudflare"],
  ["2606:4700::/32", "/cdn/cloudflare"],
  ["3.5.140.0/22", "/cloud/aws/by-service/s3/ap-northeast-2", "/cloud/aws/by-region/ap-northeast-2/s3"],
];
