import { problemIn, problemOf } from "./problem.ts";

/** The text of the response to a GET request. Rejects with Problem. */
export async function fetchText(path: string, accept: string): Promise<string> {
  const response = await fetch(path, { headers: { accept } }).catch((error) => Promise.reject(problemOf(error)));
  if (!response.ok) throw await problemIn(response);
  return response.text();
}

/** Makes the browser save a text as a file. */
export function downloadText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser may take a while to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
