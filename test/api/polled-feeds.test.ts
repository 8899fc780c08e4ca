/** Rspamd and Unbound poll a feed of a server by themselves, and agree with the list about each address. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Deployment, DeploymentDefinition } from "../../src/store/records/deployment.ts";
import { edgesOf, isListed } from "../formats/consumers/edges.ts";
import {
  type Polling,
  startRspamd,
  startUnbound,
  WHY_NO_RSPAMD,
  WHY_NO_UNBOUND,
} from "../formats/consumers/polling.ts";
import { onlyLong } from "../rounds.ts";
import { until } from "../until.ts";
import { addOrganisation, startServer, type TestServer } from "./start-server.ts";
import { definitionOf } from "../deployments/definition-of.ts";

const FIRST = ["1.0.0.0/24", "9.9.9.128/25", "203.0.113.7", "2001:db8::/32", "2400:0:0:1:0:0:0:1"];
const SECOND = ["1.0.0.0/25", "9.9.8.0/23", "223.255.255.254/31", "2001:db8::/33", "2a00:1:2:3:4:5:6:8/125"];
const ADDRESSES = edgesOf([...FIRST, ...SECOND]);

let t: TestServer;
let organisationId = "";
before(async () => {
  t = await startServer();
  organisationId = await addOrganisation(t, "polled");
});
after(() => t.close());

const by = () => ({ actor: "command:test", at: t.clock.now, organisationId });

async function deployed(format: DeploymentDefinition["firewall_format"]): Promise<Deployment> {
  const { deployment } = await t.server.store.write({
    kind: "create-deployment",
    ...by(),
    name: format,
    definition: definitionOf({ firewall_format: format, include: [{ prefixes: FIRST }] }),
  });
  await until("the list is published", () => t.server.services.publishing.lists.served(deployment.id) !== undefined);
  return deployment;
}

async function change({ id }: Deployment): Promise<void> {
  // Within the second of the first list: Last-Modified has whole seconds, and Rspamd uses nothing else.
  t.clock.now += 400;
  const definition = { include: [{ prefixes: SECOND }] };
  await t.server.store.write({ kind: "update-deployment", ...by(), deploymentId: id, definition });
  await until("it is published", () => t.server.services.publishing.lists.served(id)!.published.generation === 2);
  t.clock.now += 60_000;
}

const pathOf = (deployment: Deployment, file: string): string =>
  `/feeds/${t.server.services.publishing.feedTokens.tokenOf(deployment)}/${file}`;

/** The addresses on which the program and the list disagree. */
async function differences(program: Polling, list: readonly string[]): Promise<string[]> {
  const answers = await program.listed();
  assert.equal(answers.length, ADDRESSES.length);
  return ADDRESSES.filter((address, at) => answers[at] !== isListed(list, address));
}

/** Retries when the program cannot answer because it is loading another list. */
const agrees = (program: Polling, list: readonly string[]): Promise<boolean> =>
  differences(program, list).then(
    (found) => found.length === 0,
    () => false,
  );

/** The program answers by the first list, then by the one that replaces it. */
async function follows(program: Polling, deployment: Deployment): Promise<void> {
  await until("the first list is in force", () => agrees(program, FIRST));
  assert.notDeepEqual(await differences(program, SECOND), [], "control: the lists differ");
  await change(deployment);
  program.poll();
  await until("the second list is in force", () => agrees(program, SECOND));
}

test(
  "Rspamd checks whether a list is new, fetches it if so, and decides by it",
  { skip: onlyLong() || WHY_NO_RSPAMD },
  async () => {
    const deployment = await deployed("rspamd");
    const rspamd = await startRspamd(t.server.url + pathOf(deployment, "combined.txt"), ADDRESSES);
    try {
      await until("it has asked again, and nothing was new", () => requests().includes("HEAD 304"));
      await follows(rspamd, deployment);
      for (const each of ["GET 200", "HEAD 200", "HEAD 304"]) assert.ok(requests().includes(each), each);
    } finally {
      await rspamd.end();
    }
  },
);

/** Methods and statuses of the requests for the map, which Unbound does not make. */
function requests(): string[] {
  const lines = t
    .logged()
    .split("\n")
    .filter((line) => line.includes("/combined.txt"));
  return lines.map((line) => {
    const { method, status } = JSON.parse(line) as { method: string; status: number };
    return `${method} ${status}`;
  });
}

// With a port after @ it sends "Host: 127.0.0.1@PORT".
for (const separator of ["@", ":"])
  test(
    `Unbound fetches a zone from a URL with a port after ${separator}, and responds by it`,
    { skip: onlyLong() || WHY_NO_UNBOUND },
    async () => {
      const deployment = await deployed("rpz");
      const { hostname, port } = new URL(t.server.url);
      const url = `http://${hostname}${separator}${port}${pathOf(deployment, "combined.zone")}`;
      const unbound = await startUnbound(url, ADDRESSES);
      try {
        await follows(unbound, deployment);
      } finally {
        await unbound.end();
      }
    },
  );
