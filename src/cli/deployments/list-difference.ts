import type { DeploymentPreview } from "../../client/client.ts";
import { cureOf } from "./deployment-card.ts";
import { grouped } from "../../words/numbers.ts";
import { oneLine } from "../runner/one-line.ts";
import type { Style } from "../output/style.ts";

type Difference = NonNullable<DeploymentPreview["difference"]>;
type Changed = Difference["listed"];

/** Prefixes named per line. */
const NAMED = 3;
const WARNINGS = 10;

/** Whether devices would have other addresses than now. */
export function changesAddresses({ difference }: DeploymentPreview): boolean {
  return difference !== undefined && [difference.listed, difference.unlisted].some((each) => countOf(each) > 0n);
}

/** What devices would get and no longer get, in lines; none for a deployment that does not exist yet. */
export function differenceLines(preview: DeploymentPreview, style: Style): string[] {
  const { difference, ipv4_entries_count: four, ipv6_entries_count: six } = preview;
  if (difference === undefined) return [];
  const { ipv4_entries_before: four0, ipv6_entries_before: six0, listed, unlisted } = difference;
  return [
    `  entries: ${grouped(four0)} IPv4 and ${grouped(six0)} IPv6 before, ${grouped(four)} and ${grouped(six)} after`,
    ...(countOf(listed) === 0n ? [] : [`  ${style("red", "newly listed:")} ${changedText(listed)}`]),
    ...(countOf(unlisted) === 0n ? [] : [`  ${style("yellow", "no longer listed:")} ${changedText(unlisted)}`]),
    ...(changesAddresses(preview) ? [] : ["  the same addresses as now"]),
  ];
}

function countOf({ ipv4_addresses: four, ipv6_addresses: six }: Changed): bigint {
  return BigInt(four) + BigInt(six);
}

function changedText({ ipv4_addresses: four, ipv6_addresses: six, prefixes }: Changed): string {
  const shown = prefixes.slice(0, NAMED).join(", ");
  const counts = `${grouped(BigInt(four))} IPv4 and ${grouped(BigInt(six))} IPv6 addresses`;
  return `${counts}: ${shown}${prefixes.length > NAMED ? ", ..." : ""}`;
}

/** What is doubtful about a list, and why it would be refused, in lines. `name`: of the deployment. */
export function doubtLines(preview: DeploymentPreview, name: string, style: Style): string[] {
  const { warnings = [], doubtful_sources: doubtful, reasons } = preview;
  const texts = [...doubtful, ...warnings.map(({ detail }) => detail)];
  const shown = texts.slice(0, WARNINGS);
  const more = texts.length - shown.length;
  return [
    ...shown.map((text) => `  ${style("yellow", "warning:")} ${oneLine(text)}`),
    ...(more === 0 ? [] : [`  ... and ${grouped(more)} more; "ipsieve deployment preview --json" has them`]),
    ...reasons.map(
      (reason) => `  ${style("red", "would be refused:")} ${oneLine(reason.message)}; ${cureOf(reason, name)}`,
    ),
  ];
}
