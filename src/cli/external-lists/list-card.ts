import type { ExternalList } from "../../client/client.ts";
import { counted, grouped } from "../../words/numbers.ts";
import { oneLine } from "../runner/one-line.ts";
import type { Style } from "../output/style.ts";

/** All about an external list, in lines. */
export function listCard(list: ExternalList, style: Style): string {
  const { state, problem, auth, last_change: change, rejected } = list;
  const rows: [string, string][] = [
    ["id", list.id],
    ["url", oneLine(list.url)],
    ["state", style(state === "ok" ? "green" : "yellow", state)],
    ...(problem === null ? [] : problemRows(problem)),
    ["entries", `${grouped(list.ipv4_entries_count)} IPv4, ${grouped(list.ipv6_entries_count)} IPv6`],
    ["changed", list.changed_at ?? "never"],
    ["checked", `${list.checked_at ?? "never"}; every ${list.schedule}${list.active ? "" : ", but it is not active"}`],
    ["credentials", auth === null ? "none" : `${auth.type} ${oneLine(auth.name)}, to ${oneLine(auth.origin)}`],
    ...(list.never_block ? [["guards", "your own networks, never to be blocked"] satisfies [string, string]] : []),
    ...(change === null ? [] : changeRows(change)),
    ...rejected.lines.map(({ line, text, reason }, at): [string, string] => [
      at === 0 ? "left out" : "",
      `line ${line}: ${oneLine(text)}: ${oneLine(reason)}`,
    ]),
  ];
  const more = rejected.count - rejected.lines.length;
  if (more > 0) rows.push(["", `and ${counted(more, "more line", "more lines")}`]);
  const width = Math.max(...rows.map(([title]) => title.length));
  const lines = rows.map(([title, text]) => `  ${style("dim", title.padEnd(width))}  ${text}`);
  return [oneLine(list.name), ...lines].map((line) => `${line}\n`).join("");
}

function problemRows({ message, since, digest }: NonNullable<ExternalList["problem"]>): [string, string][] {
  return [
    ["", `${oneLine(message)} (since ${since})`],
    ...(digest === null
      ? []
      : [["", "if the change is right: ipsieve list fetch --accept"] satisfies [string, string]]),
  ];
}

function changeRows(change: NonNullable<ExternalList["last_change"]>): [string, string][] {
  const { at, added_count: added, removed_count: removed } = change;
  const named = [...change.added.map((prefix) => `+ ${prefix}`), ...change.removed.map((prefix) => `- ${prefix}`)];
  return [
    ["last change", `${at}: ${grouped(added)} added, ${grouped(removed)} removed`],
    ...named.map((text): [string, string] => ["", text]),
  ];
}
