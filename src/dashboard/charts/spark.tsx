const [WIDTH, HEIGHT] = [120, 24];

/** The shape of some values, in place of a chart: the figures stand beside it. */
export function Spark({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const step = WIDTH / values.length;
  const bars = values.map((value, at) => {
    const height = value === 0 ? 1 : Math.max(2, (HEIGHT * value) / most);
    return `M${(at * step).toFixed(1)} ${HEIGHT}v${(-height).toFixed(1)}h${Math.max(1, step - 1).toFixed(1)}V${HEIGHT}z`;
  });
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={bars.join("")} />
    </svg>
  );
}
