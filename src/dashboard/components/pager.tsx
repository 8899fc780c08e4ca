import { formatCount } from "../format.ts";
import { IconButton } from "./button.tsx";

interface Props {
  /** Counted from 1. */
  readonly page: number;
  readonly pageSize: number;
  /** Items on all pages. */
  readonly count: number;
  /** What is paged, as `prefixes`. */
  readonly what: string;
  readonly onPage: (page: number) => void;
}

/** Which items are shown, of how many, and the way to the others; nothing to turn where all of them are. */
export function Pager({ page, pageSize, count, what, onPage }: Props) {
  const last = Math.max(1, Math.ceil(count / pageSize));
  const first = Math.min((page - 1) * pageSize + 1, count);
  const shown = `${formatCount(first)} to ${formatCount(Math.min(page * pageSize, count))} of ${formatCount(count)} ${what}`;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <span class="muted" role="status">{count === 0 ? `no ${what}` : shown}</span>
      {last > 1 && (
        <span class="row">
          <IconButton icon="left" label="Previous page" disabled={page <= 1} onClick={() => onPage(page - 1)} />
          <label class="row"><span class="hidden">Page</span><select value={String(page)} onChange={(event) => onPage(Number(event.currentTarget.value))}>{pagesNear(page, last).map((each) => <option key={each} value={String(each)}>{formatCount(each)}</option>)}</select></label>
          <span class="muted">of {formatCount(last)}</span>
          <IconButton icon="right" label="Next page" disabled={page >= last} onClick={() => onPage(page + 1)} />
        </span>
      )}
    </nav>
  );
}

/** All pages where they are few; else those around this one, and some in even steps over all. */
function pagesNear(page: number, last: number): number[] {
  const step = Math.max(1, Math.ceil(last / 100));
  const pages = new Set([1, last, page]);
  for (let each = step; each <= last; each += step) pages.add(each);
  for (let each = Math.max(1, page - 5); each <= Math.min(last, page + 5); each++) pages.add(each);
  return [...pages].sort((a, b) => a - b);
}
