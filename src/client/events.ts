/** Milliseconds without a byte after which a connection counts as lost: the service sends a comment every 15 s. */
const SILENCE = 45_000;

/** Yields the data of server-sent events. Ends when the connection ends, for whatever reason. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (;;) {
      const part = await withLimit(reader.read());
      if (part === undefined || part.done) return;
      const events = (rest + decoder.decode(part.value, { stream: true })).split("\n\n");
      rest = events.pop()!;
      for (const event of events) {
        const data = event.split("\n").find((line) => line.startsWith("data: "));
        if (data !== undefined) yield data.slice("data: ".length);
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The next part; undefined if the connection broke, or was silent for too long. */
async function withLimit<Result>(result: Promise<Result>): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), SILENCE)));
  try {
    return await Promise.race([result.catch(() => undefined), silence]);
  } finally {
    clearTimeout(timer);
  }
}
