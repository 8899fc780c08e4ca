import { signal } from "@preact/signals";
import { get, post } from "../api.ts";
import { notify, notifyProblem } from "../components/toasts.tsx";
import type { UndoableChange } from "../documents.ts";

/** What the user changed last in this session and can undo; null: nothing. */
export const undoable = signal<UndoableChange | null>(null);

/** Grows when rulesets or rules were changed here: what shows them fetches them anew. */
export const revision = signal(0);

/** Asks the server what can be undone; where it does not say, nothing is offered. */
export async function readUndoable(): Promise<void> {
  const { change } = await get("/dashboard/api/undo").catch(() => ({ change: null }));
  undoable.value = change?.can_undo === true ? change : null;
}

/** Tells what was changed and offers to undo it. */
export async function tellChange(text: string): Promise<void> {
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
