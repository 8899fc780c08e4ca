import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { undo, undoable } from "./undo.ts";

/** Undoes the user's last change in this session; hidden if there is none. */
export function UndoButton() {
  const [isBusy, setBusy] = useState(false);
  const change = undoable.value;
  if (change === null) return null;
  const run = async (): Promise<void> => {
    setBusy(true);
    await undo(change);
    setBusy(false);
  };
  return (
    <Button icon="undo" busy={isBusy} title={`Undo: ${change.summary}`} onClick={() => void run()}>
      Undo
    </Button>
  );
}
