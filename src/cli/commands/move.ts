import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { Problem } from '#core/problem.ts'
import type { Engine } from '#sql/engine.ts'
import { readApplied } from '#sql/migrate.ts'
import { moveMark } from '#sql/move-mark.ts'
import { faultOf } from '#sql/postgres/wire/url.ts'
import type { Records } from '#sql/records.ts'
import { orNameDamaged } from '#sql/sqlite/damage.ts'
import { DataUnusable, type Reason } from '#sql/unusable.ts'
import { openNamed } from '#src/app/database.ts'
import { migrateAll, requireCurrent } from '#src/app/migrations.ts'
import { allRecords, withUntouchedDatabase } from '#src/cli/data.ts'
import { CommandFailed, UsageError } from '#src/cli/exit.ts'
import { jsonLine, print, withoutPassword } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import { settings } from '#src/config/settings.ts'

export const moveCommand = () =>
  new Command('move')
    .description('Copy everything from one database into another that is empty, and compare the two.')
    .requiredOption('--from <database-url>', 'the database to copy; its records are not changed')
    .requiredOption('--to <database-url>', 'the empty database to copy it into')
    .option('--json', 'report the outcome as JSON')
    .addHelpText(
      'after',
      `
Stop every instance first: writes during the move are not copied. To resume an interrupted move, run it again. Until the
move is complete, no service starts on the target.

Example:
  rollcall move --from sqlite:./data/rollcall.db --to postgres://rollcall:…@db1/rollcall`,
    )
    .action(async ({ from, to, json }: { from: string; to: string; json?: true }) => {
      if (from === to) throw new UsageError('--from and --to are the same database.')
      requireAddress('--from', from)
      requireAddress('--to', to)
      const moved = await withUntouchedDatabase(
        from,
        (source) => into(to, source),
        (source) => requireCurrent(source).catch(naming('source', from)),
      )
      await print(json ? jsonLine(moved) : sentence(moved, to))
    })

interface MovedRecords {
  readonly name: string
  readonly count: number
  readonly hash: string
}

/** Applies the checks that `serve` applies to DATABASE_URL. */
const requireAddress = (flag: string, url: string) => {
  const { read, form } = settings.DATABASE_URL
  if (read(url) === undefined) throw new UsageError(`${flag} must be ${form}.`)
  const fault = faultOf(url, flag)
  if (fault !== undefined) throw new UsageError(fault)
  if (url === 'sqlite::memory:')
    throw new UsageError(`${flag} is a database in memory, which ends with this command.`)
}

/** What is wrong with the tables of a database, and of which of the two. */
const naming = (which: 'source' | 'target', url: string) => (error: unknown) => {
  if (!(error instanceof DataUnusable && unnamed.includes(error.reason))) throw error
  const words = error.reason === 'olderSchema' ? earlierTables : error.message
  throw new DataUnusable(error.reason, `The ${which}, ${withoutPassword(url)}: ${words}`, error)
}

/** Refusals for other reasons name the database. */
const unnamed: readonly Reason[] = ['halfMoved', 'newerSchema', 'olderSchema', 'otherSchema', 'otherTables']

const earlierTables =
  'Its tables are those of an earlier version. A move begun by that version must end with it. Otherwise start this version ' +
  'on it once, which brings them up to date, and move it to an empty database.'

const sentence = (moved: readonly MovedRecords[], to: string) => {
  const lines = moved.map(
    ({ name, count, hash }) =>
      `  ${name.padEnd(14)} ${count.toLocaleString('en').padStart(10)}  ${hash.slice(0, 16)}…`,
  )
  return `Moved and compared; both sides are identical:\n${lines.join('\n')}\nNow start with DATABASE_URL=${withoutPassword(to)}.`
}

const into = async (to: string, source: Engine): Promise<readonly MovedRecords[]> => {
  const target = await openNamed(to)
  // Any other damage is in the source.
  const onTarget: OnTarget = (work) => orNameDamaged(to, work)
  try {
    const identity = await identityOf(source)
    await onTarget(claim(target, { url: to, identity }))
    const moved: MovedRecords[] = []
    const targets = allRecords(target)
    for (const [index, records] of allRecords(source).entries())
      moved.push(await copy(records, targets[index] as Records, onTarget))
    await moveMark.clear(target)
    return moved
  } finally {
    await target.close()
  }
}

type OnTarget = <T>(work: Promise<T>) => Promise<T>

/** Marks the target as a copy of this source; refuses a target that holds anything else. */
const claim = async (target: Engine, { url, identity }: { url: string; identity: string }) => {
  const marked = await moveMark.read(target).catch(naming('target', url))
  if (marked === identity) return
  if (marked !== undefined)
    throw new UsageError(
      `The target, ${withoutPassword(url)}, holds an unfinished move from another database, from this one before it ` +
        'changed, or by another version of Rollcall. Empty it, or give another: the source still has all its records.',
    )
  await migrateAll(target).catch(naming('target', url))
  for (const records of allRecords(target)) {
    if ((await records.count()) > 0)
      throw new UsageError(`The target is not empty: it holds ${records.name}. Give an empty database.`)
  }
  await moveMark.set(target, identity)
}

/**
 * A hash of the first records and of the version of the tables: the same at every attempt, but different for another
 * database, and for another version, which would not continue what this one began.
 */
const identityOf = async (source: Engine) => {
  const hash = createHash('sha256').update(JSON.stringify(await readApplied(source)))
  for (const records of allRecords(source)) {
    for await (const batch of records.stream()) {
      hash.update(JSON.stringify(batch))
      break
    }
  }
  return hash.digest('base64url')
}

const batchSize = 500
const maxAttempts = 60
const pauseMs = 1_000

/** Writes what is missing from the target, then compares both sides in full. */
const copy = async (source: Records, target: Records, onTarget: OnTarget): Promise<MovedRecords> => {
  using bar = progressBar(source.name.padEnd(14), await source.count())
  const sourceSum = sum()
  for await (const batch of source.stream()) {
    for (const record of batch) sourceSum.add(record)
    for (let at = 0; at < batch.length; at += batchSize)
      await onTarget(retryWrite(() => target.insert(batch.slice(at, at + batchSize))))
    bar.advance(batch.length)
  }
  bar.end()
  const { count, hash } = sourceSum.total()
  const copied = await onTarget(totalOf(target))
  if (copied.count === count && copied.hash === hash) return { name: source.name, count, hash }
  throw new CommandFailed(
    `The ${source.name} differ: ${count} were read, and the target has ${copied.count}. Nobody may write to either side during a move: empty the target and move again.`,
  )
}

const totalOf = async (records: Records) => {
  const all = sum()
  for await (const batch of records.stream()) for (const record of batch) all.add(record)
  return all.total()
}

/** Nobody waits for an answer, so a batch is retried if the storage refused it, or kept it without confirming. */
const retryWrite = async <T>(write: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      const isTransient = error instanceof Problem && error.kind === 'storageUnavailable'
      if (!isTransient || attempt === maxAttempts) throw error
    }
    await sleep(pauseMs)
  }
}

/** A hash of records that does not depend on their order, because engines sort texts differently. */
const sum = () => {
  let total = 0n
  let count = 0
  return {
    add(record: object) {
      count++
      const sorted = Object.keys(record).sort()
      const digest = createHash('sha256').update(
        JSON.stringify(sorted.map((name) => [name, record[name as keyof typeof record]])),
      )
      total = (total + BigInt(`0x${digest.digest('hex')}`)) % modulus
    },
    total: () => ({ count, hash: total.toString(16).padStart(64, '0') }),
  }
}

const modulus = 2n ** 256n
