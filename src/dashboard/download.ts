import { problemIn, problemOf } from "./problem.ts";

/** The text that a GET request is answered with. Rejects with Problem. */
export async function fetchText(path: string, accept: string): Promise<string> {
  const response = await fetch(path, { headers: { accept } }).catch((error) => Promise.reject(problemOf(error)));
  if (!response.ok) throw await problemIn(response);
  return response.text();
}

/** Has the browser keep a text as a file. */
export function downloadText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser takes it in its own time.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
