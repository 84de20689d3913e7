import { Command } from 'commander'
import { verifyLedger } from '#ledger/records.ts'
import { resources } from '#resources/index.ts'
import type { Row } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { raw } from '#sql/query.ts'
import type { Finding } from '#sql/records.ts'
import { withUntouchedDatabase } from '#src/cli/data.ts'
import { exitCodes } from '#src/cli/exit.ts'
import { jsonLine, print, visible, withoutPassword } from '#src/cli/output.ts'
import { databaseUrl, onDatabase } from '#src/cli/settings.ts'

export const verifyCommand = () => {
  const command = new Command('verify')
    .description('Read the whole database, and report anything that is wrong.')
    .option('--json', 'report the findings as JSON, one per line')
  onDatabase(command).addHelpText(
    'after',
    `
It checks the integrity of the file, the checksum of every row, credentials without members and members without
credentials, the values derived from names and sign ids for search and uniqueness, and the values themselves. It changes
nothing, and ends with exit code 3 if anything is wrong.

Example:
  rollcall verify --database-url sqlite:/backups/copy.db`,
  )
  return command.action(async ({ json }: { json?: true }) => {
    const url = databaseUrl(command)
    await withUntouchedDatabase(url, async (db) => {
      let count = 0
      for await (const finding of findings(db)) {
        count++
        process.exitCode = exitCodes.unusableData
        await print(json ? jsonLine(finding) : visible(`${finding.what} ${finding.id}: ${finding.says}`))
      }
      if (!json) await print(summary(count, withoutPassword(url)))
    })
  })
}

const summary = (count: number, url: string) => {
  if (count === 0) return `No findings in ${url}.`
  return `${count === 1 ? '1 finding' : `${count.toLocaleString('en')} findings`} in ${url}.`
}

async function* findings(db: Engine): AsyncGenerator<Finding> {
  if (db.engine === 'sqlite') yield* fileFindings(db)
  for (const resource of resources) yield* resource.verify(db)
  yield* verifyLedger(db)
}

async function* fileFindings(db: Engine): AsyncGenerator<Finding> {
  const found = await db.scan(raw('PRAGMA integrity_check'), (row: Row) => String(row.integrity_check))
  for (const says of found) if (says !== 'ok') yield { what: 'file', id: '-', says }
  const keys = await db.scan(raw('PRAGMA foreign_key_check'), (row: Row) => String(row.table))
  for (const table of keys) yield { what: 'file', id: table, says: 'a row refers to one that does not exist' }
}
