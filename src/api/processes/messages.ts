import type { NewToken } from "../../service/access/secret-token.ts";
import type { WriterReply } from "../../store/sqlite/file-writer.ts";
import type { WritingMethod } from "../../store/sqlite/messages.ts";
import type { EndSignal } from "../end-signals.ts";

/** What a process needs to know when it starts. */
export interface Start {
  /** From 1. A process that replaces one that ended has its number. */
  readonly number: number;
  readonly setupToken: NewToken;
}

/** From a process to the supervisor that started it. */
export type FromProcess =
  | { readonly kind: "hello" }
  /** It is still starting. */
  | { readonly kind: "alive" }
  /** It listens. `text` is printed for the person who started the server. */
  | { readonly kind: "ready"; readonly text: string }
  /** A question for all other processes. */
  | { readonly kind: "ask"; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: "answer"; readonly id: number; readonly answer: unknown }
  /** For the writer of the SQLite file. */
  | { readonly kind: "write"; readonly id: number; readonly method: WritingMethod; readonly argument: unknown };

/** From the supervisor to a process. */
export type ToProcess =
  | ({ readonly kind: "begin" } & Start)
  | { readonly kind: "asked"; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: "answers"; readonly id: number; readonly answers: readonly unknown[] }
  | { readonly kind: "written"; readonly id: number; readonly reply: WriterReply }
  /** There are changes that another process has written. */
  | { readonly kind: "changed" }
  | { readonly kind: "reload" }
  /** Finish the requests in progress, then end; the second time, end at once. */
  | { readonly kind: "end"; readonly signal: EndSignal };
