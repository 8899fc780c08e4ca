import { useState } from "preact/hooks";
import { Button, IconButton } from "./button.tsx";
import { notifyProblem } from "./toasts.tsx";

interface Props {
  /** The text to copy, or a function that fetches it. */
  readonly text: string | (() => Promise<string>);
  readonly label?: string;
  readonly iconOnly?: boolean;
}

/** Copies a text; the button briefly confirms it. */
export function CopyButton({ text, label = "Copy", iconOnly = false }: Props) {
  const [isDone, setDone] = useState(false);
  const copy = async (event: MouseEvent): Promise<void> => {
    const button = event.currentTarget as HTMLElement;
    try {
      await write(typeof text === "string" ? text : await text(), button);
      setDone(true);
      setTimeout(() => setDone(false), 2000);
    } catch (error) {
      notifyProblem(error);
    }
  };
  const icon = isDone ? "check" : "copy";
  if (iconOnly)
    return <IconButton icon={icon} label={isDone ? "Copied" : label} onClick={(event) => void copy(event)} />;
  return (
    <Button icon={icon} onClick={(event) => void copy(event)}>
      <span aria-live="polite">{isDone ? "Copied" : label}</span>
    </Button>
  );
}

async function write(text: string, beside: HTMLElement): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  // Without https, browsers only support the old way. The field is beside the button: outside of an open dialog nothing
  // can be selected.
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "hidden";
  beside.after(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  beside.focus();
  if (!isCopied) throw new Error("The browser blocked copying. Select the text and copy it yourself.");
}
