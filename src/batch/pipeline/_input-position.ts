import type { Readable } from "node:stream";
import { inputName } from "../input/input.ts";

/** How far the inputs have been settled: the position at which errors are reported. */
export class InputPosition {
  readonly #inputs: readonly (string | Readable)[];
  #input = -1;
  #lines = 0;

  constructor(inputs: readonly (string | Readable)[]) {
    this.#inputs = inputs;
  }

  /** The name of the input. */
  get file(): string {
    return inputName(this.#inputs[this.#input]!);
  }

  /** The number of the next line in the input. */
  get nextLine(): number {
    return this.#lines + 1;
  }

  /** Continues in this input, from its start if it is a new one. */
  enter(input: number): void {
    if (input !== this.#input) this.#lines = 0;
    this.#input = input;
  }

  advance(lines: number): void {
    this.#lines += lines;
  }
}
