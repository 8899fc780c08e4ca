import { formatCount } from "../format.ts";

export interface Share {
  readonly name: string;
  readonly value: number;
  /** One of the colors 0 to 7; its index by default. */
  readonly color?: number;
}

/** One bar divided into its shares, with a legend that has the figures, so it needs no table. */
export function ShareBar({
  title,
  shares,
  format = formatCount,
}: {
  readonly title: string;
  readonly shares: readonly Share[];
  readonly format?: (value: number) => string;
}) {
  const total = shares.reduce((sum, { value }) => sum + value, 0);
  const percent = (value: number): string =>
    total === 0 ? "0 %" : `${((100 * value) / total).toFixed(value > 0 && value < total / 100 ? 2 : 1)} %`;
  return (
    <figure class="chart shares">
      <figcaption>
        <span class="chart-title">{title}</span>
      </figcaption>
      <div class="share-bar" aria-hidden="true">
        {shares.map(
          ({ name, value, color }, at) =>
            value > 0 && (
              <span
                key={name}
                class={`c${color ?? at % 8}`}
                style={{ flexGrow: String(value) }}
                title={`${name}: ${format(value)}`}
              />
            ),
        )}
      </div>
      <ul class="share-legend">
        {shares.map(({ name, value, color }, at) => (
          <li key={name}>
            <i class={`swatch c${color ?? at % 8}`} />
            <span>{name}</span>
            <b>{format(value)}</b>
            <span class="muted">{percent(value)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
