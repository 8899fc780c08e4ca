import type { NewToken } from "../../service/access/secret-token.ts";
import type { WriterReply } from "../../store/sqlite/file-writer.ts";
import type { WritingMethod } from "../../store/sqlite/messages.ts";
import type { EndSignal } from "../end-signals.ts";

/** What a process is told when it starts. */
export interface Beginning {
  /** From 1. A process that takes the place of one that ended has its number. */
  readonly number: number;
  readonly setupToken: NewToken;
}

/** What a process sends to the one that started it. */
export type FromProcess =
  | { readonly kind: "hello" }
  /** It listens. `text`: what to print for the person who started the server. */
  | { readonly kind: "ready"; readonly text: string }
  /** For all other processes. */
  | { readonly kind: "ask"; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: "answer"; readonly id: number; readonly answer: unknown }
  /** For the writer of the SQLite file. */
  | { readonly kind: "write"; readonly id: number; readonly method: WritingMethod; readonly argument: unknown };

/** What it gets. */
export type ToProcess =
  | ({ readonly kind: "begin" } & Beginning)
  | { readonly kind: "asked"; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: "answers"; readonly id: number; readonly answers: readonly unknown[] }
  | { readonly kind: "written"; readonly id: number; readonly reply: WriterReply }
  /** Another process has had something written. */
  | { readonly kind: "changed" }
  | { readonly kind: "reload" }
  /** To finish the requests in progress; the second time, to end at once. */
  | { readonly kind: "end"; readonly signal: EndSignal };
