import type { ComponentChildren } from "preact";

export interface Series {
  readonly name: string;
  /** One for every label; null: unknown. */
  readonly values: readonly (number | null)[];
}

interface Props {
  readonly title: string;
  /** Shown beside the title, such as the value under the pointer. */
  readonly aside?: ComponentChildren;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly children: ComponentChildren;
}

/** A chart with its title and legend, and its data as a table for users who cannot see it or want the figures. */
export function Figure({ title, aside, labels, series, format, children }: Props) {
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        {series.length > 1 && (
          <span class="legend">
            {series.map(({ name }, at) => (
              <span key={name}>
                <i class={`swatch c${at}`} />
                {name}
              </span>
            ))}
          </span>
        )}
        <output class="chart-aside">{aside}</output>
      </figcaption>
      {children}
      <details class="chart-table">
        <summary>
          Show data<span class="hidden"> of {title}</span>
        </summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={`Data of ${title}`}>
          <table>
            <thead>
              <tr>
                <td />
                {series.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {labels.map((label, row) => (
                <tr key={row}>
                  <th scope="row">{label}</th>
                  {series.map(({ name, values }) => (
                    <td key={name} class="number">
                      {values[row] == null ? "" : format(values[row])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
