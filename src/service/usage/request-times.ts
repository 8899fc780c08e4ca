const NAME = "ipsieve_request_seconds";
/** Upper bounds in seconds; the last bucket has none. */
const BOUNDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

interface Times {
  readonly counts: Float64Array;
  sum: number;
}

/**
 * The histogram of request times, in the form that prom-client's registry prints: its own class builds a text of the
 * labels for every observation, which takes longer than everything else about it.
 */
export class RequestTimes {
  readonly name = NAME;
  readonly help = "Time from the arrival of a request to the end of its response";
  readonly type = "histogram";
  readonly aggregator = "sum";
  readonly #times = new Map<string, Map<number, Times>>();

  observe(operation: string, status: number, seconds: number): void {
    let byStatus = this.#times.get(operation);
    if (byStatus === undefined) this.#times.set(operation, (byStatus = new Map()));
    let times = byStatus.get(status);
    if (times === undefined) byStatus.set(status, (times = { counts: new Float64Array(BOUNDS.length + 1), sum: 0 }));
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
    times.counts[bucket]!++;
    times.sum += seconds;
  }

  /** Called by the registry. Buckets are cumulative. */
  get(): { name: string; help: string; type: string; aggregator: string; values: object[] } {
    const values: object[] = [];
    for (const [operation, byStatus] of this.#times) {
      for (const [status, { counts, sum }] of byStatus) {
        const labels = { operation, status: String(status) };
        let count = 0;
        for (const [bucket, own] of counts.entries()) {
          count += own;
          values.push({
            metricName: `${NAME}_bucket`,
            labels: { le: BOUNDS[bucket] ?? "+Inf", ...labels },
            value: count,
          });
        }
        values.push(
          { metricName: `${NAME}_sum`, labels, value: sum },
          { metricName: `${NAME}_count`, labels, value: count },
        );
      }
    }
    return { name: NAME, help: this.help, type: this.type, aggregator: this.aggregator, values };
  }
}
