import type { ImportFormat } from "../../rulesets/importers/import-rules.ts";
import type { UpdateFrequency } from "./deployment.ts";

/** What users decide about an external list, besides its name. */
export interface ExternalListDefinition {
  readonly description: string;
  /** https, without a user name or password. */
  readonly url: string;
  readonly format: ImportFormat;
  /** How often it is fetched. */
  readonly schedule: UpdateFrequency;
  /** An inactive list is fetched only on request. */
  readonly active: boolean;
  /** The share of entries that may be added or removed at once, in percent of the previous ones. */
  readonly max_change: number;
  /** A list with a wider prefix is refused. */
  readonly min_prefix_v4: number;
  readonly min_prefix_v6: number;
  /** Whether a list without entries is accepted. */
  readonly allow_empty: boolean;
  /** Whether its addresses are the organisation's own, which blocklists should not block; absent: false. */
  readonly never_block?: boolean;
}

/** The part of its credentials that may be shown. They are sent to their origin only. */
export interface ListCredentials {
  readonly type: "basic" | "header";
  /** The name of the user or of the header. */
  readonly name: string;
  /** `https://host:port` */
  readonly origin: string;
}

/** A list that someone else publishes at a URL, and that servers fetch. */
export interface ExternalList {
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  readonly definition: ExternalListDefinition;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly credentials: ListCredentials | null;
  /** The last good content; null: there has been none. */
  readonly content: FetchedContent | null;
  /** What was wrong with the latest fetch; null: nothing. */
  readonly problem: FetchProblem | null;
}

/** Describes the last good content. */
export interface FetchedContent {
  /** 1 for the first; rises by one with every change. */
  readonly number: number;
  readonly at: number;
  /** SHA-256 of its prefixes, in base64url. */
  readonly digest: string;
  readonly entries: Readonly<Record<4 | 6, number>>;
  /** Lines that were left out: how many, and the first ones. */
  readonly rejected: { readonly count: number; readonly lines: readonly RejectedLine[] };
  /** How it differs from the content before it; null: there was none. */
  readonly change: ContentChange | null;
}

/** What is wrong with a list that protects addresses and of which lines were left out. */
export function incompleteProblem(line: number, reason: string): Omit<FetchProblem, "since"> {
  const message = `it protects addresses, so each of its lines must be read; line ${line}: ${reason}`;
  return { kind: "refused", code: "incomplete", message, digest: null };
}

export interface RejectedLine {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** How many entries were added and removed, and the first of them. */
export interface ContentChange {
  readonly added: number;
  readonly removed: number;
  readonly firstAdded: readonly string[];
  readonly firstRemoved: readonly string[];
}

export interface FetchProblem {
  /** `failed`: it could not be fetched; `refused`: the fetched content was not accepted. */
  readonly kind: "failed" | "refused";
  readonly code: string;
  readonly message: string;
  /** Since when every fetch has had a problem of this kind. */
  readonly since: number;
  /** The digest of refused content that someone may accept; null if it cannot be accepted. */
  readonly digest: string | null;
}

/**
 * What the fetched text becomes depends on these alone, besides the text: if one is another than when the content was
 * read, the whole text is needed again. `max_change` is not one of them: the same text changes nothing.
 */
export const READ_BY = ["url", "format", "min_prefix_v4", "min_prefix_v6", "allow_empty", "never_block"] as const;

/** The validators of a conditional request, and by what the content was read. */
export interface FetchValidators extends Partial<Pick<ExternalListDefinition, (typeof READ_BY)[number]>> {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** The state of a list that only its fetches need. */
export interface FetchState {
  readonly checkedAt: number | null;
  readonly dueAt: number;
  /** Until this time a server is fetching it. */
  readonly claimedUntil: number;
  readonly validators: FetchValidators | null;
  /** The credentials, encrypted. */
  readonly secret: string | null;
}

/** When a list was last fetched, and when it will be fetched next. */
export interface ListCheck {
  readonly listId: string;
  readonly checkedAt: number | null;
  readonly dueAt: number;
}
