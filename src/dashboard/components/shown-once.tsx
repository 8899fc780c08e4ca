import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { Note } from "./states.tsx";

interface Props {
  readonly title: string;
  /** What the secret is called in sentences, such as `key`. */
  readonly what: string;
  /** Why it cannot be shown again. */
  readonly why: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** How it is used. */
  readonly children?: ComponentChildren;
}

/** A secret that has just been made, to be copied now or never. */
export function ShownOnce({ title, what, why, secret, onClose, children }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Note kind="warning">
        Copy the {what} now. It cannot be shown again: {why}.
      </Note>
      <div class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} label={`Copy ${what}`} />
      </div>
      {children}
      <footer class="dialog-foot">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
