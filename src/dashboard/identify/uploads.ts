import { signal } from "@preact/signals";
import { remove } from "../api.ts";
import { formatBytes } from "../format.ts";
import type { Identification } from "../documents.ts";
import { Problem, problemOf } from "../problem.ts";

/** A log that is being uploaded. The upload continues while other pages are shown. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  /** Milliseconds, as `performance.now()`. */
  readonly startedAt: number;
  readonly state: "sending" | "failed";
  /** Why it failed. */
  readonly problem?: Problem;
}

/** By the id of the identification; those that ended without a problem are removed. */
export const uploads = signal<ReadonlyMap<string, Upload>>(new Map());

export type Format = Identification["format"];

/** How a log is read, and what is done with it. */
export interface UploadOptions {
  readonly format: Format;
  /** Where a line has its address: a column or a property; empty: anywhere. */
  readonly field: string;
  /** How lines are cut into fields; empty: by what the first line looks like. */
  readonly input: string;
  /** The rulesets that it is compared with: all, none, or ids separated by commas. */
  readonly rulesets: string;
}

const requests = new Map<string, XMLHttpRequest>();

/** Sends a file; returns the id immediately. */
export function startUpload(file: File, options: UploadOptions): string {
  const id = uuid();
  set(id, { id, name: file.name, size: file.size, sent: 0, startedAt: performance.now(), state: "sending" });
  void send(id, file, options);
  return id;
}

/** Cancels an upload, and deletes it on the server. */
export async function cancelUpload(id: string): Promise<void> {
  requests.get(id)?.abort();
  forgetUpload(id);
  await remove("/dashboard/api/identifications/{id}", { params: { path: { id } } }).catch((error) => {
    if (problemOf(error).status !== 404) throw error;
  });
}

export function forgetUpload(id: string): void {
  set(id, undefined);
}

async function send(id: string, file: File, { format, field, input, rulesets }: UploadOptions): Promise<void> {
  // A folder, or a file that may not be read, is only detected here: while it is sent, it looks like a lost connection.
  const isReadable = await canRead(file);
  if (!uploads.value.has(id)) return;
  if (!isReadable)
    return fail(
      id,
      new Problem(0, {
        title: "The file cannot be read",
        detail: `The browser cannot read ${file.name}. Is it a folder, or was it moved or changed?`,
      }),
    );
  const request = new XMLHttpRequest();
  requests.set(id, request);
  const end = (problem?: Problem): void => {
    requests.delete(id);
    if (problem === undefined) forgetUpload(id);
    else fail(id, problem);
  };
  request.upload.addEventListener("progress", ({ loaded }) => update(id, { sent: Math.min(loaded, file.size) }));
  request.addEventListener("load", () => end(request.status < 400 ? undefined : refusal(request)));
  request.addEventListener("error", () => void lost(id, file).then(end));
  request.addEventListener("abort", () => requests.delete(id));
  request.open(
    "POST",
    `/dashboard/api/identifications?${new URLSearchParams({ id, name: file.name.slice(0, 200), format, rulesets, ...(field === "" ? {} : { field, ...(input === "" ? {} : { input }) }) })}`,
  );
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.send(file);
}

async function canRead(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}

async function lost(id: string, file: File): Promise<Problem> {
  if (!(await canRead(file)))
    return new Problem(0, {
      title: "The file can no longer be read",
      detail: `${file.name} was changed, moved or deleted during the upload. Choose it again.`,
    });
  const { sent = 0 } = uploads.value.get(id) ?? {};
  return new Problem(0, {
    title: "The connection was lost",
    detail: `The upload stopped after ${formatBytes(sent)} of ${formatBytes(file.size)}. Nothing was kept: choose the file again once the server can be reached.`,
  });
}

function refusal({ status, responseText }: XMLHttpRequest): Problem {
  if (status === 413)
    return new Problem(413, {
      title: "The file is too large",
      detail: "The server does not accept uploads of this size. Split the file, or compress it.",
    });
  try {
    return new Problem(status, JSON.parse(responseText) as object);
  } catch {
    return new Problem(status, { title: "The upload was rejected" });
  }
}

function fail(id: string, problem: Problem): void {
  update(id, { state: "failed", problem });
}

function update(id: string, change: Partial<Upload>): void {
  const upload = uploads.value.get(id);
  if (upload !== undefined) set(id, { ...upload, ...change });
}

function set(id: string, upload: Upload | undefined): void {
  const all = new Map(uploads.value);
  if (upload === undefined) all.delete(id);
  else all.set(id, upload);
  uploads.value = all;
  const isSending = [...all.values()].some(({ state }) => state === "sending");
  // The browser asks before the page is left, because unfinished uploads would be lost.
  (isSending ? addEventListener : removeEventListener)("beforeunload", hold);
}

function hold(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** `crypto.randomUUID` only exists with https. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
