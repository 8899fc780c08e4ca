/** Rounded down, so that only all of a list is 100 %, and only nothing of it 0 %. */
export function shareText(millionths: number | null, shared: string): string {
  if (millionths === null) return "–";
  if (shared === "0") return "0 %";
  if (millionths < 1000) return "< 0.1 %";
  return `${millionths === 1_000_000 ? 100 : (Math.floor(millionths / 1000) / 10).toFixed(1)} %`;
}
