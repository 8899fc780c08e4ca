import type { CatalogueUpdate } from "../datasets/catalogue-updates.ts";
import type { FeedImport } from "../datasets/feed-imports.ts";
import type { IdentificationState } from "../logs/identification-state.ts";
import type { KeptReplay } from "../logs/replays.ts";
import type { MetricValues } from "../usage/metrics.ts";

/** Something of an organisation, by its id. */
export interface Owned {
  readonly organisationId: string;
  readonly id: string;
}

/** What the processes of `serve --processes` ask each other, by name. Whatever is not in the store is asked for here. */
export interface PeerQuestions {
  /** The values of its metrics. */
  metrics: { argument: null; answer: MetricValues };
  /** Uploaded logs: one or all of an organisation; whether one was there and is removed now. */
  identification: { argument: Owned; answer: IdentificationState | null };
  identifications: { argument: { readonly organisationId: string }; answer: readonly IdentificationState[] };
  removeIdentification: { argument: Owned; answer: boolean };
  replay: { argument: Owned; answer: KeptReplay | null };
  /** The last change that undid another in a session, as far as it knows; remembers `sequence`. */
  undone: { argument: { readonly session: string; readonly sequence: number }; answer: number };
  /** The update of the catalogue and the import of a feed, in progress or the last one. */
  catalogueUpdate: { argument: null; answer: CatalogueUpdate | null };
  feedImport: { argument: null; answer: FeedImport | null };
  cancelFeedImport: { argument: null; answer: boolean };
  /** Loads a dataset again that another process has replaced. */
  reload: { argument: "catalogue" | "threats"; answer: boolean };
  /** Since when pulls of the catalogue fail; null if they do not. */
  pullFailingSince: { argument: null; answer: number | null };
}

export type PeerQuestion = keyof PeerQuestions;
type Argument<Name extends PeerQuestion> = PeerQuestions[Name]["argument"];
type Answer<Name extends PeerQuestion> = PeerQuestions[Name]["answer"];

/** How this process answers each question. */
export type PeerAnswers = {
  readonly [Name in PeerQuestion]: (argument: Argument<Name>) => Answer<Name> | Promise<Answer<Name>>;
};

/** The other processes of this server. */
export interface Peers {
  /** Whether there are others. */
  readonly areThere: boolean;
  /** Whether this process does what only one of them does: the first, or the one that took its place when it ended. */
  readonly isFirst: boolean;
  /** The answers of those that answer: not of one that has ended, or is stopped. */
  ask<Name extends PeerQuestion>(name: Name, argument: Argument<Name>): Promise<readonly Answer<Name>[]>;
  /** From now on, answers questions. */
  answer(answers: PeerAnswers): void;
}

/** Of a server that is one process. */
export const ALONE: Peers = { areThere: false, isFirst: true, ask: async () => [], answer: () => {} };
