export type ListType = "text/plain" | "text/csv" | "application/x-ndjson";

/** A list of rules as the user has it: a text of lines. */
export interface RuleList {
  readonly type: ListType;
  readonly text: string;
}

export const LIST_NAMES: Readonly<Record<ListType, string>> = {
  "text/plain": "Text: one address per line",
  "text/csv": "CSV with a header row",
  "application/x-ndjson": "NDJSON: one JSON document per line",
};

/** The type of a list, by the name of its file and its first line. */
export function guessType(text: string, fileName = ""): ListType {
  if (/\.csv$/i.test(fileName)) return "text/csv";
  if (/\.(nd)?jsonl?$/i.test(fileName)) return "application/x-ndjson";
  const first = /^\ufeff?\s*(.*)/.exec(text)?.[1] ?? "";
  if (first.startsWith("{")) return "application/x-ndjson";
  return /(^|,)\s*"?ip"?\s*(,|$)/i.test(first) ? "text/csv" : "text/plain";
}

/** The text of a file. @throws Error if it is not UTF-8 or longer than the service accepts */
export async function readFile(file: File, maxBytes: number): Promise<string> {
  if (file.size > maxBytes)
    throw new Error(`The file has ${file.size} bytes and the limit is ${maxBytes}. Split it into parts.`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`"${file.name}" is not UTF-8 text: expected a list of addresses, CSV or NDJSON.`);
  }
}

export function isEmpty({ text }: RuleList): boolean {
  return text.trim() === "";
}
