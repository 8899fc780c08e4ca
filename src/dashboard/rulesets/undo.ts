import { signal } from "@preact/signals";
import { get, post } from "../api.ts";
import { notify, notifyProblem } from "../components/toasts.tsx";
import type { UndoableChange } from "../documents.ts";

/** The user's last change in this session, if it can be undone; null: nothing. */
export const undoable = signal<UndoableChange | null>(null);

/** Grows when rulesets or rules were changed here: components that show them fetch them again. */
export const revision = signal(0);

/** Asks the server what can be undone; if it does not say, nothing is offered. */
export async function readUndoable(): Promise<void> {
  const { change } = await get("/dashboard/api/undo").catch(() => ({ change: null }));
  undoable.value = change?.can_undo === true ? change : null;
}

/** Reports what was changed and offers to undo it. */
export async function announceChange(text: string): Promise<void> {
  revision.value++;
  await readUndoable();
  const change = undoable.value;
  notify(text, change === null ? undefined : { label: "Undo", run: () => void undo(change) });
}

export async function undo({ sequence, summary }: UndoableChange): Promise<void> {
  try {
    await post("/dashboard/api/undo", { params: { query: { sequence } } });
    notify(`Undone: ${summary}`);
  } catch (error) {
    notifyProblem(error);
  }
  revision.value++;
  await readUndoable();
}
