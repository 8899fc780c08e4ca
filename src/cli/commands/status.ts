import type { Status } from "../../client/client.ts";
import { columnLines } from "../output/columns.ts";
import { grouped } from "../../words/numbers.ts";
import { oneLine } from "../runner/one-line.ts";
import { printText } from "../runner/standard-output.ts";
import { type Style, styleFor } from "../output/style.ts";
import { type Arguments, type Command, EXIT } from "../runner/command.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../server/service-connection.ts";

export const statusCommand: Command = {
  name: "status",
  summary: "show what needs attention on a server, the worst first, and what happened in the last day",
  operands: "",
  options: [{ name: "json", help: "print one JSON document" }, ...CONNECTION_OPTIONS],
  notes: [
    "critical: it does not do what it is for; warning: it soon will not; notice: good to know. The overview of the dashboard shows the same.",
    KEY_NOTE,
    "Exit code: 0 if nothing needs attention (notices do not count), 1 if something does, 2 after an error, such as a server that does not respond.",
  ],
  examples: [
    { command: "ipsieve status --server https://lists.example.org", what: "is anything wrong?" },
    { command: "ipsieve status --json", what: "for a monitor" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const status = await new ServiceConnection(args).use((client) => client.get("/v1/status", {}));
  await printText(args.has("json") ? `${JSON.stringify(status)}\n` : screen(status, styleFor(process.stdout)));
  return status.state === "ok" ? EXIT.matched : EXIT.nothing;
}

const FORMATS = { critical: "red", warning: "yellow", notice: "dim" } as const;

function screen(status: Status, style: Style): string {
  const { findings } = status;
  const count = findings.filter(({ severity }) => severity !== "notice").length;
  const result =
    status.state === "ok"
      ? `${style("green", "ok")}: nothing needs attention`
      : `${style(FORMATS[status.state], status.state)}: ${count === 1 ? "1 thing needs" : `${grouped(count)} things need`} attention`;
  const first = `${result} among ${lookedAt(status)}`;
  const lines = findings.flatMap(({ severity, about, message, at, cure, command }) => [
    `  ${style(FORMATS[severity], severity.padEnd(WIDTH))}  ${oneLine(about.name)} ${oneLine(message)}${at === null ? "" : ` (${at})`}`,
    `  ${" ".repeat(WIDTH)}  ${style("dim", `${cure}${command === null ? "" : `: ${command}`}`)}`,
  ]);
  return `${[first, ...lines, "", ...activity(status, style)].join("\n")}\n`;
}

const WIDTH = "critical".length;

function lookedAt({ looked_at: counts }: Status): string {
  const names = {
    deployments: "deployment",
    lists: "external list",
    rulesets: "ruleset",
    keys: "key",
    webhooks: "webhook endpoint",
    datasets: "dataset",
  } as const;
  const texts = Object.entries(names)
    .filter(([name]) => counts[name as keyof typeof names] > 0)
    .map(([name, one]) => {
      const count = counts[name as keyof typeof names];
      return `${grouped(count)} ${one}${count === 1 ? "" : "s"}`;
    });
  return texts.length === 0 ? "nothing" : texts.join(", ");
}

/** The last day in figures. */
function activity({ hours, days, at }: Status, style: Style): string[] {
  const sum = (member: "changes" | "blocked_requests" | "blocked_packets"): string =>
    grouped(hours.reduce((total, hour) => total + hour[member], 0));
  const today = days.find(({ day }) => day.slice(0, 10) === at.slice(0, 10))?.pulls ?? 0;
  return columnLines(
    [
      ["changes", "blocked requests", "blocked packets", "lists requested"],
      [sum("changes"), sum("blocked_requests"), sum("blocked_packets"), grouped(today)],
      ["last day", "last day", "last day", "today (UTC)"],
    ],
    new Set([0, 1, 2, 3]),
    style,
  );
}
