import { Identifications } from "../logs/identifications.ts";
import { Replays } from "../logs/replays.ts";
import type { Area, Basis } from "./area.ts";

/** Logs that clients upload, and what was found in them. */
export class Logs implements Area {
  readonly identifications: Identifications;
  readonly replays: Replays;

  constructor({ now }: Basis) {
    this.identifications = new Identifications(now);
    this.replays = new Replays(now);
  }

  async start(): Promise<void> {}

  close(): Promise<void> {
    return this.identifications.close();
  }
}
