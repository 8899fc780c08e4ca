let carried: string | undefined;

/** Gives the import page that is opened next a list that another page has made. */
export function carryList(text: string): void {
  carried = text;
}

/** That list, once. */
export function takeCarriedList(): string | undefined {
  const text = carried;
  carried = undefined;
  return text;
}
