import { createHash } from 'node:crypto'
import type { Done, Failure } from '#client/answer.ts'
import { newName } from '#client/name.ts'
import { systemClock } from '#core/clock.ts'
import { Problem } from '#core/problem.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import type { ErrorBody } from '#http/wire/errors.ts'
import type { Change, Resource } from '#resources/resource.ts'
import { CommandFailed, UsageError } from '#src/cli/exit.ts'
import { isObject, withFields } from '#src/cli/formats/fields.ts'
import type { Entry } from '#src/cli/formats/reading.ts'
import { askRemote, type Remote } from '#src/cli/remote.ts'
import { scratchTable } from '#src/cli/sqlite-file.ts'
import type { Destination, Task } from './import.ts'
import { reasonOf } from './import-report.ts'

/** How many records are sent at once. */
const batchSize = 8

/**
 * Creates each record through a running service. Its key makes sure that repeating an import within a day creates no record
 * twice, unless it is repeated from the start.
 */
export const overService = (
  remote: Remote,
  { resource, source, report, isDry, isFromStart }: Task,
): Destination => {
  if (isDry) throw new UsageError('--dry-run works on a database, not with --url.')
  report.overwrite()
  const { plural: what } = resource
  const sent = sentOf(resource)
  const keyOf = recordKeys(what, source.path, isFromStart ? newName() : '')
  /** Returns how the record was created, or why it was refused. */
  const create = async (entry: Entry): Promise<'written' | 'skipped' | ErrorBody> => {
    const whole = entry.parse()
    const record = await sent(whole)
    const key = keyOf(record)
    const answer = await askRemote<object>(remote, { method: 'POST', path: `/${what}`, body: record, key })
    if (answer.ok) {
      const change = resource.unsent?.(whole as object, answer.value)
      if (change) await complete(remote, { answer, change, key })
      return answer.replayed ? 'skipped' : 'written'
    }
    if (isNoApi(answer)) throw new CommandFailed(`The API is not at ${remote.base}: ${answer.message}`)
    if (endsImport(answer)) throw new CommandFailed(answer.message)
    return bodyOf(answer)
  }
  return {
    batchSize,
    before: { written: 0, refused: 0, skipped: 0 },
    async write(batch) {
      const counts = { written: 0, refused: 0, skipped: 0 }
      const results = await Promise.allSettled(batch.map((entry) => create(entry).catch(asReason)))
      for (const [index, result] of results.entries()) {
        const outcome = result.status === 'fulfilled' ? result.value : undefined
        if (typeof outcome === 'string') counts[outcome]++
        else if (outcome) {
          counts.refused++
          report.add(batch[index] as Entry, outcome)
        }
      }
      for (const result of results) if (result.status === 'rejected') throw result.reason
      return counts
    },
    end: async () => undefined,
    whenInterrupted: isFromStart
      ? 'What is created stays. An import with --from-start cannot be resumed.'
      : 'What is created stays. Run it again within 24 hours: no record is created twice.',
  }
}

const asReason = (error: unknown): ErrorBody => {
  if (error instanceof CommandFailed || error instanceof UsageError) throw error
  return reasonOf(error)
}

/**
 * Makes what a service is sent of a record. A service drops what it does not read, so a record of another form is refused
 * here, as an import into a database refuses it. Whatever depends on values is judged by the service.
 */
const sentOf = ({ imported }: Resource) => {
  const judge = bodyReaders(systemClock, 'UTC')(imported)
  return async (record: unknown): Promise<object> => {
    const kept = isObject(record) ? withFields(record, imported, ({ assigned }) => !assigned) : record
    try {
      await judge(kept)
    } catch (error) {
      if (!(error instanceof Problem && error.kind !== 'bodyUnreadable')) throw error
    }
    return withFields(kept as object, imported, ({ isHash }, value) => {
      if (isHash && value !== null)
        throw new Error('A service accepts no hash: import the record into the database instead.')
      return !isHash
    })
  }
}

interface Completion {
  readonly answer: Done<object>
  readonly change: Change
  readonly key: string
}

/**
 * Makes a change that the creation left to be made, unless somebody has changed the item: it may date from an interrupted
 * import, and others may have changed it since.
 */
const complete = async (remote: Remote, { answer: { etag = '*' }, change, key }: Completion) => {
  const request = { method: 'PATCH', ...change, ifMatch: etag, key: `${key} completed` } as const
  const answer = await askRemote(remote, request)
  const isChangedSince = answer.status === 412 || answer.status === 404
  if (!answer.ok && !isChangedSince) throw new CommandFailed(answer.message)
}

/** The API accepts new records, whatever is wrong with them. */
const isNoApi = ({ status }: Failure) => status === 404 || status === 405

/** The refusal has nothing to do with the record, so the others would be refused as well. */
const endsImport = ({ status }: Failure) => status === 403 || status === 429 || status >= 500

const bodyOf = ({ code, message, target, details }: Failure): ErrorBody => ({
  code,
  message,
  ...(target !== undefined && { target }),
  ...(details.length > 0 && { details }),
})

/**
 * The idempotency key of each record: made from the source, the record and how many equal ones precede it, so that a change
 * of other lines, or of their order, leaves it as it is. It is sent only with the record itself, which may hold a password.
 */
const recordKeys = (...ground: readonly string[]) => {
  const seen = scratchTable('seen (text TEXT PRIMARY KEY, times INTEGER NOT NULL)').prepare(
    'INSERT INTO seen VALUES (?, 1) ON CONFLICT DO UPDATE SET times = times + 1 RETURNING times',
  )
  return (record: object): string => {
    const content = digest([JSON.stringify(record)])
    return digest([...ground, content, String(seen.get(content)?.times)])
  }
}

const digest = (parts: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
