import { Command } from 'commander'
import { withDatabase } from '#src/cli/data.ts'
import { jsonLine, print } from '#src/cli/output.ts'
import { addDatabaseFlags, configOf } from '#src/cli/settings.ts'

export const migrateCommand = () => {
  const command = new Command('migrate')
    .description('Create the tables, or bring them up to this version, as the service does when it starts.')
    .option('--json', 'report the migrations as JSON')
  addDatabaseFlags(command).addHelpText(
    'after',
    `
Once the tables are up to date, the service needs no right to create tables.

Example:
  rollcall migrate --database-url postgres://owner@db1,db2/rollcall`,
  )
  return command.action(async ({ json }: { json?: true }) => {
    const migrations = await withDatabase(configOf(command), async (_, applied) => applied)
    if (json) return print(jsonLine({ migrations }))
    await print(migrations.length === 0 ? 'The tables are up to date.' : migrations.join('\n'))
  })
}
