import { Argument, Command } from 'commander'
import type { WholeProgram } from '#src/cli/commands.ts'
import { print } from '#src/cli/output.ts'

type Shell = 'bash' | 'zsh' | 'fish'

export const completionCommand = (program: WholeProgram) =>
  new Command('completion')
    .description('Print a script that lets a shell complete commands and flags.')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
Examples:
  rollcall completion bash > /etc/bash_completion.d/rollcall
  rollcall completion zsh > "\${fpath[1]}/_rollcall"
  rollcall completion fish > ~/.config/fish/completions/rollcall.fish`,
    )
    .action(async (shell: Shell) => print(scripts[shell](wordsOf(await program(), []))))

/** What may follow a command. The path is the words of the command, such as `member`, `add`. */
interface Words {
  readonly path: readonly string[]
  readonly commands: readonly Command[]
  readonly flags: readonly string[]
}

const wordsOf = (command: Command, path: readonly string[]): readonly Words[] => [
  {
    path,
    commands: command.commands,
    flags: [...command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? []))), '--help'],
  },
  ...command.commands.flatMap((below) => wordsOf(below, [...path, below.name()])),
]

const named = ({ commands, flags }: Words) =>
  [...commands.map((command) => command.name()), ...flags].join(' ')

const cases = (all: readonly Words[]) =>
  all.map((words) => `    '${words.path.join(' ')}') words='${named(words)}' ;;`).join('\n')

const bash = (all: readonly Words[]) => `# bash completion for rollcall.
_rollcall() {
  local path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) case "${known(all)}" in *" \${path:+$path }$word "*) path="\${path:+$path }$word" ;; esac ;; esac
  done
  case "$path" in
${cases(all)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _rollcall rollcall
`

/** Every path between spaces, so that a file name is not mistaken for a command. */
const known = (all: readonly Words[]) => ` ${all.map(({ path }) => path.join(' ')).join('  ')} `

const zsh = (all: readonly Words[]) => `#compdef rollcall
autoload -U +X bashcompinit && bashcompinit
${bash(all)}`

const fish = (all: readonly Words[]) =>
  `# fish completion for rollcall.\n${all.flatMap((words) => fishLines(words)).join('\n')}\n`

const fishLines = ({ path, commands, flags }: Words) => {
  const seen =
    path.length === 0
      ? '__fish_use_subcommand'
      : path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')
  return [
    ...commands.map(
      (command) =>
        `complete -c rollcall -n '${seen}' -a '${command.name()}' -d '${quoted(command.description())}'`,
    ),
    ...flags.map((flag) => `complete -c rollcall -n '${seen}' -l '${flag.slice(2)}'`),
  ]
}

const quoted = (text: string) => text.replaceAll("'", "\\'")

const scripts: Readonly<Record<Shell, (all: readonly Words[]) => string>> = { bash, zsh, fish }
