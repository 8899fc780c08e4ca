/** One flag of a command. The same entry serves the parser, the help and the completions. */
export interface Option {
  /** The long name, without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in the help; a flag without a value has none. */
  readonly value?: string;
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** Whether the value is a path, for the completions. */
  readonly isPath?: boolean;
  /**
   * Whether it may be given several times, adding a value each time. For any other option, a second value is an error.
   */
  readonly repeats?: true;
  readonly help: string;
}

export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What follows the command's name, words apart: `[FILE]` may be missing, and `FILE...` may be several. */
  readonly operands: string;
  /** What the operands can be, for the completions: paths, or one of these words. */
  readonly operandWords?: readonly string[];
  readonly options: readonly Option[];
  /** Paragraphs that the help prints below the options. */
  readonly notes?: readonly string[];
  readonly examples: readonly Example[];
  /** Whether the command calls `guardStandardOutput` itself, when it writes there. */
  readonly guardsItsOutput?: true;
  /** Returns the exit code. */
  run(args: Arguments): Promise<number>;
}

/** All commands, as help and completions receive them. */
export interface CommandTable {
  /** By name, of one or two words, in the order of the help. A command is loaded when it is called. */
  readonly commands: Readonly<Record<string, () => Promise<Command>>>;
  /** The first words of two-word names, each with a description of its commands. */
  readonly groups: Readonly<Record<string, string>>;
  /** Groups for operators of the service, what they have in common, and the word before their names. */
  readonly administration: { readonly word: string; readonly groups: readonly string[]; readonly about: string };
}

/** The words of a command line without the word of the administration, where a group of it follows. */
export function withoutWord(
  { administration: { word, groups } }: Pick<CommandTable, "administration">,
  words: readonly string[],
): readonly string[] {
  return words[0] === word && groups.includes(words[1] ?? "") ? words.slice(1) : words;
}

/** The name of a command or group as users write it: `admin key create`. */
export function fullName({ administration }: CommandTable, name: string): string {
  return administration.groups.includes(name.split(" ", 1)[0]!) ? `${administration.word} ${name}` : name;
}

export interface Example {
  readonly command: string;
  readonly what: string;
}

/** A parsed command line. */
export interface Arguments {
  readonly operands: readonly string[];
  /** Whether the flag was given. */
  has(name: string): boolean;
  /** The value of the option; for a repeated one, the last. */
  value(name: string): string | undefined;
  /** All values of the option, in order. */
  values(name: string): readonly string[];
}

/** All commands of the table, loaded. */
export function loadCommands({ commands }: CommandTable): Promise<Command[]> {
  return Promise.all(Object.values(commands).map((load) => load()));
}

/** `mayPass`: a server cannot start now, but perhaps later, without any change (EX_TEMPFAIL of sysexits.h). */
export const EXIT = { matched: 0, nothing: 1, error: 2, mayPass: 75, interrupted: 130 } as const;
