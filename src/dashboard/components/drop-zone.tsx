import { useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface Props {
  /** What to drop here. */
  readonly label: string;
  readonly hint?: string;
  /** Like the attribute of a file field; dropped files are not checked against it. */
  readonly accept?: string;
  readonly disabled?: boolean;
  readonly onFile: (file: File) => void;
}

/** Where a file is dropped, or chosen with a button. */
export function DropZone({ label, hint, accept, disabled = false, onFile }: Props) {
  const chooser = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent): void => {
    event.preventDefault();
    setOver(!disabled && (event.dataTransfer?.types.includes("Files") ?? false));
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer?.files);
  };
  const take = (files: FileList | null | undefined): void => {
    const [file] = files ?? [];
    if (file !== undefined && !disabled) onFile(file);
  };
  const choose = (): void => {
    take(chooser.current!.files);
    // So that the same file can be chosen again.
    chooser.current!.value = "";
  };
  return (
    <div
      class={isOver ? "drop-zone over" : "drop-zone"}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="upload" />
      <p class="drop-label">{label}</p>
      {hint !== undefined && <p class="muted small">{hint}</p>}
      <input
        ref={chooser}
        type="file"
        hidden
        {...(accept === undefined ? {} : { accept })}
        onChange={choose}
        aria-label={label}
      />
      <Button disabled={disabled} onClick={() => chooser.current!.click()}>
        Choose a file
      </Button>
    </div>
  );
}
