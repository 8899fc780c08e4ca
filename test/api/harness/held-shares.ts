import { FairShare } from "../../../src/api/http/fair-share.ts";
import { FairQueue } from "../../../src/service/fair-queue.ts";

/** The shared resources that requests to the servers of this process hold. */
export interface HeldShares {
  /** Everything that was taken and not released, plus tasks that wait or run. */
  count(): number;
  stop(): void;
}

/** Watches shares and queues from now on: call it before the servers start. */
export function watchShares(): HeldShares {
  const shares = new Set<FairShare>();
  let tasks = 0;
  const { take, force } = FairShare.prototype;
  const { run } = FairQueue.prototype;
  FairShare.prototype.take = function (this: FairShare, ...args) {
    shares.add(this);
    return take.apply(this, args);
  };
  FairShare.prototype.force = function (this: FairShare, ...args) {
    shares.add(this);
    force.apply(this, args);
  };
  FairQueue.prototype.run = async function <Result>(
    this: FairQueue,
    ...[applicant, task]: Parameters<typeof run<Result>>
  ): Promise<Result> {
    tasks++;
    try {
      return await run.call<FairQueue, Parameters<typeof run<Result>>, Promise<Result>>(this, applicant, task);
    } finally {
      tasks--;
    }
  };
  return {
    count: () => [...shares].reduce((sum, { used }) => sum + Math.abs(used), tasks),
    stop: () => {
      Object.assign(FairShare.prototype, { take, force });
      FairQueue.prototype.run = run;
    },
  };
}
