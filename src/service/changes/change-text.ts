import { ruleJson } from "../../formats/rule-document.ts";
import type { Event, EventPage } from "../../store/event.ts";
import { eventsOf } from "../../store/packed-events.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";

/** An event of a feed as JSON text. */
export function changeText(event: Event): string {
  const { sequence, at, type } = event;
  const start = `{"sequence":${sequence},"at":"${formatTimestamp(at)}","type":"${type}"`;
  if ("rule" in event) return `${start},"ruleset_id":"${event.rulesetId}","rule":${ruleJson(event.rule)}}`;
  return `${start},${JSON.stringify(aboutOf(event)).slice(1)}`;
}

/** What an event is about, unless it is a rule. */
export function aboutOf(event: Exclude<Event, { rule: unknown }>): object {
  switch (event.type) {
    case "ruleset.created":
    case "ruleset.updated":
    case "ruleset.deleted": {
      const { id, name, purpose, description } = event.ruleset;
      return { ruleset_id: id, ruleset: { name, purpose, description } };
    }
    case "deployment.generated": {
      const { generation, entries } = event.list;
      const counts = { ipv4_entries_count: entries[4], ipv6_entries_count: entries[6] };
      return { deployment: event.deployment, list: { generation, ...counts } };
    }
    case "deployment.refused": {
      const { number, reasons, entries } = event.list;
      const counts = { ipv4_entries_count: entries[4], ipv6_entries_count: entries[6] };
      return { deployment: event.deployment, list: { number, reasons, ...counts } };
    }
    case "deployment.not_pulled": {
      const { deployment, pulledAt } = event;
      return { deployment, last_accessed: pulledAt === null ? null : formatTimestamp(pulledAt) };
    }
    case "list.refreshed": {
      const { number, entries, change } = event.content;
      const counts = { ipv4_entries_count: entries[4], ipv6_entries_count: entries[6] };
      const changed = change && { added_count: change.added, removed_count: change.removed };
      return { external_list: { ...event.list, generation: number, ...counts, ...changed } };
    }
    case "list.refused":
      return { external_list: { ...event.list, generation: event.generation, problem: event.problem } };
    case "key.created":
    case "key.revoked":
    case "key.expiring": {
      const { id, label, access, expiresAt } = event.key;
      return { key: { id, label, access, expires_at: expiresAt === null ? null : formatTimestamp(expiresAt) } };
    }
    case "catalogue.updated": {
      const { prefixes, added, removed, createdAt } = event.dataset;
      const created = createdAt === undefined ? {} : { created_at: formatTimestamp(createdAt) };
      return { catalogue: { prefixes, added, removed, ...created } };
    }
    case "webhook.disabled":
      return { webhook: event.webhook };
  }
}

/** The events of a page after number `after`, at most `limit`, with their numbers. */
export function* changesIn(
  { rows }: EventPage,
  after: number,
  limit = Number.POSITIVE_INFINITY,
): Generator<Event, undefined, undefined> {
  for (const row of rows)
    for (const event of eventsOf(row, after)) {
      if (event.sequence > after + limit) return;
      yield event;
    }
}
