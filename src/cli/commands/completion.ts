import { Argument, Command, type Option } from 'commander'
import { program } from '#src/cli/index.ts'
import { print } from '#src/cli/output.ts'
import { settings } from '#src/config/settings.ts'

type Shell = 'bash' | 'zsh' | 'fish'

export const completionCommand = () =>
  new Command('completion')
    .description('Print a script that lets a shell complete commands, flags and their values.')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
Examples:
  rollcall completion bash > /etc/bash_completion.d/rollcall
  rollcall completion zsh > "\${fpath[1]}/_rollcall"
  rollcall completion fish > ~/.config/fish/completions/rollcall.fish`,
    )
    .action(async (shell: Shell) => print(scripts[shell](completionsOf(await program(), []))))

/** The words and flags that may follow a command. The path has the words of the command, such as `member`, `add`. */
interface Completions {
  readonly path: readonly string[]
  /** The words that continue the path, and their descriptions. */
  readonly next: readonly (readonly [word: string, meaning: string])[]
  readonly flags: readonly Flag[]
}

/** A flag. Its `values` are undefined if it takes no value, and empty if it accepts any value. */
interface Flag {
  readonly name: string
  readonly values: readonly string[] | undefined
}

const completionsOf = (command: Command, path: readonly string[]): readonly Completions[] => {
  const { commands, options, registeredArguments } = command
  const visibleOptions = options.filter(({ hidden }) => !hidden)
  const flags = [...visibleOptions.map(flagOf), { name: '--help', values: undefined }]
  const argumentChoices = registeredArguments[0]?.argChoices ?? []
  const next = [
    ...commands.map((one) => [one.name(), one.description()] as const),
    ...argumentChoices.map((kind) => [kind, ''] as const),
  ]
  return [
    { path, next, flags },
    ...argumentChoices.map((kind) => ({ path: [...path, kind], next: [], flags })),
    ...commands.flatMap((below) => completionsOf(below, [...path, below.name()])),
  ]
}

const flagOf = ({ long, required, envVar = '', argChoices }: Option): Flag => ({
  name: long ?? '',
  values: required ? (argChoices ?? choicesOf(envVar)) : undefined,
})

const choicesOf = (name: string): readonly string[] =>
  Object.entries(settings).find(([one]) => one === name)?.[1].read.choices ?? []

const bash = (all: readonly Completions[]) => `# bash completion for rollcall.
_rollcall() {
  local path='' word words='' current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case "$word" in -*) ;; *) case "${pathList(all)}" in *" \${path:+$path }$word "*) path="\${path:+$path }$word" ;; esac ;; esac
  done
  case "$path" in
${all.map(({ path, next, flags }) => `    '${path.join(' ')}') words='${[...next.map(([word]) => word), ...flags.map(({ name }) => name)].join(' ')}' ;;`).join('\n')}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${flagsWithValues(all)
  .map(({ name, values = [] }) => `    ${name}) words='${values.join(' ')}' ;;`)
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _rollcall rollcall
`

/** All paths, each between spaces. The script looks words up here, so that it does not take a file name for a command. */
const pathList = (all: readonly Completions[]) => ` ${all.map(({ path }) => path.join(' ')).join('  ')} `

/** Each flag that takes a value, once. A flag accepts the same values in every command. */
const flagsWithValues = (all: readonly Completions[]): readonly Flag[] => {
  const flags = all.flatMap((words) => words.flags).filter(({ values }) => values)
  return [...new Map(flags.map((flag) => [flag.name, flag])).values()]
}

const zsh = (all: readonly Completions[]) => `#compdef rollcall
autoload -U +X bashcompinit && bashcompinit
${bash(all)}[ "\${funcstack[1]}" = _rollcall ] && _bash_complete -F _rollcall
`

const fish = (all: readonly Completions[]) =>
  `# fish completion for rollcall.\n${all.flatMap(fishLines).join('\n')}\n`

const fishLines = ({ path, next, flags }: Completions) => {
  const condition =
    path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ') || '__fish_use_subcommand'
  const line = `complete -c rollcall -n '${condition}'`
  return [
    ...next.map(([word, meaning]) => `${line} -a '${word}' -d '${meaning.replaceAll("'", "\\'")}'`),
    ...flags.map(({ name, values }) => `${line} -l '${name.slice(2)}'${fishValues(values)}`),
  ]
}

const fishValues = (values: Flag['values']) => {
  if (values === undefined) return ''
  return values.length === 0 ? ' -r' : ` -x -a '${values.join(' ')}'`
}

const scripts: Readonly<Record<Shell, (all: readonly Completions[]) => string>> = { bash, zsh, fish }
