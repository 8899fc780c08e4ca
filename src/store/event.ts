import type { Rule } from "../rulesets/rule.ts";
import type { DatasetFacts, Ruleset } from "./state.ts";
import type { ApiKey } from "./records/credential.ts";
import type { StopReason } from "./records/webhook.ts";
import type { Deployment, PublishedList, RefusedList } from "./records/deployment.ts";
import type { ExternalList, FetchedContent, FetchProblem } from "./records/external-list.ts";

// The change feed: what happened in an organisation, for clients. Not to be confused with `Change`, by which servers
// keep their memory up to date.

export const RULE_EVENTS = ["rule.created", "rule.updated", "rule.deleted", "rule.expired"] as const;
export type RuleEventType = (typeof RULE_EVENTS)[number];

/** What happened to anything other than a rule. */
export type EventBody =
  | { readonly type: "ruleset.created" | "ruleset.updated"; readonly ruleset: Ruleset }
  /** With all its rules: they have no events of their own. */
  | { readonly type: "ruleset.deleted"; readonly ruleset: Ruleset }
  | {
      readonly type: "deployment.generated";
      readonly deployment: Pick<Deployment, "id" | "name">;
      readonly list: Pick<PublishedList, "generation" | "entries">;
    }
  | {
      readonly type: "deployment.refused";
      readonly deployment: Pick<Deployment, "id" | "name">;
      readonly list: Pick<RefusedList, "number" | "reasons" | "entries">;
    }
  | {
      readonly type: "list.refreshed";
      readonly list: Pick<ExternalList, "id" | "name">;
      readonly content: FetchedCounts;
    }
  /** The previous list stays in use. `generation`: that of the previous list; 0 if there is none. */
  | {
      readonly type: "list.refused";
      readonly list: Pick<ExternalList, "id" | "name">;
      readonly generation: number;
      readonly problem: Pick<FetchProblem, "kind" | "code" | "message">;
    }
  | {
      readonly type: "key.created" | "key.revoked";
      readonly key: Pick<ApiKey, "id" | "label" | "access" | "expiresAt">;
    }
  /** Appended once, when the key expires soon. */
  | { readonly type: "key.expiring"; readonly key: Pick<ApiKey, "id" | "label" | "access" | "expiresAt"> }
  /** Appended once until the list is requested again. `pulledAt`: null if it was never requested. */
  | {
      readonly type: "deployment.not_pulled";
      readonly deployment: Pick<Deployment, "id" | "name">;
      readonly pulledAt: number | null;
    }
  /** In the feeds of all organisations. */
  | { readonly type: "catalogue.updated"; readonly dataset: DatasetFacts }
  /** A server has stopped delivering to an endpoint. `host`: of its URL. */
  | { readonly type: "webhook.disabled"; readonly webhook: DisabledWebhook };

/** `change`: null for the first content of a list. */
export interface FetchedCounts extends Pick<FetchedContent, "number" | "entries"> {
  readonly change: { readonly added: number; readonly removed: number } | null;
}

export interface DisabledWebhook {
  readonly id: string;
  readonly host: string;
  readonly reason: StopReason;
}

/**
 * One event. `sequence`: events of an organisation are numbered from 1 without gaps, in the order of commits. `rule` is
 * the rule after the event; of a deleted one, the rule before it. An expired rule still exists.
 */
export type Event = { readonly sequence: number; readonly at: number } & (
  | { readonly type: RuleEventType; readonly rulesetId: string; readonly rule: Rule }
  | EventBody
);

export type EventType = Event["type"];

/** Some events with consecutive numbers, as they are stored. `body` is JSON. */
export interface StoredEvents {
  readonly first: number;
  readonly last: number;
  readonly at: number;
  /** "rules" for events of rules of one ruleset. */
  readonly type: string;
  readonly rulesetId: string | null;
  readonly body: string;
  /** The same for all rows of one list; null: the row has all events of its commands, or the first thousand. */
  readonly parts: string | null;
}

/** A part of the feed of an organisation. */
export interface EventPage {
  /** The id of the feed: in a feed with another id, the same numbers mean other events. */
  readonly feed: string;
  /** The number of the last event. */
  readonly sequence: number;
  /** The last `Change` of the same moment: a server that has applied it knows everything that the events describe. */
  readonly lastChange: number;
  /** The number of the first event that is kept; `sequence + 1` if none is. */
  readonly oldest: number;
  /**
   * Rows with events after the requested number; none if events in between are missing. The first row may begin before
   * it.
   */
  readonly rows: readonly StoredEvents[];
}
