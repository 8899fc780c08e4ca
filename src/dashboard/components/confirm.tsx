import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Problem, problemOf } from "../problem.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemNote } from "./states.tsx";

interface Question {
  readonly title: string;
  readonly text: ComponentChildren;
  /** The text of the button: the action to confirm. */
  readonly action: string;
  readonly danger?: boolean;
  /** Run when the user agrees; if it fails, the dialog stays and says why. */
  readonly run: () => Promise<unknown>;
}

const openQuestion = signal<Question | undefined>(undefined);

/** Asks for confirmation before something is done. */
export function confirm(question: Question): void {
  openQuestion.value = question;
}

/** Once per page. */
export function Confirmation() {
  return openQuestion.value === undefined ? null : <QuestionDialog {...openQuestion.value} />;
}

function QuestionDialog({ title, text, action, danger = false, run }: Question) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const close = (): void => void (openQuestion.value = undefined);
  const agree = async (): Promise<void> => {
    setBusy(true);
    try {
      await run();
      close();
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={close}>
      {problem !== undefined && <ProblemNote problem={problem} />}
      <div class="dialog-text">{text}</div>
      <footer class="dialog-foot">
        <Button autofocus onClick={close}>
          Cancel
        </Button>
        <Button look={danger ? "danger" : "primary"} busy={isBusy} onClick={() => void agree()}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}
