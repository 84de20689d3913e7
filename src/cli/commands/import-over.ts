import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Failure } from '#client/answer.ts'
import { baseOf } from '#client/calling.ts'
import { rollcall } from '#client/index.ts'
import { newName } from '#client/name.ts'
import type { BatchOperation, BatchResponse } from '#client/types.ts'
import { systemClock } from '#core/clock.ts'
import { Problem } from '#core/problem.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import type { ErrorBody } from '#http/wire/errors.ts'
import type { Resource } from '#resources/resource.ts'
import { CommandFailed, UsageError } from '#src/cli/exit.ts'
import { isObject, withFields } from '#src/cli/formats/fields.ts'
import type { Entry } from '#src/cli/formats/reading.ts'
import { connection, failed, longestPauseMs, type Remote, retries } from '#src/cli/remote.ts'
import { scratchTable } from '#src/cli/sqlite-file.ts'
import type { Destination, Task } from './import.ts'
import { reasonOf } from './import-report.ts'

/** As many as a batch may hold. */
const batchSize = 100

/** Every path of an operation begins with it. */
const prefix = baseOf('')

/**
 * Creates records through a running service, a batch at a time. The key of each makes sure that repeating an import within a
 * day creates no record twice, however its lines have moved, unless it is repeated from the start.
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
  const creationOf = async (entry: Entry) => {
    const whole = entry.parse() as object
    const body = await sent(whole)
    const key = keyOf(body)
    return { whole, key, operation: operation({ method: 'POST', path: `/${what}`, key, body }) }
  }
  return {
    batchSize,
    before: { written: 0, refused: 0, skipped: 0 },
    async write(batch) {
      const counts = { written: 0, refused: 0, skipped: 0 }
      const judged = []
      for (const entry of batch) judged.push(await creationOf(entry).catch(reasonOf))
      const creations = judged.flatMap((one) => ('operation' in one ? [one.operation] : []))
      const responses = (await performed(remote, creations)).values()
      const completions: BatchOperation[] = []
      for (const [at, one] of judged.entries()) {
        const { value: response } = 'operation' in one ? responses.next() : { value: undefined }
        if (!('operation' in one) || !response || response.status >= 300) {
          counts.refused++
          report.add(batch[at] as Entry, (response ? response.body : one) as ErrorBody)
          continue
        }
        const { headers, body } = response
        counts[headers['Idempotent-Replayed'] ? 'skipped' : 'written']++
        const change = resource.unsent?.(one.whole, body ?? {})
        const sent = { key: `${one.key} completed`, ifMatch: headers.ETag ?? '*' }
        if (change) completions.push(operation({ method: 'PATCH', ...change, ...sent }))
      }
      // Others may have changed an item since an interrupted import created it: then it stays as it is.
      const isDone = ({ status }: BatchResponse) => status < 300 || status === 412 || status === 404
      const failed = (await performed(remote, completions)).find((response) => !isDone(response))
      if (failed) throw new CommandFailed((failed.body as ErrorBody).message)
      return counts
    },
    end: async () => undefined,
    whenInterrupted: isFromStart
      ? 'What is created stays. An import with --from-start cannot be resumed.'
      : 'What is created stays. Run it again within 24 hours: no record is created twice.',
  }
}

interface Sending {
  readonly method: BatchOperation['method']
  readonly path: string
  readonly key: string
  readonly body: object
  readonly ifMatch?: string
}

const operation = ({ method, path, key, body, ifMatch }: Sending): BatchOperation => ({
  method,
  path: prefix + path,
  headers: { 'Idempotency-Key': key, ...(ifMatch !== undefined && { 'If-Match': ifMatch }) },
  body,
})

/** Has the service perform operations, again and again those for which it asks to wait, in halves if they are too long together. */
const performed = async (
  remote: Remote,
  operations: readonly BatchOperation[],
  tries = 1,
): Promise<readonly BatchResponse[]> => {
  if (operations.length === 0) return []
  const { batches } = rollcall(remote.base, connection(remote))
  const answer = await batches.create({ atomic: false, operations })
  if (!answer.ok) return tooLong(remote, operations, answer)
  const { responses } = answer.value
  // A rate limit, or another import that is creating the same record.
  const later = responses.flatMap(({ headers }, at) => (headers['Retry-After'] ? [at] : []))
  const refusal = responses.find(({ status, headers }) => status === 403 || headers['Retry-After'])
  if (!refusal) return responses
  const waitMs = Number(refusal.headers['Retry-After'] ?? Number.POSITIVE_INFINITY) * 1_000
  const triesNow = later.length < operations.length ? 1 : tries + 1
  if (waitMs > longestPauseMs || triesNow > retries)
    throw new CommandFailed((refusal.body as ErrorBody).message)
  await sleep(waitMs)
  const left = later.map((at) => operations[at] as BatchOperation)
  const again = await performed(remote, left, triesNow)
  return responses.map((response, at) => again[later.indexOf(at)] ?? response)
}

const tooLong = async (remote: Remote, operations: readonly BatchOperation[], answer: Failure) => {
  const { status, message, code } = answer
  const isOurs = code.startsWith('e.')
  if (isOurs && (status === 404 || status === 405))
    throw new CommandFailed(`The API is not at ${remote.base}: ${message}`)
  if (!isOurs || status !== 413) throw failed(remote, answer)
  if (operations.length === 1) return [{ status, headers: {}, body: bodyOf(answer) }]
  const half = Math.ceil(operations.length / 2)
  const first = await performed(remote, operations.slice(0, half))
  return [...first, ...(await performed(remote, operations.slice(half)))]
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
