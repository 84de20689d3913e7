import type { Command } from 'commander'
import { program } from '#src/cli/index.ts'
import { version } from '#src/version.ts'

/** The manual page, made from the commands and their help. */
export const manualPage = async (): Promise<string> => {
  const rollcall = await program()
  const [, exits = ''] = /Exit codes: (.*)/s.exec(helpAfter(rollcall)) ?? []
  return [
    `.TH ROLLCALL 1 "" "Rollcall ${version}"`,
    `.SH NAME\nrollcall \\- ${plain(rollcall.description())}`,
    '.SH SYNOPSIS\n.B rollcall\n.I command\n[\\fIflags\\fR]',
    ...rollcall.commands.flatMap((one) => commandOf(one, 'rollcall')),
    `.SH EXIT STATUS\n${plain(exits)}`,
    '.SH FILES\nThe documents of the package: docs/operating.md, docs/settings.md, docs/alerts.md.\n',
  ].join('\n')
}

const commandOf = (command: Command, before: string): readonly string[] => {
  const name = `${before} ${command.name()}`
  const { commands } = command
  if (commands.length > 0)
    return [
      `.SH ${name.toUpperCase()}\n${plain(command.description())}`,
      ...commands.flatMap((one) => commandOf(one, name)),
    ]
  const heading = before === 'rollcall' ? 'SH' : 'SS'
  const flags = command.options.filter(({ hidden }) => !hidden)
  return [
    `.${heading} "${plain(`${name} ${command.usage().replace(/^\[options\] ?/, '')}`)}"\n${plain(command.description())}`,
    ...flags.map(({ flags, description }) => `.TP\n.B ${plain(flags)}\n${plain(description)}`),
    `.PP\n.nf\n${plain(helpAfter(command))}\n.fi`,
  ]
}

/** The text after the list of flags. */
const helpAfter = (command: Command): string => {
  let text = ''
  const write = (more: string) => {
    text += more
  }
  command.configureOutput({ ...command.configureOutput(), writeOut: write })
  command.outputHelp()
  return text.slice(command.helpInformation().length).trim()
}

/** Text in which nothing is a command of the formatter. */
const plain = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&')
