/** 1234567 as 1,234,567; the same in every locale. */
export function grouped(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** "1 line", "2 lines". */
export function counted(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${String(count) === "1" ? noun : plural}`;
}
