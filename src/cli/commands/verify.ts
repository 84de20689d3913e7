import { Command, InvalidArgumentError } from 'commander'
import { type Head, verifyChanges } from '#ledger/change-chain.ts'
import { verifyLedger } from '#ledger/records.ts'
import type { Resource } from '#resources/resource.ts'
import type { Row } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { codeOf } from '#sql/postgres/errors.ts'
import { raw } from '#sql/query.ts'
import type { Finding } from '#sql/records.ts'
import { insufficientPrivilege } from '#src/app/migrations.ts'
import { verifyTables } from '#src/app/tables.ts'
import { withUntouchedDatabase } from '#src/cli/data.ts'
import { exitCodes } from '#src/cli/exit.ts'
import { escapeControls, formatCount, jsonLine, print, printNote, withoutPassword } from '#src/cli/output.ts'
import { addDatabaseFlags, configOf } from '#src/cli/settings.ts'

export const verifyCommand = () => {
  const command = new Command('verify')
    .description('Read the whole database, and report anything that is wrong.')
    .option('--head <number:hash>', 'the head of the changes that an earlier run printed', parseHead)
    .option('--json', 'report the findings as JSON, one per line')
  addDatabaseFlags(command).addHelpText(
    'after',
    `
It checks
- the file, the checksum of every row, every value, and the values derived from names and sign ids
- that every member has a credential, and every credential a member
- tables, indexes and triggers against those that this version makes
- every record against its newest change, and every value in the log against its change
- the chain of changes: each holds the hash of the one before, so none can be altered or removed unnoticed
To check the newest change too, store the head that this command prints somewhere else, and pass it as --head next time.
It changes nothing. The exit code is 3 if anything is wrong.

Example:
  rollcall verify --database-url sqlite:/backups/copy.db`,
  )
  return command.action(async ({ json, head: earlierHead }: { json?: true; head?: Head }) => {
    const config = configOf(command)
    await withUntouchedDatabase(config, async (db, resources) => {
      let count = 0
      const reading = findings(db, resources, earlierHead)
      let next = await reading.next()
      for (; !next.done; next = await reading.next()) {
        const { what, id, says } = next.value
        count++
        process.exitCode = exitCodes.unusableData
        await print(json ? jsonLine(next.value) : escapeControls(`${what} ${id}: ${says}`))
      }
      const head = next.value && `${next.value.number}:${next.value.hash}`
      if (json) return head && print(jsonLine({ head }))
      if (head) await print(`The head of the changes is ${head}.`)
      await print(summary(count, withoutPassword(config.DATABASE_URL)))
    })
  })
}

const parseHead = (text: string): Head => {
  const [, number, hash = ''] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  if (number !== undefined) return { number: Number(number), hash }
  throw new InvalidArgumentError('It must be a number and a hash, as this command prints them.')
}

const summary = (count: number, url: string) => {
  if (count === 0) return `No findings in ${url}.`
  return `${count === 1 ? '1 finding' : `${formatCount(count)} findings`} in ${url}.`
}

async function* findings(
  db: Engine,
  resources: readonly Resource[],
  earlierHead: Head | undefined,
): AsyncGenerator<Finding, Head | undefined> {
  if (db.engine === 'sqlite') yield* fileFindings(db)
  yield* tableFindings(db, resources)
  for (const resource of resources) yield* resource.verify(db)
  yield* verifyLedger(db)
  return yield* verifyChanges(db, earlierHead)
}

async function* tableFindings(db: Engine, resources: readonly Resource[]) {
  try {
    yield* verifyTables(db, resources)
  } catch (error) {
    if (codeOf(error) !== insufficientPrivilege) throw error
    printNote(
      'The tables are not compared with those of this program, because the role may not create a schema for that.',
    )
  }
}

async function* fileFindings(db: Engine): AsyncGenerator<Finding> {
  const found = await db.scan(raw('PRAGMA integrity_check'), (row: Row) => String(row.integrity_check))
  for (const says of found) if (says !== 'ok') yield { what: 'file', id: '-', says }
  const keys = await db.scan(raw('PRAGMA foreign_key_check'), (row: Row) => String(row.table))
  for (const table of keys) yield { what: 'file', id: table, says: 'a row refers to one that does not exist' }
}
