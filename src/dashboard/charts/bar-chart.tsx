import { formatCount, formatShort } from "../format.ts";
import { Axes, MARGIN } from "./axes.tsx";
import { Figure } from "./figure.tsx";
import { ticksOf } from "./scale.ts";
import { useWidth } from "./width.ts";

interface Props {
  readonly title: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly values: readonly number[];
  readonly height?: number;
  readonly format?: (value: number) => string;
}

/** Upright bars, one for every label. */
export function BarChart({ title, name, labels, values, height = 160, format = formatCount }: Props) {
  const [box, width] = useWidth<HTMLDivElement>();
  const ticks = ticksOf(Math.max(0, ...values));
  const y = (value: number): number => height - MARGIN.bottom - (value / ticks.at(-1)!) * (height - MARGIN.top - MARGIN.bottom);
  const slot = Math.max(0, (width - MARGIN.left - MARGIN.right) / Math.max(1, values.length));
  const x = (at: number): number => MARGIN.left + (at + 0.5) * slot;
  const bar = Math.min(40, slot * 0.72);
  return (
    <Figure title={title} labels={labels} series={[{ name, values }]} format={format}>
      <div ref={box}>
        <svg class="plot" width={width} height={height} role="img" aria-label={`${title}. ${values.map((value, at) => `${labels[at]}: ${format(value)}`).join(", ")}`}>
          <Axes {...{ width, height, ticks, y, x, labels }} format={formatShort} />
          <g class="c0">
            {values.map((value, at) => <rect key={at} class="bar" x={x(at) - bar / 2} width={bar} y={y(value)} height={y(0) - y(value)}><title>{`${labels[at]}: ${format(value)}`}</title></rect>)}
          </g>
        </svg>
      </div>
    </Figure>
  );
}
