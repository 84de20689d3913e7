import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ImportPatch } from '#client/types.ts'
import { lettersAndDigitsOf } from '#core/foreign-files.ts'
import type { Schema } from '#core/schema.ts'
import { optionFields } from '#resources/import/schema.ts'
import type { Resource } from '#resources/resource.ts'
import { pathsIn } from '#src/cli/fields.ts'

type Options = Required<ImportPatch>['options']

export interface ImportFlags extends Pick<Options, 'match' | 'existing' | 'passwords' | 'header'> {
  readonly map: readonly (readonly [letters: string, field: string])[]
  readonly date?: Options['dates']
  readonly encoding?: string
  readonly sheet?: string
  readonly dryRun?: true
  readonly exact?: true
  readonly continue?: string
  readonly undo?: string
  readonly report?: string
  readonly passwordsTo?: string
  readonly json?: true
}

export const addImportFlags = (command: Command) => {
  command
    .addOption(mapOption())
    .addOption(choiceOption('--date <order>', 'the order of dates such as 3/2/1985', 'dates'))
    .option('--match <field>', 'the field that identifies the record of a row')
    .addOption(
      choiceOption('--existing <what>', 'what to do with records that exist (default: update)', 'existing'),
    )
    .addOption(choiceOption('--passwords <what>', 'what to do with members without a password', 'passwords'))
    .option('--passwords-to <file>', 'write the passwords of --passwords generate to this CSV file')
    .addOption(choiceOption('--encoding <name>', 'the encoding of a text (default: detected)', 'encoding'))
    .option('--sheet <name>', 'the sheet of a workbook (default: the first)')
    .addOption(new Option('--header <line>', 'the line of the headings, 0 for none').argParser(parseLine))
    .option('--dry-run', 'show what would be new, changed and refused, and write nothing')
    .option('--exact', 'copy what `rollcall export` wrote, with hashes and times, into a database')
    .option('--continue <import-id>', 'continue an import that was stopped')
    .option('--undo <import-id>', 'undo an import')
    .option('--report <file>', 'write every refused row to this file, with the reasons')
    .option('--json', 'report the outcome as JSON')
  for (const flag of ['--format <format>', '--from-start'])
    command.addOption(new Option(flag, 'Has no effect: older scripts may use it.').hideHelp())
  return command
}

const choiceOption = (flag: string, description: string, option: keyof Options) => {
  const { 'x-extensible-enum': codes = [] } = optionFields[option] as Schema
  return new Option(flag, description).choices(codes)
}

const mapOption = () =>
  new Option('--map <heading=field>', 'the field that a column fills; "Staff no=" leaves a column out')
    .argParser((text: string, others: ImportFlags['map']) => {
      const [, heading, field] = /^(.+)=(.*)$/.exec(text) ?? []
      if (heading !== undefined && field !== undefined)
        return [...others, [lettersAndDigitsOf(heading), field] as const]
      throw new InvalidArgumentError('Give a heading and a field, such as Nickname=firstName.')
    })
    .default([], 'as the headings suggest')

const parseLine = (text: string) => {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give the number of a line.')
}

export const optionsOf = ({ date, match, existing, passwords, header }: ImportFlags): Partial<Options> => {
  const chosen = { dates: date, match, existing, passwords, header }
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
}

/** The flags of the fields that the service may refuse, so that a refusal names the flag. */
export const flagByField = {
  'options.match': '--match',
  'options.dates': '--date',
  'options.header': '--header',
  encoding: '--encoding',
  sheet: '--sheet',
}

/** The path of a field by its last part: `credential.signId` for `signId`. */
export const fullFieldPath = (name: string, { fileSchema }: Resource) =>
  pathsIn(fileSchema, () => true).find((field) => field.endsWith(`.${name}`)) ?? name
