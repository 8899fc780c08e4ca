/** The process of the neighbour, `fork`ed: sends one costly request over each of its connections, over and over. */
import { COSTLIEST, OTHER_PATHS } from "./costliest-requests.ts";
import { Client } from "./neighbour-client.ts";
import type { NeighbourOrder, NeighbourReport } from "./neighbour-messages.ts";

/** How long a request is waited for that was begun before the end, in milliseconds. */
const PATIENCE = 30_000;

async function run({ access, operation, scope, request, milliseconds }: NeighbourOrder): Promise<NeighbourReport> {
  const costly = (COSTLIEST[operation] ?? OTHER_PATHS[operation])?.find(({ name }) => name === request);
  if (costly === undefined) throw new Error(`there is no request ${JSON.stringify(request)} of ${operation}`);
  const clients = access.connections.map((own) => new Client(access, own, scope));
  const turns = await Promise.all(clients.map((client) => costly.make(client)));
  const start = performance.now();
  const end = start + milliseconds;
  for (const client of clients) client.beginCounting();
  const loops = clients.map(async (client, index) => {
    while (performance.now() < end && !client.isServerGone) await turns[index]!();
  });
  const limit = setTimeout(() => clients.forEach((client) => client.close()), milliseconds + PATIENCE);
  await Promise.all(loops);
  clearTimeout(limit);
  const statuses: Record<string, number> = {};
  for (const client of clients)
    for (const [status, count] of Object.entries(client.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  for (const client of clients) client.close();
  return {
    seconds: (performance.now() - start) / 1000,
    statuses,
    bytesSent: clients.reduce((sum, { bytesSent }) => sum + bytesSent, 0),
  };
}

process.on("message", (order: NeighbourOrder) => {
  run(order).then(
    (report) => process.send!({ report }),
    (error: Error) => process.send!({ error: error.stack ?? String(error) }),
  );
});
