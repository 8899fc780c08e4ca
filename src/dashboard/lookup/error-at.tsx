import { Icon } from "../components/icon.tsx";
import { sentence } from "../format.ts";
import { hrefOf } from "../location.ts";
import { readErrorPosition } from "./error-position.ts";

/** Marks the end of the text, if something is missing there. */
const SPACE = 0x20;

/** What is wrong with an address, shown at the invalid character. */
export function ErrorAt({
  id,
  text,
  message,
}: {
  readonly id: string;
  readonly text: string;
  readonly message: string;
}) {
  const found = readErrorPosition(message);
  const [, cure] = /did you mean ([\da-f:./]+)\?$/i.exec(message) ?? [];
  return (
    <div class="note bad" role="alert" id={id}>
      <Icon name="warning" />
      <div>
        <strong>Not an address or prefix</strong>
        {found !== undefined && <MarkedText text={text} position={found.position} />}
        <p>{sentence(found?.what ?? message)}</p>
        {cure !== undefined && (
          <p>
            Look up{" "}
            <a class="mono" href={hrefOf("/lookup", { ip: cure })}>
              {cure}
            </a>
          </p>
        )}
      </div>
    </div>
  );
}

function MarkedText({ text, position }: { readonly text: string; readonly position: number }) {
  const [before, at] = [text.slice(0, position), String.fromCodePoint(text.codePointAt(position) ?? SPACE)];
  return (
    <p class="marked-text mono">
      <span>{before}</span>
      <mark>{/\s/.test(at) ? " " : at}</mark>
      <span>{text.slice(position + at.length)}</span>
      <span class="hidden"> (error at character {position + 1})</span>
    </p>
  );
}
