import { createHash } from 'node:crypto'
import { Command } from 'commander'
import { copyLogName } from '#ledger/change-reader.ts'
import type { Resource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { readApplied } from '#sql/migrate.ts'
import type { Records } from '#sql/records.ts'
import { orNameDamaged } from '#sql/sqlite/damage.ts'
import { unfinishedMove } from '#sql/unfinished-move.ts'
import { DataUnusable, type Reason } from '#sql/unusable.ts'
import { migrateAll, requireCurrent } from '#src/app/migrations.ts'
import { allRecords, withOpenDatabase, withUntouchedDatabase } from '#src/cli/data.ts'
import { CommandFailed, UsageError } from '#src/cli/exit.ts'
import { jsonLine, print, withoutPassword, withSeparators } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import { addSettings, givenSettings, warnOfSecret } from '#src/cli/settings.ts'
import { readConfig, SettingError, settingText } from '#src/config.ts'

export const moveCommand = () => {
  const command = new Command('move')
    .description(
      'Copy everything, with the log of changes, from one database into another that is empty, and compare the two.',
    )
    .requiredOption('--from <database-url>', 'the database to copy; its records are not changed')
    .requiredOption('--to <database-url>', 'the empty database to copy it into')
    .option('--json', 'report the outcome as JSON')
  return addSettings(command, ['RESOURCES', 'SETTINGS_FILE'])
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
        (source, rooms) => withOpenDatabase(to, {}, (target) => moveAll(source, target, { url: to, rooms })),
        (source, rooms, url) => requireCurrent(source, rooms, url).catch(namingDatabase('source', from)),
      )
      await print(json ? jsonLine(moved) : sentence(moved, to))
    })
}

/** The command reads no other setting, because flags name both databases. */
const readResources = (command: Command) =>
  readConfig({ RESOURCES: settingText('RESOURCES', givenSettings(command)) }).RESOURCES

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

/** Says which of the two databases a refusal is about. */
const namingDatabase = (which: 'source' | 'target', url: string) => (error: unknown) => {
  if (!(error instanceof DataUnusable && unnamed.includes(error.reason))) throw error
  const words = error.reason === 'olderSchema' ? earlierTables : error.message
  throw new DataUnusable(error.reason, `The ${which}, ${withoutPassword(url)}: ${words}`, error)
}

/** The reasons whose messages do not name the database. */
const unnamed: readonly Reason[] = ['halfMoved', 'newerSchema', 'olderSchema', 'otherSchema', 'otherTables']

const earlierTables =
  'Its tables are those of an earlier version. If that version began a move, finish the move with it. Otherwise start this ' +
  'version on it once, which brings them up to date, and move it to an empty database.'

const notMoved = 'Not moved: the counts of failed sign-ins and of rate limits. They start again at zero.'

interface MovedTable {
  readonly name: string
  readonly count: number
  readonly hash: string
}

const sentence = (moved: readonly MovedTable[], to: string) => {
  const lines = moved.map(
    ({ name, count, hash }) =>
      `  ${name.padEnd(16)} ${withSeparators(count).padStart(10)}  ${hash.slice(0, 16)}…`,
  )
  return `Moved and compared; both sides are identical:\n${lines.join('\n')}\n${notMoved}\nNow start with DATABASE_URL=${withoutPassword(to)}.`
}

interface Target {
  readonly url: string
  readonly rooms: readonly Resource[]
}

const moveAll = async (source: Engine, target: Engine, to: Target): Promise<readonly MovedTable[]> => {
  const { url, rooms } = to
  await claim(target, to, await identityOf(source, rooms))
  const targets = allRecords(target, rooms)
  const onTarget: OnTarget = (work) => orNameDamaged(url, work)
  const copied: (() => Promise<MovedTable>)[] = []
  for (const [index, records] of allRecords(source, rooms).entries())
    copied.push(await copy(records, targets[index] as Records, onTarget))
  const moved: MovedTable[] = []
  for (const compared of copied) moved.push(await compared())
  await copyLogName(source, target)
  await unfinishedMove.clear(target)
  return moved
}

/**
 * Identifies a source by its first records and the version of its tables: the same at every attempt, but different for another
 * database, and for another version of Rollcall, which must not continue this move.
 */
const identityOf = async (source: Engine, rooms: readonly Resource[]) => {
  const hash = createHash('sha256').update(JSON.stringify(await readApplied(source)))
  for (const records of allRecords(source, rooms))
    for await (const batch of records.stream()) {
      hash.update(JSON.stringify(batch))
      break
    }
  return hash.digest('base64url')
}

/** Marks the target as a copy of this source; refuses a target that holds anything else. */
const claim = async (target: Engine, { url, rooms }: Target, identity: string) => {
  const marked = await unfinishedMove.readSource(target).catch(namingDatabase('target', url))
  if (marked === identity) return
  if (marked !== undefined)
    throw new UsageError(
      `The target, ${withoutPassword(url)}, holds an unfinished move from another database, from this one before it ` +
        'changed, or by another version of Rollcall. Empty it, or give another: the source still has all its records.',
    )
  await migrateAll(target, rooms).catch(namingDatabase('target', url))
  for (const records of allRecords(target, rooms))
    if ((await records.count()) > 0)
      throw new UsageError(`The target is not empty: it holds ${records.name}. Give an empty database.`)
  await unfinishedMove.record(target, identity)
}

const batchSize = 500

const inParts = <T>(batch: readonly T[]) =>
  Array.from({ length: Math.ceil(batch.length / batchSize) }, (_, part) =>
    batch.slice(part * batchSize, (part + 1) * batchSize),
  )

type OnTarget = <T>(work: Promise<T>) => Promise<T>

/**
 * Writes the records that the target lacks. The returned function adds the references to records that were not there yet, and
 * compares both sides in full.
 */
const copy = async (source: Records, target: Records, onTarget: OnTarget) => {
  using bar = progressBar(source.name.padEnd(16), await source.count())
  const { links } = target
  let isUnlinked = links?.isOwn ?? false
  const given = await totalOf(source, async (batch) => {
    for (const some of inParts(links?.isOwn ? batch.map(links.unlinked) : batch)) {
      const written = await onTarget(target.insert(some))
      const left = links ? some.filter((_, at) => !written[at]).map(links.unlinked) : []
      if (left.length > 0) await onTarget(target.insert(left))
      isUnlinked ||= left.length > 0
    }
    bar.advance(batch.length)
  })
  bar.end()
  return () => linkAndCompare([source, target], { given, isUnlinked, onTarget })
}

interface Copied {
  readonly given: Awaited<ReturnType<typeof totalOf>>
  readonly isUnlinked: boolean
  readonly onTarget: OnTarget
}

const linkAndCompare = async (
  [source, target]: readonly [Records, Records],
  { given, isUnlinked, onTarget }: Copied,
): Promise<MovedTable> => {
  if (target.links && isUnlinked)
    for await (const batch of source.stream())
      for (const some of inParts(batch)) await onTarget(target.links.link(some))
  const copied = await onTarget(totalOf(target))
  if (copied.hash === given.hash) return { name: source.name, ...given }
  throw new CommandFailed(
    `The ${source.name} differ: ${given.count} were read, and the target has ${copied.count}. Nobody may write to either ` +
      'side during a move: empty the target and move again.',
  )
}

/** The number of the records, and a hash that does not depend on their order, because engines sort texts differently. */
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
