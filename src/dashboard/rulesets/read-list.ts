export type ListType = "text/plain" | "text/csv" | "application/x-ndjson";

/** A list of rules as someone has it: a text of lines. */
export interface RuleList {
  readonly type: ListType;
  readonly text: string;
}

export const LIST_NAMES: Readonly<Record<ListType, string>> = {
  "text/plain": "Text: one address per line",
  "text/csv": "CSV with a header row",
  "application/x-ndjson": "NDJSON: one JSON document per line",
};

/** What a list looks like, by the name of its file and its first line. */
export function guessType(text: string, fileName = ""): ListType {
  if (/\.csv$/i.test(fileName)) return "text/csv";
  if (/\.(nd)?jsonl?$/i.test(fileName)) return "application/x-ndjson";
  const first = /^\ufeff?\s*(.*)/.exec(text)?.[1] ?? "";
  if (first.startsWith("{")) return "application/x-ndjson";
  return /(^|,)\s*"?ip"?\s*(,|$)/i.test(first) ? "text/csv" : "text/plain";
}

/** The text of a file. @throws Error where it is no UTF-8 or longer than the service takes */
export async function readFile(file: File, mostBytes: number): Promise<string> {
  if (file.size > mostBytes)
    throw new Error(`The file has ${file.size} bytes and the limit is ${mostBytes}. Split it into parts.`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`"${file.name}" is not UTF-8 text: expected a list of addresses, CSV or NDJSON.`);
  }
}

export function isEmpty({ text }: RuleList): boolean {
  return text.trim() === "";
}
