import { CopyButton } from "./components/copy.tsx";
import { Field } from "./components/form.tsx";

const SET_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/** As part of a query, if it can be the name of a set. */
export function setNameQuery(name: string): string {
  return SET_NAME.test(name) ? `&set_name=${name}` : "";
}

interface SetNameProps {
  readonly value: string;
  /** What the name is derived from by default. */
  readonly from: string;
  readonly onInput: (name: string) => void;
}

export function SetNameField({ value, from, onInput }: SetNameProps) {
  return (
    <Field
      name="set_name"
      label="Name in the file"
      optional
      value={value}
      maxLength={25}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => onInput(currentTarget.value.trim())}
      hint={`A letter, then letters, digits or underscores; ipset, nftables and BIRD append _4 and _6. Default: derived from ${from}.`}
    />
  );
}

/** The same file for programs. `path`: below `/v1`. */
export function ExportUrl({ path }: { readonly path: string }) {
  const url = `${location.origin}/v1${path}`;
  return (
    <div class="field">
      <span class="field-name">URL for firewalls (needs a key)</span>
      <div class="secret">
        <code>{url}</code>
        <CopyButton iconOnly label="Copy the URL" text={url} />
      </div>
    </div>
  );
}
