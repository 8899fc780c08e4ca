import { chosenDeployment, DEPLOYMENT_NOTE } from "../../deployments/chosen-deployment.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { byteSize } from "../../output/numbers.ts";
import { grouped } from "../../../words/numbers.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const pullsCommand: Command = {
  name: "deployment pulls",
  summary: "show which devices have requested a deployment's list, and when",
  operands: "DEPLOYMENT",
  operandWords: [],
  options: [
    { name: "days", help: "the number of requests on each of the last 31 days (UTC) instead" },
    { name: "json", help: "print one JSON document, with both" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    DEPLOYMENT_NOTE,
    "The last hundred requests are kept, newest first. 304 means that the device has the latest list already.",
    KEY_NOTE,
    "Exit code: 0 if a device has requested it, 1 if none has, 2 after an error.",
  ],
  examples: [{ command: "ipsieve deployment pulls Edge", what: "is the firewall fetching it?" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const log = await new ServiceConnection(args).use(async (client) => {
    const { id } = await chosenDeployment(client, args.operands[0]!);
    return client.get("/v1/edl/deployments/{deployment_id}/pulls/", { params: { path: { deployment_id: id } } });
  });
  const { items, days } = log;
  const style = styleFor(process.stdout);
  if (args.has("json")) await printText(`${JSON.stringify(log)}\n`);
  else if (args.has("days")) {
    const rows = days.map(({ day, pulls, bytes }) => [day, grouped(pulls), byteSize(bytes)]);
    await printText(`${columnLines([["day", "requests", "sent"], ...rows], new Set([1, 2]), style).join("\n")}\n`);
  } else {
    const rows = items.map(({ at, status, bytes, file, address, user_agent: agent }) => {
      return [at, String(status), byteSize(bytes), file, address, oneLine(agent)];
    });
    const head = ["time", "status", "sent", "file", "address", "program"];
    await printText(`${columnLines([head, ...rows], new Set([2]), style).join("\n")}\n`);
  }
  return days.length > 0 || items.length > 0 ? EXIT.matched : EXIT.nothing;
}
