import { formatCount } from "../format.ts";
import type { ComponentChildren } from "preact";

export interface BarItem {
  readonly key: string;
  readonly name: ComponentChildren;
  readonly value: number;
  readonly color?: number;
}

/** Names with horizontal bars: the largest one fills the available width. The figures are beside them. */
export function BarList({
  title,
  items,
  format = formatCount,
}: {
  readonly title: string;
  readonly items: readonly BarItem[];
  readonly format?: (value: number) => string;
}) {
  const greatest = Math.max(1, ...items.map(({ value }) => value));
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
      </figcaption>
      <ol class="bar-list">
        {items.map(({ key, name, value, color = 0 }) => (
          <li key={key}>
            <span class="bar-name">{name}</span>
            <span class="bar-track" aria-hidden="true">
              <span class={`c${color}`} style={{ width: `${(100 * value) / greatest}%` }} />
            </span>
            <b>{format(value)}</b>
          </li>
        ))}
      </ol>
    </figure>
  );
}
