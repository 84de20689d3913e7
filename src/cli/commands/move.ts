import { createHash } from 'node:crypto'
import { Command } from 'commander'
import { copyLogName } from '#ledger/change-reader.ts'
import type { Resource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { readApplied } from '#sql/migrate.ts'
import type { Records } from '#sql/records.ts'
import { nameDamagedFile } from '#sql/sqlite/damage.ts'
import { unfinishedMove } from '#sql/unfinished-move.ts'
import { DataUnusable, type Reason } from '#sql/unusable.ts'
import { migrateAll, requireCurrentTables } from '#src/app/migrations.ts'
import { allRecords, withOpenDatabase, withUntouchedDatabase } from '#src/cli/data.ts'
import { CommandFailed, UsageError } from '#src/cli/exit.ts'
import { formatCount, jsonLine, print, withoutPassword } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import { addSettingFlags, collectSettings, warnOfSecret } from '#src/cli/settings.ts'
import { readConfig, SettingError, settingText } from '#src/config.ts'

export const moveCommand = () => {
  const command = new Command('move')
    .description(
      'Copy everything, with the log of changes, from one database into another that is empty, and compare the two.',
    )
    .requiredOption('--from <database-url>', 'the database to copy; its records are not changed')
    .requiredOption('--to <database-url>', 'the empty database to copy it into')
    .option('--json', 'report the outcome as JSON')
  return addSettingFlags(command, ['RESOURCES', 'SETTINGS_FILE'])
    .addHelpText(
      'after',
      `
Stop every instance first: writes during the move are not copied. To resume an interrupted move, run it again. Until the
move is complete, no service starts on the target.

Example:
  rollcall move --from sqlite:./data/rollcall.db --to postgres://rollcall@db1/rollcall`,
    )
    .action(async ({ from, to, json }: { from: string; to: string; json?: true }) => {
      if (from === to) throw new UsageError('--from and --to are the same database.')
      requireAddress('--from', from)
      requireAddress('--to', to)
      const moved = await withUntouchedDatabase(
        { RESOURCES: readResources(command), DATABASE_URL: from },
        (source, resources) => withOpenDatabase(to, {}, (db) => moveAll(source, db, { url: to, resources })),
        (source, resources, url) =>
          requireCurrentTables(source, resources, url).catch(nameInError('source', from)),
      )
      await print(json ? jsonLine(moved) : describeMove(moved, to))
    })
}

/** Reads no setting but RESOURCES, because flags name both databases. */
const readResources = (command: Command) =>
  readConfig({ RESOURCES: settingText('RESOURCES', collectSettings(command)) }).RESOURCES

/** Applies the checks that `serve` applies to DATABASE_URL. */
const requireAddress = (flag: string, url: string) => {
  try {
    readConfig({ DATABASE_URL: url })
  } catch (error) {
    throw error instanceof SettingError ? new UsageError(error.message.replace('DATABASE_URL', flag)) : error
  }
  if (url === 'sqlite::memory:')
    throw new UsageError(`${flag} is a database in memory, which ends with this command.`)
  if (withoutPassword(url) !== url) warnOfSecret(flag, 'set PGPASSWORD')
}

/** Makes the error say which of the two databases it is about. */
const nameInError = (which: 'source' | 'target', url: string) => (error: unknown) => {
  if (!(error instanceof DataUnusable && unnamed.includes(error.reason))) throw error
  const words = error.reason === 'olderSchema' ? olderSchemaMessage : error.message
  throw new DataUnusable(error.reason, `The ${which}, ${withoutPassword(url)}: ${words}`, error)
}

/** The reasons whose messages do not name the database. */
const unnamed: readonly Reason[] = ['halfMoved', 'newerSchema', 'olderSchema', 'otherSchema', 'otherTables']

const olderSchemaMessage =
  'Its tables are those of an earlier version. If that version began a move, finish the move with it. Otherwise start this ' +
  'version on it once, which brings them up to date, and move it to an empty database.'

const notMovedNote = 'Not moved: imports; the counts of failed sign-ins and rate limits, which begin at zero.'

interface MovedTable {
  readonly name: string
  readonly count: number
  readonly hash: string
}

const describeMove = (moved: readonly MovedTable[], to: string) => {
  const lines = moved.map(
    ({ name, count, hash }) =>
      `  ${name.padEnd(16)} ${formatCount(count).padStart(10)}  ${hash.slice(0, 16)}…`,
  )
  return `Moved and compared; both sides are identical:\n${lines.join('\n')}\n${notMovedNote}\nNow start with DATABASE_URL=${withoutPassword(to)}.`
}

interface Target {
  readonly url: string
  readonly resources: readonly Resource[]
}

const moveAll = async (source: Engine, target: Engine, to: Target): Promise<readonly MovedTable[]> => {
  const { url, resources } = to
  await claimTarget(target, to, await identityOf(source, resources))
  const targets = allRecords(target, resources)
  const onTarget: OnTarget = (work) => nameDamagedFile(url, work)
  const finishers: (() => Promise<MovedTable>)[] = []
  for (const [index, records] of allRecords(source, resources).entries())
    finishers.push(await copy(records, targets[index] as Records, onTarget))
  const tables: MovedTable[] = []
  for (const finish of finishers) tables.push(await finish())
  await copyLogName(source, target)
  await unfinishedMove.clear(target)
  return tables
}

/**
 * Identifies a source by its first records and its migrations. Every attempt to move a database gets the same identity; another
 * database, or another version of Rollcall, gets a different one and cannot continue the move.
 */
const identityOf = async (source: Engine, resources: readonly Resource[]) => {
  const hash = createHash('sha256').update(JSON.stringify(await readApplied(source)))
  for (const records of allRecords(source, resources))
    for await (const batch of records.stream()) {
      hash.update(JSON.stringify(batch))
      break
    }
  return hash.digest('base64url')
}

/** Marks the target as the target of this source. Refuses a target that holds records or the move of another source. */
const claimTarget = async (target: Engine, { url, resources }: Target, identity: string) => {
  const claimedFor = await unfinishedMove.readSource(target).catch(nameInError('target', url))
  if (claimedFor === identity) return
  if (claimedFor !== undefined)
    throw new UsageError(
      `The target, ${withoutPassword(url)}, holds an unfinished move from another database, from this one before it ` +
        'changed, or by another version of Rollcall. Empty it, or give another: the source still has all its records.',
    )
  await migrateAll(target, resources).catch(nameInError('target', url))
  for (const records of allRecords(target, resources))
    if ((await records.count()) > 0)
      throw new UsageError(`The target is not empty: it holds ${records.name}. Give an empty database.`)
  await unfinishedMove.record(target, identity)
}

const batchSize = 500

const chunksOf = <T>(batch: readonly T[]) =>
  Array.from({ length: Math.ceil(batch.length / batchSize) }, (_, part) =>
    batch.slice(part * batchSize, (part + 1) * batchSize),
  )

type OnTarget = <T>(work: Promise<T>) => Promise<T>

/**
 * Writes the records that the target lacks. Records that refer to records still missing there are written without these
 * references. The returned function adds the references, and compares both sides in full.
 */
const copy = async (source: Records, target: Records, onTarget: OnTarget) => {
  using bar = progressBar(source.name.padEnd(16), await source.count())
  const { links } = target
  let needsLinks = links?.isSelfReferring ?? false
  const sourceTotal = await totalOf(source, async (batch) => {
    for (const chunk of chunksOf(links?.isSelfReferring ? batch.map(links.withoutLinks) : batch)) {
      const written = await onTarget(target.insert(chunk))
      const unlinked = links ? chunk.filter((_, at) => !written[at]).map(links.withoutLinks) : []
      if (unlinked.length > 0) await onTarget(target.insert(unlinked))
      needsLinks ||= unlinked.length > 0
    }
    bar.advance(batch.length)
  })
  bar.end()
  return () => linkAndCompare([source, target], { sourceTotal, needsLinks, onTarget })
}

interface CopyState {
  readonly sourceTotal: Awaited<ReturnType<typeof totalOf>>
  readonly needsLinks: boolean
  readonly onTarget: OnTarget
}

const linkAndCompare = async (
  [source, target]: readonly [Records, Records],
  { sourceTotal, needsLinks, onTarget }: CopyState,
): Promise<MovedTable> => {
  if (target.links && needsLinks)
    for await (const batch of source.stream())
      for (const chunk of chunksOf(batch)) await onTarget(target.links.link(chunk))
  const targetTotal = await onTarget(totalOf(target))
  if (targetTotal.hash === sourceTotal.hash) return { name: source.name, ...sourceTotal }
  throw new CommandFailed(
    `The ${source.name} differ: ${sourceTotal.count} were read, and the target has ${targetTotal.count}. Nobody may write to either ` +
      'side during a move: empty the target and move again.',
  )
}

/** The number of records, and a hash that does not depend on their order, because the engines sort texts differently. */
const totalOf = async (records: Records, each?: (batch: readonly object[]) => Promise<void>) => {
  let sum = 0n
  let count = 0
  for await (const batch of records.stream()) {
    for (const record of batch) {
      const sorted = Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1))
      sum += BigInt(`0x${createHash('sha256').update(JSON.stringify(sorted)).digest('hex')}`)
      count++
    }
    await each?.(batch)
  }
  return { count, hash: (sum % 2n ** 256n).toString(16).padStart(64, '0') }
}
