import type { AuditEntry } from "../../store/records/audit.ts";
import type {
  DeleteRulesetCommand,
  RestoreRulesCommand,
  RestoreRulesetCommand,
  UpdateRulesetCommand,
} from "../../store/command.ts";
import type { IfMatch } from "../../store/if-match.ts";
import { type Ruleset, stateOf, UNGUARDED } from "../../store/state.ts";
import type { Store } from "../../store/store.ts";
import type { Peers } from "../processes/peers.ts";
import type { LiveSession, ServiceMemory } from "../store/service-memory.ts";

/** Entries read at a time. */
const PAGE = 50;
/** Maximum sessions whose undone changes are remembered. */
const MAX_SESSIONS = 10_000;

type Unsigned<Command> = Command extends unknown
  ? Omit<Command, "actor" | "at" | "organisationId" | "idempotency">
  : never;

/** The command that undoes a change, without its author and time. */
export type UndoCommand = Unsigned<
  RestoreRulesCommand | UpdateRulesetCommand | DeleteRulesetCommand | RestoreRulesetCommand
>;

/** The exact inverse of a change, or why there is none. */
export type Inverse = { readonly command: UndoCommand } | { readonly rejection: string };

const RULESET_GONE = "its ruleset has been deleted since";
export const CHANGED = "what it changed has been changed again since";
const TOO_MANY = "it changed more rules than are kept for undo";

/** Finds the last change of a user in one session. Changes that were undone are not found again. */
export class UndoLog {
  readonly #store: Store;
  readonly #peers: Peers;
  /** By session, the last change to skip: the one that undid another. */
  readonly #undone = new Map<string, number>();

  constructor(store: Store, peers: Peers) {
    this.#store = store;
    this.#peers = peers;
  }

  /** The user's last change of rules or rulesets since the session began, of the kinds that can be undone. */
  async last({ session, user }: LiveSession): Promise<AuditEntry | null> {
    const undone = await this.#lastUndone(session.digest, 0);
    let before: number | null | undefined;
    while (before !== null) {
      const { entries, nextBefore } = await this.#store.read("audit", user.organisationId, {
        actor: `user:${user.id}`,
        limit: PAGE,
        before,
        isBrief: true,
      });
      for (const entry of entries) {
        if (entry.at < session.createdAt || entry.sequence <= undone) return null;
        if (isOfRulesets(entry)) return isUndo(entry) ? null : entry;
      }
      before = nextBefore;
    }
    return null;
  }

  /** Records, in all processes, that the session has undone a change, by the sequence of the change that undid it. */
  async undid({ session }: LiveSession, sequence: number): Promise<void> {
    await this.#lastUndone(session.digest, sequence);
  }

  /** Records a sequence, by the digest of the session; returns the last one. 0: there is none. */
  note(session: string, sequence: number): number {
    const last = Math.max(sequence, this.#undone.get(session) ?? 0);
    if (last === 0) return 0;
    this.#undone.delete(session);
    this.#undone.set(session, last);
    for (const oldest of this.#undone.keys()) {
      if (this.#undone.size <= MAX_SESSIONS) break;
      this.#undone.delete(oldest);
    }
    return last;
  }

  async #lastUndone(session: string, sequence: number): Promise<number> {
    const own = this.note(session, sequence);
    const others = await this.#peers.ask("undone", { session, sequence: own });
    return this.note(session, Math.max(own, ...others));
  }
}

/** Whether a change is of a kind that can be undone. */
export function isOfRulesets({ kind }: AuditEntry): boolean {
  return kind === "rules" || kind === "rules-replaced" || kind === "ruleset" || kind === "ruleset-deleted";
}

function isUndo({ command }: AuditEntry): boolean {
  return command === "restore-rules" || command === "restore-ruleset";
}

/**
 * The command that undoes the change. Whether rules are still as the change left them is checked separately: see
 * `isOvertaken`.
 */
export function inverseOf(entry: AuditEntry, memory: ServiceMemory, organisationId: string): Inverse {
  const { kind, rulesetId, sequence } = entry;
  if (kind === "ruleset-deleted") return inverseOfDeletion(entry, memory, organisationId);
  const live = rulesetId === null ? undefined : memory.ruleset(organisationId, rulesetId);
  if (live === undefined) return { rejection: RULESET_GONE };
  const { id, version } = live.about;
  if (kind === "ruleset") {
    const [before, after] = [entry.old, entry.new] as [Ruleset | null, Ruleset];
    if (!haveSameSettings(live.about, { ...UNGUARDED, ...after })) return { rejection: CHANGED };
    if (before !== null) {
      const { name, description, guard, guardClasses, neverBlock } = { ...UNGUARDED, ...before };
      const settings = { name, description, guard, guardClasses, neverBlock };
      return { command: { kind: "update-ruleset", rulesetId: id, ...settings, ifMatch: inState(live.about) } };
    }
    return version === sequence
      ? { command: { kind: "delete-ruleset", rulesetId: id, ifMatch: inState(live.about) } }
      : { rejection: CHANGED };
  }
  return !entry.isKept ? { rejection: TOO_MANY } : { command: { kind: "restore-rules", rulesetId: id, sequence } };
}

function haveSameSettings(one: Ruleset, other: Ruleset): boolean {
  const settings = ["name", "description", "guard", "guardClasses", "neverBlock"] as const;
  return settings.every((name) => String(one[name]) === String(other[name]));
}

function inState(ruleset: Ruleset): IfMatch {
  return { versions: [stateOf(ruleset)], rules: [], lists: [] };
}

/**
 * Whether rules that the change touched have changed since. The database is asked: memory may be from before it was
 * restored from a backup.
 */
export async function isOvertaken(
  { sequence }: AuditEntry,
  { command }: { readonly command: UndoCommand },
  { store }: { readonly store: Store },
  organisationId: string,
): Promise<boolean> {
  return command.kind === "restore-rules" && !(await store.read("isAsLeft", organisationId, sequence));
}

function inverseOfDeletion(
  { old, isKept, sequence }: AuditEntry,
  memory: ServiceMemory,
  organisationId: string,
): Inverse {
  const ruleset = old as Ruleset | null;
  if (ruleset === null || !isKept) return { rejection: TOO_MANY };
  return memory.ruleset(organisationId, ruleset.id) === undefined
    ? { command: { kind: "restore-ruleset", sequence } }
    : { rejection: CHANGED };
}
