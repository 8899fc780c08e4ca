import { chosenDeployment, DEPLOYMENT_NOTE } from "../../deployments/chosen-deployment.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

const PARTS = ["combined", "ipv4", "ipv6", "checksums", "unprocessable"] as const;
type Part = (typeof PARTS)[number];

export const urlsCommand: Command = {
  name: "deployment urls",
  summary: "print the URLs of a deployment, for devices",
  operands: "DEPLOYMENT",
  operandWords: [],
  options: [
    { name: "part", value: "PART", choices: PARTS, help: `only these URLs, one per line: ${PARTS.join(", ")}` },
    { name: "json", help: "print one JSON document" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    DEPLOYMENT_NOTE,
    'Anyone who has a URL can read the list: treat it like a password. "ipsieve deployment rotate" replaces the URLs. "unprocessable" names what the format cannot express.',
    KEY_NOTE,
    "Exit code: 0 if there are URLs, 1 if the part has none, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve deployment urls Edge", what: "all" },
    { command: "ipsieve deployment urls Edge --part ipv4 | xargs -n 1 curl --fail", what: "for a script" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const { urls } = await new ServiceConnection(args).use(async (client) => {
    const { id } = await chosenDeployment(client, args.operands[0]!);
    return client.get("/v1/edl/deployments/{deployment_id}/urls/", { params: { path: { deployment_id: id } } });
  });
  const part = args.value("part") as Part | undefined;
  const shown = part === undefined ? Object.values(urls).flat() : urls[part];
  if (args.has("json")) await printText(`${JSON.stringify(part === undefined ? urls : urls[part])}\n`);
  else if (part !== undefined) await printText(shown.map((url) => `${url}\n`).join(""));
  else {
    const rows = PARTS.flatMap((each) => urls[each].map((url) => [each, url]));
    await printText(`${columnLines([["part", "url"], ...rows], new Set(), styleFor(process.stdout)).join("\n")}\n`);
  }
  return shown.length > 0 ? EXIT.matched : EXIT.nothing;
}
