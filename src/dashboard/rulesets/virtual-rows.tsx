import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { VirtualScroll } from "./virtual-scroll.ts";

export interface RowLook {
  /** One per column. */
  readonly cells: readonly ComponentChildren[];
  readonly kind?: string | undefined;
  readonly isSelected?: boolean | undefined;
}

interface Props {
  /** What the table contains; read out, not shown. */
  readonly label: string;
  /** The prefix of its parts' classes. */
  readonly kind: string;
  readonly columns: readonly { readonly title: ComponentChildren; readonly kind: string }[];
  readonly count: number;
  readonly rowHeight: number;
  readonly row: (index: number) => RowLook;
  readonly isBusy?: boolean;
  /** Identifies the content: when it changes, the table scrolls to the top. */
  readonly contentKey?: unknown;
  /** Called with the visible rows. */
  readonly onRange?: (first: number, last: number) => void;
  /** The user has moved to a row by key; `extend`: with Shift. */
  readonly onMove?: (row: number, extend: boolean) => void;
  /** Any other key, at a row. */
  readonly onKey?: (event: KeyboardEvent, row: number) => void;
}

/** Milliseconds without a movement until the browser's position is corrected. */
const SETTLE = 140;
/** Milliseconds for which a movement started by a wheel or a finger continues. */
const WHEEL = 600;
const FINGER = 4000;

/**
 * A table of any number of rows of one height: only the visible ones exist. They are in a box that sticks to the frame,
 * so the browser's scroll height may be smaller than all rows together. Keys move from row to row;
 * `aria-activedescendant` names the current one.
 */
export function VirtualRows({
  label,
  kind,
  columns,
  count,
  rowHeight,
  row,
  isBusy = false,
  contentKey,
  onRange,
  onMove,
  onKey,
}: Props) {
  const id = useId();
  const [active, setActive] = useState(-1);
  const { frame, head, scroll, viewport, reveal, ...handlers } = useScroll(count, rowHeight, contentKey);
  const [first, last] = scroll.range();
  useEffect(() => onRange?.(first, last), [first, last, count, onRange]);
  useEffect(() => setActive(-1), [contentKey]);
  const goTo = (wanted: number, extend: boolean): void => {
    const next = Math.max(0, Math.min(count - 1, wanted));
    setActive(next);
    reveal(next);
    onMove?.(next, extend);
  };
  const press = (event: KeyboardEvent): void => {
    const step = stepOf(event.key, Math.max(1, Math.floor(viewport / rowHeight) - 1), count);
    if (count === 0 || !isForRows(event)) return;
    if (step === undefined) return void onKey?.(event, active);
    event.preventDefault();
    const from = active >= 0 ? active : step > 0 ? first - 1 : first + 1;
    goTo(Math.abs(step) >= count ? (step > 0 ? count - 1 : 0) : from + step, event.shiftKey);
  };
  const shown = Array.from({ length: count === 0 ? 0 : last - first + 1 }, (_, at) => first + at);
  return (
    <div
      ref={frame}
      class={`virtual ${kind}`}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-busy={isBusy}
      aria-multiselectable={onMove !== undefined || undefined}
      aria-activedescendant={active >= first && active <= last ? `${id}-${active}` : undefined}
      onKeyDown={press}
      {...handlers}
    >
      <div ref={head} class="virtual-head" role="rowgroup">
        <HeadRow columns={columns} />
      </div>
      <div role="rowgroup" style={{ height: `${scroll.height}px` }}>
        <div
          class="virtual-window"
          role="presentation"
          style={{ height: `${Math.min(viewport, scroll.height)}px`, top: `${head.current?.offsetHeight ?? 0}px` }}
        >
          {shown.map((index) => (
            <Row
              key={index}
              id={`${id}-${index}`}
              index={index}
              columns={columns}
              look={row(index)}
              isActive={index === active}
              height={rowHeight}
              top={index * rowHeight - scroll.top}
              onPress={() => setActive(index)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function HeadRow({ columns }: Pick<Props, "columns">) {
  return (
    <div class="virtual-row" role="row" aria-rowindex={1}>
      {columns.map((column) => (
        <div key={column.kind} role="columnheader" class={column.kind}>
          {column.title}
        </div>
      ))}
    </div>
  );
}

interface RowProps extends Pick<Props, "columns"> {
  readonly id: string;
  readonly index: number;
  readonly look: RowLook;
  readonly isActive: boolean;
  readonly height: number;
  readonly top: number;
  readonly onPress: () => void;
}

function Row({ id, index, columns, look: { cells, kind = "", isSelected }, isActive, height, top, onPress }: RowProps) {
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      class={`virtual-row ${kind}${isActive ? " at" : ""}`}
      style={{ height: `${height}px`, transform: `translateY(${top}px)` }}
      onMouseDown={onPress}
    >
      {cells.map((cell, at) => (
        <div key={columns[at]!.kind} role="gridcell" class={columns[at]!.kind}>
          {cell}
        </div>
      ))}
    </div>
  );
}

/** Whether a key is for the rows: a field in a row has keys of its own. */
function isForRows({ defaultPrevented, altKey, target }: KeyboardEvent): boolean {
  return !defaultPrevented && !altKey && !(target instanceof HTMLInputElement && target.type !== "checkbox");
}

/** How many rows a key moves; the number of all rows for a key that moves to an end. */
function stepOf(key: string, page: number, count: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return 1;
    case "ArrowUp":
      return -1;
    case "PageDown":
      return page;
    case "PageUp":
      return -page;
    case "Home":
      return -count;
    case "End":
      return count;
    default:
      return undefined;
  }
}

function useScroll(count: number, rowHeight: number, contentKey: unknown) {
  const frame = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const scroll = useRef<VirtualScroll>(undefined);
  scroll.current ??= new VirtualScroll();
  const { current } = scroll;
  const [viewport, setViewport] = useState(0);
  const [, render] = useReducer((round: number) => round + 1, 0);
  // Until when movements come from wheel or finger, by the time of events.
  const fineUntil = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  current.resize({ rows: count, rowHeight, viewport });
  const settle = (): void => void (frame.current!.scrollTop = current.settle());
  useLayoutEffect(() => {
    const measure = (): void => setViewport(frame.current!.clientHeight - head.current!.offsetHeight);
    // Immediately, too: the observer is called after the frame, which would have no rows.
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(frame.current!);
    observer.observe(head.current!);
    return () => {
      observer.disconnect();
      clearTimeout(timer.current);
    };
  }, []);
  useLayoutEffect(() => {
    current.goTo(0);
    settle();
    render(0);
  }, [contentKey]);
  useLayoutEffect(settle, [count, rowHeight, viewport]);
  const settleSoon = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(settle, SETTLE);
  };
  return {
    frame,
    head,
    scroll: current,
    viewport,
    reveal: (index: number): void => {
      current.show(index);
      settle();
      render(0);
    },
    onScroll: ({ timeStamp }: Event): void => {
      const isFine = timeStamp < fineUntil.current;
      current.scrolled(frame.current!.scrollTop, isFine);
      render(0);
      if (current.isScaled && isFine) settleSoon();
    },
    onWheel: ({ timeStamp }: Event): void => void (fineUntil.current = timeStamp + WHEEL),
    onTouchMove: ({ timeStamp }: Event): void => void (fineUntil.current = timeStamp + FINGER),
    // The frame itself is the target only for its scroll bar.
    onPointerDown: ({ target }: Event): void => void (target === frame.current && (fineUntil.current = 0)),
    // A row is removed when it is scrolled out of sight, and the focus with it; the frame stays.
    onFocusIn: (event: FocusEvent): void => {
      if ((event.target as HTMLElement).closest(".virtual-window") !== null)
        frame.current!.focus({ preventScroll: true });
    },
  };
}
