import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./button.tsx";

interface Props {
  readonly title: string;
  /** Called when the user cancels: Escape, the cross, a click outside. */
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

/** A dialog that is open as long as it is rendered; the browser keeps the focus in it and returns it afterwards. */
export function Dialog({ title, onClose, wide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    current!.showModal();
    return () => current!.close();
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      class={wide ? "wide" : ""}
      aria-labelledby={heading}
      onCancel={cancel}
      onMouseDown={(event) => event.target === dialog.current && cancel(event)}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
