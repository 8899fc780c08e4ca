import type { Client, DeploymentPreview, PreviewNewDeployment } from "../../client/client.ts";
import { chosenDeployment } from "./chosen-deployment.ts";
import { type Arguments, EXIT } from "../runner/command.ts";
import { definitionOf, rejectedDefinition } from "./deployment-definition.ts";
import { differenceLines, doubtLines } from "./list-difference.ts";
import { columnLines } from "../output/columns.ts";
import { counted, grouped } from "../../words/numbers.ts";
import { printText } from "../runner/standard-output.ts";
import { type Style, styleFor } from "../output/style.ts";
import { ServiceConnection } from "../server/service-connection.ts";
import { UsageError } from "../runner/usage-error.ts";

/** Options about files, which a server does not read. */
const OF_FILES = ["snapshot", "threats", "now", "set-name"];
/** Prefixes named per line. */
const NAMED = 3;

/** Prints the list that a deployment of a server would have; resolves to the exit code. */
export async function previewOnServer(args: Arguments): Promise<number> {
  for (const option of OF_FILES)
    if (args.has(option)) throw new UsageError(`--${option} is for lists made from files; leave it out`);
  const [deployment] = args.operands;
  if (deployment === undefined && !args.has("include"))
    throw new UsageError("give --include SOURCE at least once, or the name of a deployment");
  const preview = await new ServiceConnection(args).use((client) =>
    deployment === undefined ? previewOfNew(args, client) : previewOfKnown(args, client, deployment),
  );
  await printText(args.has("json") ? `${JSON.stringify(preview)}\n` : cardOf(preview, deployment ?? "it"));
  return preview.reasons.length === 0 ? EXIT.matched : EXIT.nothing;
}

async function previewOfNew(args: Arguments, client: Client): Promise<DeploymentPreview> {
  const body = (await definitionOf(args, client)) as PreviewNewDeployment;
  return client.post("/v1/edl/deployments:preview", { body }).catch((error: unknown) => {
    throw rejectedDefinition(error, "NAME");
  });
}

async function previewOfKnown(args: Arguments, client: Client, text: string): Promise<DeploymentPreview> {
  const { id } = await chosenDeployment(client, text);
  const body = await definitionOf(args, client);
  const params = { path: { deployment_id: id } };
  return client.post("/v1/edl/deployments/{deployment_id}:preview", { params, body }).catch((error: unknown) => {
    throw rejectedDefinition(error, "NAME");
  });
}

function cardOf(preview: DeploymentPreview, name: string): string {
  const { widest, entries, unprocessable, unprocessable_count: left, files, reasons, changes_at: at } = preview;
  const { timed_entries_count: timed } = preview;
  const style = styleFor(process.stdout);
  const first = unprocessable[0];
  const lines = [
    ...columnLines(rowsOf(preview), new Set([1, 2, 3]), style),
    ...(entries.length === 0 ? [] : [`  first entries: ${entries.slice(0, NAMED).join(", ")}`]),
    ...(widest.length === 0 ? [] : [`  widest prefixes: ${widest.slice(0, NAMED).join(", ")}`]),
    ...(timed === undefined ? [] : [`  with a timeout: ${counted(timed, "entry", "entries")}`]),
    `  next expiry: ${at ?? "none"}`,
    ...(files === 1 ? [] : [`  files: ${grouped(files)}`]),
    ...(first === undefined || reasons.some(({ code }) => code === "unprocessable")
      ? []
      : [`  ${style("yellow", "left out:")} ${counted(left, "prefix", "prefixes")}: ${first.prefix}: ${first.reason}`]),
    ...addedLines(preview, style),
    ...differenceLines(preview, style),
    ...doubtLines(preview, name, style),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function addedLines({ fitted }: DeploymentPreview, style: Style): string[] {
  if (fitted === undefined) return [];
  const { added_ipv4_addresses: four, added_ipv6_addresses: six, added } = fitted;
  const count = `${grouped(BigInt(four))} IPv4 and ${grouped(BigInt(six))} IPv6 addresses`;
  return [`  ${style("yellow", "added to shorten it:")} ${count}: ${added.slice(0, NAMED).join(", ")}`];
}

function rowsOf(preview: DeploymentPreview): string[][] {
  const row = (family: 4 | 6): string[] => [
    `IPv${family}`,
    grouped(preview[`ipv${family}_entries_count`]),
    grouped(BigInt(preview[`ipv${family}_addresses`])),
    grouped(preview[`removed_ipv${family}_entries`]),
  ];
  return [["family", "entries", "addresses", "excluded prefixes"], row(4), row(6)];
}
