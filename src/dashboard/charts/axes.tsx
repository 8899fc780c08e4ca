export const MARGIN = { left: 44, right: 8, top: 8, bottom: 22 };

interface Props {
  readonly width: number;
  readonly height: number;
  readonly ticks: readonly number[];
  readonly y: (value: number) => number;
  readonly x: (index: number) => number;
  readonly labels: readonly string[];
  readonly format: (value: number) => string;
}

/** Lines across at the ticks, and as many labels below as there is room for, the last one among them. */
export function Axes({ width, height, ticks, y, x, labels, format }: Props) {
  const most = Math.max(1, Math.floor((width - MARGIN.left) / 72));
  const step = Math.max(1, Math.ceil(labels.length / most));
  return (
    <g aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
          <text class="tick" x={MARGIN.left - 6} y={y(tick) + 4} text-anchor="end">{format(tick)}</text>
        </g>
      ))}
      {labels.map((label, at) => (labels.length - 1 - at) % step === 0 && <text key={at} class="tick" x={Math.min(Math.max(x(at), MARGIN.left + 14), width - MARGIN.right - 16)} y={height - 5} text-anchor="middle">{label}</text>)}
    </g>
  );
}
