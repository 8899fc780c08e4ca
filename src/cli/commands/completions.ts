import { quotedWord } from "../output/shell-word.ts";
import { type Command, type CommandTable, EXIT, loadCommands, type Option } from "../runner/command.ts";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function completionsCommand(table: CommandTable): Command {
  return {
    name: "completions",
    summary: "print the completion script for a shell",
    operands: "bash|zsh|fish",
    operandWords: Object.keys(SHELLS),
    options: [],
    examples: [
      { command: "source <(ipsieve completions bash)", what: "in ~/.bashrc" },
      { command: "ipsieve completions zsh > ~/.zfunc/_ipsieve", what: "in a folder that is in $fpath" },
      { command: "ipsieve completions fish > ~/.config/fish/completions/ipsieve.fish", what: "once" },
    ],
    async run({ operands: [shell] }) {
      const { UsageError } = await import("../runner/usage-error.ts");
      if (!Object.hasOwn(SHELLS, shell!))
        throw new UsageError(`no completions for ${JSON.stringify(shell)}; choose bash, zsh or fish`);
      process.stdout.write(SHELLS[shell as keyof typeof SHELLS](await loadCommands(table), table));
      return EXIT.matched;
    },
  };
}

/** What is said of the first words: of groups, and of the word before those of the administration. */
function descriptionsOf({ groups, administration: { word, about } }: CommandTable): CommandTable["groups"] {
  return { ...groups, [word]: `for ${about}` };
}

/** The first words of all commands, and of each group the second ones; those of the administration follow its word. */
function wordsOf(
  commands: readonly Command[],
  { groups, administration }: CommandTable,
): { first: string[]; groups: [group: string, verbs: Command[]][] } {
  const own = commands.map(({ name }) => name.split(" ")[0]!).filter((word) => !administration.groups.includes(word));
  const first = [...new Set([...own, administration.word])];
  return {
    first,
    groups: Object.keys(groups).map((group) => [group, commands.filter(({ name }) => name.startsWith(`${group} `))]),
  };
}

function verbOf({ name }: Command): string {
  return name.slice(name.indexOf(" ") + 1);
}

function bashScript(commands: readonly Command[], table: CommandTable): string {
  const values = commands.flatMap(({ name, options }) =>
    options
      .filter(({ value }) => value !== undefined)
      .map(
        (option) =>
          `    ${flags(option)
            .map((flag) => `"${name}:${flag}"`)
            .join("|")}) ${bashValues(option)} return ;;`,
      ),
  );
  const words = commands.map(
    ({ name, options }) => `      "${name}") words="${options.flatMap(flags).join(" ")} --help" ;;`,
  );
  const operands = commands
    .filter(({ operandWords }) => operandWords !== undefined)
    .map(
      ({ name, operandWords }) =>
        `    "${name}") mapfile -t COMPREPLY < <(compgen -W "${operandWords!.join(" ")}" -- "$word") ;;`,
    );
  const { first, groups } = wordsOf(commands, table);
  const { word, groups: administration } = table.administration;
  const verbs = groups.map(
    ([group, members]) => `    ${group})
      if [ "$COMP_CWORD" -eq 2 ]; then
        mapfile -t COMPREPLY < <(compgen -W "${members.map(verbOf).join(" ")}" -- "$word")
        return
      fi
      name="${group} \${COMP_WORDS[2]}" ;;`,
  );
  return `# Completions of ipsieve for bash.
_ipsieve() {
  if [ "\${COMP_WORDS[1]}" = ${word} ] && [ "$COMP_CWORD" -ge 2 ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      mapfile -t COMPREPLY < <(compgen -W "${administration.join(" ")}" -- "\${COMP_WORDS[2]}")
      return
    fi
    local COMP_WORDS=("\${COMP_WORDS[0]}" "\${COMP_WORDS[@]:2}") COMP_CWORD=$((COMP_CWORD - 1))
  fi
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words="" name="\${COMP_WORDS[1]}"
  COMPREPLY=()
  # Bash takes --name=value apart: --name, =, value. Paths are left to readline (-o default), which knows how to quote.
  if [ "$word" = "=" ]; then
    word=""
  elif [ "$before" = "=" ]; then
    before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "${first.join(" ")}" -- "$word")
    return
  fi
  case "$name" in
${verbs.join("\n")}
  esac
  case "$name:$before" in
${values.join("\n")}
  esac
  if [ "\${word:0:1}" = "-" ]; then
    case "$name" in
${words.join("\n")}
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    return
  fi
  case "$name" in
${operands.join("\n")}
    *) compopt -o default ;;
  esac
}
complete -F _ipsieve ipsieve
`;
}

function bashValues({ choices, isPath }: Option): string {
  if (choices !== undefined) return `mapfile -t COMPREPLY < <(compgen -W "${choices.join(" ")}" -- "$word");`;
  return isPath === true ? `compopt -o default;` : "";
}

function zshScript(commands: readonly Command[], table: CommandTable): string {
  const { first, groups } = wordsOf(commands, table);
  const descriptions = descriptionsOf(table);
  const { word, groups: administration } = table.administration;
  const list = first.map(
    (word) =>
      `    ${quotedWord(`${word}:${descriptions[word] ?? commands.find(({ name }) => name === word)!.summary}`)}`,
  );
  const verbs = groups.map(
    ([group, members]) => `  if [[ $name == ${group} ]]; then
    commands=(
${members.map((command) => `      ${quotedWord(`${verbOf(command)}:${command.summary}`)}`).join("\n")}
    )
    if (( CURRENT == 2 )); then
      _describe command commands
      return
    fi
    name="${group} $words[2]"
    shift words
    (( CURRENT-- ))
  fi`,
  );
  const below = administration.map((group) => `        ${quotedWord(`${group}:${descriptions[group]}`)}`);
  const cases = commands.map(({ name, options, operandWords }) => {
    const specs = [
      ...options.flatMap(zshSpecs),
      `'*:argument:${operandWords === undefined ? "_files" : `(${operandWords.join(" ")})`}'`,
    ];
    return `    ${quotedWord(name)}) _arguments -s ${specs.join(" \\\n      ")} ;;`;
  });
  return `#compdef ipsieve
# Completions of ipsieve for zsh.
_ipsieve() {
  local -a commands
  commands=(
${list.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  if [[ $name == ${word} ]]; then
    if (( CURRENT == 2 )); then
      commands=(
${below.join("\n")}
      )
      _describe command commands
      return
    fi
    name=$words[2]
    shift words
    (( CURRENT-- ))
  fi
${verbs.join("\n")}
  case $name in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = "_ipsieve" ]; then _ipsieve "$@"; else compdef _ipsieve ipsieve; fi
`;
}

function zshSpecs(option: Option): string[] {
  const { value, choices, isPath, help } = option;
  const text = help.replace(/[[\]:\\]/g, "\\$&");
  const action = choices === undefined ? (isPath === true ? "_files" : "") : `(${choices.join(" ")})`;
  return flags(option).map((flag) => {
    if (value === undefined) return quotedWord(`${flag}[${text}]`);
    // The value may be in the same word: --name=value, -nvalue.
    return quotedWord(`${flag}${flag.startsWith("--") ? "=" : "+"}[${text}]:${value.replaceAll(":", "")}:${action}`);
  });
}

function fishScript(commands: readonly Command[], table: CommandTable): string {
  const { first, groups } = wordsOf(commands, table);
  const descriptions = descriptionsOf(table);
  const { word, groups: administration } = table.administration;
  const heads = first.map((word) => {
    const summary = descriptions[word] ?? commands.find(({ name }) => name === word)!.summary;
    return `complete -c ipsieve -n __fish_use_subcommand -f -a ${word} -d ${fishQuote(summary)}`;
  });
  const below = administration.map(
    (group) =>
      `complete -c ipsieve -n '__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${administration.join(" ")}' -f -a ${group} -d ${fishQuote(descriptions[group]!)}`,
  );
  const verbs = groups.flatMap(([group, members]) => {
    const words = members.map(verbOf).join(" ");
    return members.map(
      (command) =>
        `complete -c ipsieve -n '__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${words}' -f -a ${verbOf(command)} -d ${fishQuote(command.summary)}`,
    );
  });
  const lines = commands.flatMap(({ name, options, operandWords }) => {
    const inside = `-n '${name
      .split(" ")
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join("; and ")}'`;
    const words =
      operandWords === undefined ? [] : [`complete -c ipsieve ${inside} -f -a ${quotedWord(operandWords.join(" "))}`];
    return [...words, ...options.map((option) => `complete -c ipsieve ${inside} ${fishOption(option)}`)];
  });
  return `# Completions of ipsieve for fish.\n${[...heads, ...below, ...verbs, ...lines].join("\n")}\n`;
}

function fishOption({ name, short, value, choices, isPath, help }: Option): string {
  const takes =
    value === undefined
      ? ""
      : isPath === true
        ? " -r -F"
        : choices === undefined
          ? " -x"
          : ` -x -a ${quotedWord(choices.join(" "))}`;
  return `-l ${name}${short === undefined ? "" : ` -s ${short}`}${takes} -d ${fishQuote(help)}`;
}

function flags({ name, short }: Option): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}

/** As one word of fish, which knows \\' and \\\\ inside quotes. */
function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
