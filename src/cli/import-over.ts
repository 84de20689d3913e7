import type { ErrorBody } from '#http/errors.ts'
import { resources } from '#resources/index.ts'
import { Failed, WrongUse } from './exit.ts'
import { type Entry, entriesOf, placeOf, type Source } from './import-source.ts'
import { progressBar } from './progress.ts'
import type { Outcome, Refusals } from './refusals.ts'
import { askRemote, type Remote, type RemoteAnswer } from './remote.ts'

interface RemoteImport {
  readonly what: string
  readonly source: Source
  readonly report: Refusals
  readonly dryRun: boolean
}

/** So many are on their way at a time. */
const atOnce = 8

/**
 * Creates each record at a running service. The key of each request is made of the file and the place in it, so what was
 * created before is not created twice within a day.
 */
export const importOver = async (
  remote: Remote,
  { what, source, report, dryRun }: RemoteImport,
): Promise<Outcome> => {
  if (dryRun) throw new WrongUse('--dry-run works on a database, not with --url.')
  const outcome = { written: 0, refused: 0, skipped: 0 }
  const bar = progressBar(`import ${what}`, source.sizeBytes, 'bytes')
  const create = async (entry: Entry) => {
    const record = withoutHash(entry.parse())
    const answer = await askRemote(remote, {
      method: 'POST',
      path: `/${what}`,
      body: record,
      headers: { 'Idempotency-Key': `${source.identity} ${placeOf(entry)}` },
    })
    if (answer.status === 201 && isFinished(record)) await finish(remote, what, answer)
    if (answer.headers.get('idempotent-replayed') === 'true' && answer.status === 201) outcome.skipped++
    else if (answer.status === 201) outcome.written++
    else if (answer.status === 401 || answer.status === 403 || answer.status >= 500)
      throw refusedAll(answer.body)
    else {
      outcome.refused++
      report.tell(entry, answer.body as ErrorBody)
    }
  }
  const entries = entriesOf(source, schemaOf(what), bar)[Symbol.asyncIterator]()
  await Promise.all(Array.from({ length: atOnce }, () => work(entries, create, { outcome, report })))
  bar.end()
  return outcome
}

const work = async (
  entries: AsyncIterator<Entry>,
  create: (entry: Entry) => Promise<void>,
  { outcome, report }: { outcome: Outcome; report: Refusals },
) => {
  for (let next = await entries.next(); !next.done; next = await entries.next()) {
    try {
      await create(next.value)
    } catch (error) {
      if (error instanceof Failed || error instanceof WrongUse) throw error
      outcome.refused++
      report.tell(next.value, { code: 'e.xx.fw.7003', message: (error as Error).message })
    }
  }
}

const isFinished = (record: unknown) => (record as { finished?: unknown } | null)?.finished === true

const idOf = (body: unknown) => (body as { todoId?: string }).todoId

/**
 * Every todo is created open, and finished while nobody has changed it since: it may have been created by an import that
 * was cut off, and others have done with it what they liked.
 */
const finish = async (remote: Remote, what: string, { body, headers }: RemoteAnswer) => {
  const created = headers.get('etag') ?? '*'
  const path = `/${what}/${idOf(body)}`
  const answer = await askRemote(remote, { method: 'PUT', path, headers: { 'If-Match': created } })
  const isChangedSince = answer.status === 412 || answer.status === 404
  if (answer.status !== 200 && !isChangedSince) throw refusedAll(answer.body)
}

const refusedAll = (body: unknown) =>
  new Failed((body as ErrorBody | undefined)?.message ?? 'The service refused.')

/** A service takes no hash from outside: where only the hash is there, the record is refused with that reason. */
const withoutHash = (record: unknown) => {
  const credential = (record as { credential?: Record<string, unknown> } | null)?.credential
  if (credential?.passwordHash === undefined || credential.passwordHash === null) return record
  throw new Error('A service takes no password hash: import it into the database instead.')
}

const schemaOf = (what: string) => {
  if (!resources.some(({ name }) => `${name}s` === what))
    throw new WrongUse(`There are no ${what}: say ${resources.map(({ name }) => `${name}s`).join(' or ')}.`)
  return { properties: { finished: { type: 'boolean' } } }
}
