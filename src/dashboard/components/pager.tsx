import { formatCount } from "../format.ts";
import { IconButton } from "./button.tsx";

interface Props {
  /** Counted from 1. */
  readonly page: number;
  readonly pageSize: number;
  /** Items on all pages. */
  readonly count: number;
  /** What the items are, for example `prefixes`. */
  readonly what: string;
  readonly onPage: (page: number) => void;
}

/** Which items are shown, of how many, and links to the others; no links if all of them are. */
export function Pager({ page, pageSize, count, what, onPage }: Props) {
  const last = Math.max(1, Math.ceil(count / pageSize));
  const first = Math.min((page - 1) * pageSize + 1, count);
  const shown = `${formatCount(first)} to ${formatCount(Math.min(page * pageSize, count))} of ${formatCount(count)} ${what}`;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <span class="muted" role="status">
        {count === 0 ? `No ${what}` : shown}
      </span>
      {last > 1 && (
        <span class="row">
          <IconButton icon="left" label="Previous page" disabled={page <= 1} onClick={() => onPage(page - 1)} />
          <PageNumber page={page} last={last} onPage={onPage} />
          <span class="muted">of {formatCount(last)}</span>
          <IconButton icon="right" label="Next page" disabled={page >= last} onClick={() => onPage(page + 1)} />
        </span>
      )}
    </nav>
  );
}

/** Any page can be typed; it is opened with Enter or on leaving the field. */
function PageNumber({ page, last, onPage }: Pick<Props, "page" | "onPage"> & { readonly last: number }) {
  const go = (input: HTMLInputElement): void => {
    const wanted = Math.round(Number(input.value));
    const next = input.value.trim() === "" || Number.isNaN(wanted) ? page : Math.min(last, Math.max(1, wanted));
    input.value = String(next);
    if (next !== page) onPage(next);
  };
  return (
    <label class="row">
      <span class="hidden">Page</span>
      <input
        key={page}
        type="number"
        inputMode="numeric"
        min={1}
        max={last}
        defaultValue={String(page)}
        onChange={(event) => go(event.currentTarget)}
        onKeyDown={(event) => event.key === "Enter" && go(event.currentTarget)}
      />
    </label>
  );
}
