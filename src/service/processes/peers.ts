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

/** The questions of the processes of `serve --processes` to each other, by name: about all that is not in the store. */
export interface PeerQuestions {
  /** The values of its metrics. */
  metrics: { argument: null; answer: MetricValues };
  /** Uploaded logs: one, or all of an organisation; whether it had the one that is to be removed. */
  identification: { argument: Owned; answer: IdentificationState | null };
  identifications: { argument: { readonly organisationId: string }; answer: readonly IdentificationState[] };
  removeIdentification: { argument: Owned; answer: boolean };
  replay: { argument: Owned; answer: KeptReplay | null };
  /** The last change that undid another in a session, as far as it knows, at least `sequence`, which it notes. */
  undone: { argument: { readonly session: string; readonly sequence: number }; answer: number };
  /** The update of the catalogue and the import of a feed, in progress or the last one. */
  catalogueUpdate: { argument: null; answer: CatalogueUpdate | null };
  feedImport: { argument: null; answer: FeedImport | null };
  cancelFeedImport: { argument: null; answer: boolean };
  /** Reloads a dataset that another process has replaced. */
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
  /** Whether this process has the tasks of which the server has one: it is number 1, or has replaced it. */
  readonly isFirst: boolean;
  /** The answers of those that answer in time: not of one that has ended, or is stopped. */
  ask<Name extends PeerQuestion>(name: Name, argument: Argument<Name>): Promise<readonly Answer<Name>[]>;
  /** Sets what answers their questions. */
  answer(answers: PeerAnswers): void;
}

/** For a server that is one process. */
export const ALONE: Peers = { areThere: false, isFirst: true, ask: async () => [], answer: () => {} };
