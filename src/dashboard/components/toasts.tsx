import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { problemOf } from "../problem.ts";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: "good" | "bad";
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

const STAY = 6000;

/** Shows for some seconds that something was done; `action` offers a next step, such as undo. */
export function notify(text: string, action?: Toast["action"]): void {
  add({ text, kind: "good", action });
}

/** Shows an error until it is closed. */
export function notifyProblem(error: unknown): void {
  add({ text: problemOf(error).message, kind: "bad" });
}

function add(toast: Omit<Toast, "id">): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-3), { ...toast, id }];
  if (toast.kind === "good") setTimeout(() => drop(id), toast.action === undefined ? STAY : 2 * STAY);
}

function drop(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

/** Once per page. A popover, so that it is above dialogs; its text is read out when it appears. */
export function Toasts() {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // Reopened, it is above a dialog that was opened since.
    box.current!.hidePopover();
    box.current!.showPopover();
  }, [toasts.value]);
  return (
    <div ref={box} class="toasts" popover="manual" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind, action }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === "good" ? "check" : "warning"} />
          <span>{text}</span>
          {action !== undefined && (
            <button
              type="button"
              class="link"
              onClick={() => {
                drop(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={() => drop(id)} />
        </div>
      ))}
    </div>
  );
}
