import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { passwordField } from '#resources/import/interpreting.ts'
import type { Resource } from '#resources/resource.ts'
import { pluralsOf, resourceArgument } from '#src/cli/data.ts'
import { UsageError } from '#src/cli/exit.ts'
import { pathsIn } from '#src/cli/fields.ts'
import { printNote } from '#src/cli/output.ts'
import { addServiceFlags, withService } from '#src/cli/service.ts'
import { importExactly } from './import-exact.ts'
import { addImportFlags, type ImportFlags } from './import-flags.ts'
import { Interrupted } from './import-progress.ts'
import { importStaged, undoImport } from './import-staged.ts'

export const importCommand = (resources: readonly Resource[]) => {
  const command = new Command('import')
    .description(`Import ${pluralsOf(resources)} from a file: CSV, Excel (.xlsx), NDJSON or JSON.`)
    .addArgument(resourceArgument(resources))
    .argument('[file]', 'the file; - for standard input')
  addServiceFlags(addImportFlags(command)).addHelpText('after', helpText(resources))
  return command.action(async (resource: Resource, file: string | undefined, flags: ImportFlags) => {
    const { undo, report, passwords, passwordsTo } = flags
    if ([file, flags.continue, undo].filter((one) => one !== undefined).length !== 1)
      throw new UsageError('Give exactly one: a file, --continue <import-id> or --undo <import-id>.')
    for (const [flag, name] of [
      ['--report', report],
      ['--passwords-to', passwordsTo],
    ] as const)
      if (name !== undefined && existsSync(name))
        throw new UsageError(`${name} already exists: name another file with ${flag}.`)
    if ((passwords ?? passwordsTo) !== undefined && !hasPasswords(resource))
      throw new UsageError(
        `--passwords and --passwords-to are for members: ${resource.plural} have no passwords.`,
      )
    if (passwords === 'generate' && passwordsTo === undefined && !flags.dryRun)
      throw new UsageError(
        '--passwords generate needs a file for the passwords: name it with --passwords-to.',
      )
    if (file !== undefined && passwordsTo !== undefined && passwords !== 'generate')
      throw new UsageError('--passwords-to needs --passwords generate, or --continue.')
    const task = { resource, file, flags }
    if (file !== undefined && (flags.exact || !resource.hasFileImport))
      return importExactly(command, { ...task, file })
    const databaseUse = flags.dryRun ? 'dryRun' : file === undefined ? 'mustExist' : 'mayCreate'
    const done = withService(
      command,
      (service) =>
        undo === undefined ? importStaged(service, task) : undoImport(service, resource.plural, undo),
      databaseUse,
      file === '-',
    )
    return done.catch((error) => {
      if (!(error instanceof Interrupted)) throw error
      printNote(error.message)
      process.kill(process.pid, 'SIGINT')
    })
  })
}

const hasPasswords = ({ fileSchema }: Resource) => pathsIn(fileSchema, () => true).includes(passwordField)

const helpText = (resources: readonly Resource[]) => `
Fields:
${resources.map(({ plural, fileSchema }) => `  ${plural}: ${pathsIn(fileSchema, ({ assignedByService }) => !assignedByService).join(', ')}`).join('\n')}
Columns are recognised by these names, by their labels and by other common names, such as "Date of birth" or 生年月日. Every
row is checked first: it is new, changes a record, changes nothing, or is refused. Rows that are not refused are written in
batches, each completely or not at all. If you must choose something first, the command names the flag for it.
After Ctrl-C the import stays in the database: continue it with --continue, or in the console.
--exact copies the records of an export file as they are, with ids, times, roles and hashes. Existing records are not changed.

Examples:
  rollcall import members staff.xlsx --passwords none --dry-run
  rollcall import members staff.csv --passwords generate --passwords-to passwords.csv
  rollcall import members staff.csv --map "Staff no=" --map "Login=signId" --date dmy --match signId
  gunzip -c todos.csv.gz | rollcall import todos -
  rollcall import members members.ndjson --exact
  ROLLCALL_PASSWORD=… rollcall import todos todos.json --url https://roll.example.com --user admin`
