import type { Kernel } from "../../../kernel/kernel.ts";
import { templateRoom, TemplateWriter } from "../../../kernel/row-template.ts";
import type { MatchTemplates } from "../row-templates.ts";
import { templateSlots } from "../template-slots.ts";
import { SLACK } from "../thread-sizes.ts";
import type { RowFormat } from "../../../rows/row-format.ts";
import type { RowTexts } from "../../../rows/row-texts.ts";
import type { RowSelection, Workspace } from "../messages.ts";

/**
 * A chunk that lacks this many templates is probably one of many: then those of the neighbouring matches are made as
 * well.
 */
const MANY = 64;
/**
 * Matches whose values and templates are adjacent: making all of them takes half as long as making each when it is met.
 */
const BLOCK = 64;

/**
 * Row templates in the memory of the snapshot, written there when a match id is first met. Threads share the list of
 * them: each writes into an area of its own and then puts the address into the list, so that all threads can use what
 * one has made (if two make the same one at the same moment, either will do). A thread whose area is full continues
 * alone with a list and an area of its own: these it can clear and refill while the others still use what it wrote
 * before.
 */
export class KernelTemplates {
  readonly #kernel: Kernel;
  readonly #writer: TemplateWriter;
  readonly #templates: MatchTemplates;
  readonly #slotOf: (match: number) => number;
  /** By slot: the address of the template that this thread has written, 0 while there is none. */
  readonly #written: Uint32Array;
  /** By match id + 1 (0: no address): the address of its template, 0 while there is none. */
  #templateOf: Uint32Array;
  #next: number;
  #end: number;
  /** Whether the list and the area are this thread's. */
  #isOwn = false;
  readonly #useOwn: () => void;
  /** Makes the kernel write rows with the list and the area that this uses. */
  #use: () => void;
  /** What the kernel writes by itself of the rows of all matches; null: nothing. */
  readonly #front: Uint8Array | null;
  /** What rows end with, of the matches whose rows the kernel can write without a template. */
  readonly #texts: RowTexts | null;
  /**
   * Whether neighbours are made as well: a template takes less than a microsecond, but a document takes longer. Not
   * after the area has been full once: neighbours would then displace templates that are needed, which would have to
   * be made again.
   */
  #makesNeighbours: boolean;

  /**
   * `buffer` is the memory's; `templates` returns a template by match id (-1: no address), with its holes. With
   * `hasOwnIds`, ids have a meaning in this thread only, like those of `MatchJoiner`: nothing is shared.
   */
  constructor(
    kernel: Kernel,
    buffer: SharedArrayBuffer,
    workspace: Workspace,
    matchCount: number,
    format: RowFormat,
    selection: RowSelection,
    templates: MatchTemplates,
    hasOwnIds: boolean,
  ) {
    this.#kernel = kernel;
    this.#writer = new TemplateWriter(buffer);
    this.#templates = templates;
    const { count, slotOf } = templateSlots(templates.sharing, matchCount);
    this.#slotOf = slotOf;
    this.#written = new Uint32Array(count);
    this.#makesNeighbours = format !== "jsonl" && !hasOwnIds;
    this.#front = templates.sharing?.front ?? null;
    this.#texts = templates.sharing?.texts() ?? null;
    const delimiter = this.#front?.at(-1) ?? 0;
    this.#use = () => {};
    const use = (list: number, area: number): void => {
      this.#use = () => kernel.useRows(list, selection, format === "append", delimiter);
      this.#templateOf = new Uint32Array(buffer, list, matchCount + 2);
      this.#next = area;
      this.#end = area + workspace.templateBytes - SLACK;
      this.#use();
    };
    this.#templateOf = new Uint32Array(0);
    this.#next = this.#end = 0;
    this.#useOwn = () => {
      this.#isOwn = true;
      use(workspace.templateOf, workspace.templates);
      this.#templateOf.fill(0);
      this.#written.fill(0);
      this.#writeTexts();
    };
    if (hasOwnIds) {
      this.#useOwn();
    } else {
      use(workspace.sharedTemplateOf, workspace.sharedTemplates);
      this.#writeTexts();
    }
  }

  /** Rows have been written with other templates, which may have taken the own list and area. */
  resume(): void {
    if (this.#isOwn) this.#useOwn();
    else this.#use();
  }

  /** Forgets all: ids have a new meaning from now on. */
  forget(): void {
    this.#useOwn();
  }

  /** Makes sure that all rows of the kernel's chunk have templates. False if they do not fit into the area. */
  complete(): boolean {
    let isEmptied = false;
    for (let missing = this.#kernel.gatherTemplates(); missing > 0; missing = this.#kernel.gatherTemplates()) {
      if (this.#writeMissing(missing)) continue;
      if (isEmptied) return false;
      // Memory must not grow with the catalogue: all are forgotten, and those of this chunk are made again.
      this.#useOwn();
      this.#makesNeighbours = false;
      isEmptied = true;
    }
    return true;
  }

  /** Writes all texts that can be made at once, if they leave half of the area to others. */
  #writeTexts(): void {
    const texts = this.#texts;
    const at = this.#next;
    if (texts === null || texts.bytes.length > (this.#end - at) / 2) return;
    this.#next = this.#writer.writeTexts(at, texts.bytes);
    const list = this.#templateOf;
    const { startOf } = texts;
    for (let match = 1; match < startOf.length; match++) {
      const start = startOf[match]!;
      if (start !== 0) Atomics.store(list, match + 1, at + start); // after its bytes, as in `#write`
    }
  }

  /** False if the area is too small. */
  #writeMissing(count: number): boolean {
    const { missing } = this.#kernel;
    const block = count >= MANY && this.#makesNeighbours ? BLOCK : 1;
    for (let index = 0; index < count; index++) {
      const match = missing[index]!;
      if (this.#templateOf[match + 1] !== 0) continue;
      if (!this.#write(match)) return false;
      if (block > 1 && match > 0) this.#writeBlock(match);
    }
    return true;
  }

  /** Writes the templates of the neighbouring matches, as far as there is room. */
  #writeBlock(match: number): void {
    const first = match - (match % BLOCK);
    const end = Math.min(first + BLOCK, this.#templateOf.length - 1);
    for (let other = Math.max(first, 1); other < end; other++) {
      if (this.#templateOf[other + 1] === 0 && !this.#write(other)) return;
    }
  }

  /** False if there is no room. */
  #write(match: number): boolean {
    const slot = this.#slotOf(match);
    const at = this.#written[slot]! || this.#add(match);
    if (at === 0) return false;
    this.#written[slot] = at;
    Atomics.store(this.#templateOf, match + 1, at); // after its bytes, for the other threads
    return true;
  }

  /** The address of the new template; 0 if there is no room. */
  #add(match: number): number {
    const template = this.#templates.of(match);
    const at = this.#next;
    if (templateRoom(template) > this.#end - at) return 0;
    const front = this.#front;
    this.#next =
      front !== null && match > 0
        ? this.#writer.writeText(at, template, front.length)
        : this.#writer.write(at, template);
    return at;
  }
}
