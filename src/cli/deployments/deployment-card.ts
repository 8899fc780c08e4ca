import type { Client, Deployment } from "../../client/client.ts";
import { allLists } from "../external-lists/chosen-list.ts";
import { allRulesets } from "../server/chosen-ruleset.ts";
import { guardClassesText } from "../rulesets/guard-classes.ts";
import { sourceTexts } from "./deployment-definition.ts";
import { counted, grouped } from "../../words/numbers.ts";
import { sourcesIn } from "../address-sets/server-source.ts";
import { oneLine } from "../runner/one-line.ts";
import { shellWord } from "../output/shell-word.ts";
import type { Style } from "../output/style.ts";

/** Further sources are only counted; `--json` has all. */
const MAX_SHOWN = 20;
/** Options of a list that are in percent. */
const PERCENT = /^max_(?:shrink|growth)$/;

/** The state of a deployment in a few words. */
export function stateOf({ active, status, not_pulled: isNotPulled }: Deployment): string {
  if (!active) return "inactive";
  if (status === "stale") return "not published yet";
  return status === "refused" ? "refused" : isNotPulled ? "not pulled" : "ok";
}

export function entriesOf({ ipv4_entries_count: four, ipv6_entries_count: six }: Deployment): number {
  return four + six;
}

/** What a state means for the devices, and what to do. */
function explanationOf(deployment: Deployment): string[] {
  const { name, reasons, generation, refused_generation: refused } = deployment;
  switch (stateOf(deployment)) {
    case "inactive":
      return [
        `its feeds respond with 403; "ipsieve deployment update ${shellWord(oneLine(name))} --active yes" makes them work again`,
      ];
    case "not published yet":
      return ["the first list is being built; devices get 503 and try again"];
    case "not pulled":
      return [
        "no device has fetched the list for three intervals; check that one has the URL and can reach this server",
      ];
    case "refused":
      return [
        `list ${refused} was not published; devices ${generation === 0 ? "have no list" : `still get generation ${generation}`}`,
        ...reasons.map((reason) => `${oneLine(reason.message)}; ${cureOf(reason, name)}`),
      ];
    default:
      return [];
  }
}

const CURES: Readonly<Record<string, string>> = {
  "too-wide": "check the source, or allow it with --min-prefix-v4 and --min-prefix-v6",
  empty: "check the excludes, or allow it with --allow-empty",
  "too-many-entries":
    "leave sources out, shorten the list with --overflow fit, split it with --chunk-entries, or choose another --device",
  "too-many-bytes": "leave sources out, split the list with --chunk-entries, or choose another --device",
  unprocessable: "exclude them, choose another format, or leave them out with --unprocessable omit",
  collateral: "exclude these addresses, or leave them out with --guard carve; ",
};

/** Whether a person may publish a list in spite of this reason. */
export function canBeReleased(code: string): boolean {
  return code === "shrinks" || code === "grows" || code === "collateral";
}

type Reason = Deployment["reasons"][number];

/** What can be done about a list that was refused. */
export function cureOf({ code, message }: Reason, name: string): string {
  // The list is shortened already, as far as it may be.
  if (code === "too-many-entries" && message.includes("cannot be shortened"))
    return "leave sources out, split the list with --chunk-entries, or choose another --device";
  if (canBeReleased(code))
    return `${CURES[code] ?? ""}if the list is right, "ipsieve deployment publish ${shellWord(oneLine(name))}" releases it`;
  return CURES[code] ?? 'correct the sources with "ipsieve deployment update"';
}

/** Everything about a deployment, in lines. */
export async function cardOf(deployment: Deployment, client: Client, style: Style): Promise<string> {
  const names = new Map((await namedIn(deployment, client)).map(({ id, name }) => [id, name]));
  const { include, exclude, device, firewall_format: format, description } = deployment;
  const state = stateOf(deployment);
  const rows: [string, string][] = [
    ["id", deployment.id],
    ...(description === "" ? [] : [["about", oneLine(description)] satisfies [string, string]]),
    ["state", style(state === "ok" ? "green" : "yellow", state)],
    ...explanationOf(deployment).map((text): [string, string] => ["", text]),
    ...deployment.doubtful_sources.map((text): [string, string] => ["warning", style("yellow", oneLine(text))]),
    ["list", listText(deployment)],
    ...leftOutRow(deployment, style),
    ["format", device === "none" ? format : `${format}, within the limits of ${device}`],
    ["devices ask", `every ${deployment.update_frequency}; last ${deployment.last_accessed ?? "never"}`],
    ["for", `${deployment.purpose}, direction: ${deployment.direction}`],
    ...deployment.previous_urls.map(({ valid_until: until }, index): [string, string] => [
      index === 0 ? "old URLs" : "",
      `work until ${until}`,
    ]),
    ...guardRow(deployment),
    ...sourceRows("include", include, names),
    ...sourceRows("exclude", exclude, names),
    ...optionRows(deployment),
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  const lines = rows.map(([title, text]) => `  ${style("dim", title.padEnd(width))}  ${text}`);
  return [oneLine(deployment.name), ...lines].map((line) => `${line}\n`).join("");
}

function listText({ generation, last_generated: at, ...rest }: Deployment): string {
  if (generation === 0) return "none yet";
  const [four, six] = [rest.ipv4_entries_count, rest.ipv6_entries_count];
  return `generation ${generation} of ${at}: ${grouped(four)} IPv4 and ${grouped(six)} IPv6 entries`;
}

function leftOutRow(
  { unprocessable_count: count, firewall_format: format }: Deployment,
  style: Style,
): [string, string][] {
  if (count === 0) return [];
  const text = `${counted(count, "prefix", "prefixes")} that ${format} cannot express; the URL "unprocessable" names them`;
  return [["left out", style("yellow", text)]];
}

/** The rulesets and lists, if a source is one of them. */
async function namedIn(deployment: Deployment, client: Client): Promise<{ id: string; name: string }[]> {
  const sources = sourcesIn(deployment);
  return [
    ...(sources.some(({ ruleset }) => ruleset !== undefined) ? await allRulesets(client) : []),
    ...(sources.some(({ list }) => list !== undefined) ? await allLists(client) : []),
  ];
}

function sourceRows(
  what: string,
  sources: Deployment["include"],
  names: ReadonlyMap<string, string>,
): [string, string][] {
  const texts = sources.flatMap((source) => sourceTexts(source, names)).map(oneLine);
  const shown = texts.slice(0, MAX_SHOWN);
  const more = texts.length - shown.length;
  const all = more === 0 ? shown : [...shown, `and ${counted(more, "more", "more")}`];
  return all.map((text, index) => [index === 0 ? what : "", text]);
}

/** Other lists are not guarded. */
function guardRow({ purpose, guard, guard_classes: classes }: Deployment): [string, string][] {
  if (purpose !== "blocklist") return [];
  return [["guard", classes === null ? guard : `${guard}; services that it protects: ${guardClassesText(classes)}`]];
}

function optionRows({ options }: Deployment): [string, string][] {
  const texts = Object.entries(options).map(
    ([name, value]) => `${name.replaceAll("_", "-")} ${String(value)}${PERCENT.test(name) ? " %" : ""}`,
  );
  return texts.length === 0 ? [] : [["limits", texts.join(", ")]];
}
