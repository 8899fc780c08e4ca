import { useState } from "preact/hooks";
import { formatCount, formatShort } from "../format.ts";
import { Axes, marginFor } from "./axes.tsx";
import { Figure, type Series } from "./figure.tsx";
import { ticksOf } from "./scale.ts";
import { useWidth } from "./width.ts";

interface Props {
  readonly title: string;
  /** Along the bottom, at equal distances. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly height?: number;
  /** Fills the area below the line; for one series. */
  readonly area?: boolean;
  readonly format?: (value: number) => string;
  readonly formatTick?: (value: number) => string;
}

export function LineChart({
  title,
  labels,
  series,
  height = 160,
  area = false,
  format = formatCount,
  formatTick = formatShort,
}: Props) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number>();
  const ticks = ticksOf(Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0))), {
    isCount: format === formatCount,
  });
  const margin = marginFor(ticks.map(formatTick), labels);
  const y = (value: number): number =>
    height - margin.bottom - (value / ticks.at(-1)!) * (height - margin.top - margin.bottom);
  const x = (at: number): number =>
    margin.left + (at / Math.max(1, labels.length - 1)) * (width - margin.left - margin.right);
  const point = (event: PointerEvent): void => {
    const at = Math.round(((event.offsetX - margin.left) / (width - margin.left - margin.right)) * (labels.length - 1));
    setPointed(at >= 0 && at < labels.length ? at : undefined);
  };
  const shown =
    pointed === undefined
      ? undefined
      : [
          labels[pointed],
          ...series.map(
            ({ name, values }) =>
              `${series.length > 1 ? `${name} ` : ""}${values[pointed] == null ? "-" : format(values[pointed])}`,
          ),
        ];
  return (
    <Figure title={title} aside={shown?.join(" · ")} {...{ labels, series, format }}>
      <div ref={box}>
        <svg
          class="plot"
          width={width}
          height={height}
          role="img"
          aria-label={summaryOf(title, series, format)}
          onPointerMove={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          <Axes {...{ width, height, margin, ticks, y, x, labels }} format={formatTick} />
          {series.map(({ name, values }, at) => (
            <g key={name} class={`c${at}`}>
              {area && <path class="area" d={areaOf(values, x, y)} />}
              <path class="line" d={lineOf(values, x, y)} />
              {loneValues(values).map((lone) => (
                <circle key={lone} class="lone" cx={x(lone)} cy={y(values[lone]!)} r={2.5} />
              ))}
              {pointed !== undefined && values[pointed] != null && (
                <circle class="dot" cx={x(pointed)} cy={y(values[pointed])} r={3.5} />
              )}
            </g>
          ))}
          {pointed !== undefined && (
            <line class="pointed" x1={x(pointed)} x2={x(pointed)} y1={margin.top} y2={height - margin.bottom} />
          )}
        </svg>
      </div>
    </Figure>
  );
}

type At = (value: number) => number;

/** A line that is interrupted where a value is unknown. */
function lineOf(values: Series["values"], x: At, y: At): string {
  return values
    .map((value, at) =>
      value === null ? "" : `${values[at - 1] == null ? "M" : "L"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join("");
}

/** Indexes of values between two unknown ones: a line needs two values. */
function loneValues(values: Series["values"]): number[] {
  return values.flatMap((value, at) =>
    value !== null && values[at - 1] == null && values[at + 1] == null ? [at] : [],
  );
}

function areaOf(values: Series["values"], x: At, y: At): string {
  const top = values.map((value, at) => `L${x(at).toFixed(1)} ${y(value ?? 0).toFixed(1)}`).join("");
  return `M${x(0)} ${y(0)}${top}L${x(values.length - 1)} ${y(0)}Z`;
}

function summaryOf(title: string, series: readonly Series[], format: (value: number) => string): string {
  const parts = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0
      ? `${name}: no values`
      : `${name}: from ${format(Math.min(...known))} to ${format(Math.max(...known))}, last ${format(known.at(-1)!)}`;
  });
  return `${title}. ${parts.join(". ")}`;
}
