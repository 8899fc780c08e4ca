/** About `wanted` round values from 0 to the first that is not below `greatest`; whole numbers for counts. */
export function ticksOf(
  greatest: number,
  { isCount = false, wanted = 4 }: { readonly isCount?: boolean; readonly wanted?: number } = {},
): number[] {
  if (!(greatest > 0)) return [0, 1];
  const rough = greatest / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = power * [1, 2, 5, 10].find((each) => each * power >= rough)!;
  const step = isCount ? Math.max(1, round) : round;
  const count = Math.ceil(greatest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, tick) => Number((tick * step).toPrecision(12)));
}
