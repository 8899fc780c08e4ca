import { Note, ProblemNote } from "../components/states.tsx";
import type { Problem } from "../problem.ts";

/** Before a change of which the server does not keep the rules as they were. */
export function CannotUndo() {
  return (
    <div class="panel-note">
      <Note kind="warning">
        <strong>This cannot be undone:</strong> it changes more rules than undo can restore. Export the ruleset first.
      </Note>
    </div>
  );
}

/** Why a previewed change was not made; nothing if it was. */
export function WriteFailure({ problem }: { readonly problem: Problem | undefined }) {
  if (problem === undefined) return null;
  if (problem.status !== 412) return <ProblemNote problem={problem} />;
  return (
    <div class="panel-note">
      <Note kind="warning">
        <strong>The ruleset has changed in the meantime, so nothing was written.</strong> The updated preview is below.
      </Note>
    </div>
  );
}
