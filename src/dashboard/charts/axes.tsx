export interface Margin {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Props {
  readonly width: number;
  readonly height: number;
  readonly margin: Margin;
  readonly ticks: readonly number[];
  readonly y: (value: number) => number;
  readonly x: (index: number) => number;
  readonly labels: readonly string[];
  readonly format: (value: number) => string;
}

/** Between the labels on the left and the lines. */
const GAP = 6;
/** Between two labels at the bottom. */
const SPACE = 24;

/** Room for the tick labels on the left, whatever their length, and for half of the last label on the right. */
export function marginFor(ticks: readonly string[], labels: readonly string[]): Margin {
  return {
    left: Math.ceil(Math.max(24, ...ticks.map(textWidth)) + GAP + 2),
    right: Math.ceil(widthOf(labels) / 2 + 2),
    top: 8,
    bottom: 22,
  };
}

/** Horizontal lines at the ticks, and as many labels below as there is room for, including the last one. */
export function Axes({ width, height, margin, ticks, y, x, labels, format }: Props) {
  const labelWidth = widthOf(labels);
  const most = Math.max(1, Math.floor((width - margin.left) / (labelWidth + SPACE)));
  const step = Math.max(1, Math.ceil(labels.length / most));
  return (
    <g aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
          <text class="tick" x={margin.left - GAP} y={y(tick) + 4} text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {labels.map(
        (label, at) =>
          (labels.length - 1 - at) % step === 0 &&
          x(at) >= labelWidth / 2 && (
            <text key={at} class="tick" x={x(at)} y={height - 5} text-anchor="middle">
              {label}
            </text>
          ),
      )}
    </g>
  );
}

/** Of a single label: all have the same format. */
function widthOf(labels: readonly string[]): number {
  return textWidth(labels.at(-1) ?? "");
}

let canvas: CanvasRenderingContext2D | undefined;

/** In pixels, in the font of the ticks. */
function textWidth(text: string): number {
  canvas ??= document.createElement("canvas").getContext("2d")!;
  canvas.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text).width;
}
