export type EndSignal = "SIGTERM" | "SIGINT";

/**
 * Milliseconds within which signals count as one: Ctrl-C under npm reaches the process from the terminal and from npm.
 */
const SAME_SIGNAL = 250;

/** Resolves with the first signal to end; `again` is called with another one that comes later. */
export function firstSignal(again: (signal: EndSignal) => void): Promise<EndSignal> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const receive = (signal: EndSignal): void => {
      if (firstAt === undefined) resolve(signal);
      else if (performance.now() - firstAt > SAME_SIGNAL) again(signal);
      firstAt ??= performance.now();
    };
    process.on("SIGTERM", receive as NodeJS.SignalsListener).on("SIGINT", receive as NodeJS.SignalsListener);
  });
}
