import { createHash } from 'node:crypto'
import type { Done, Failure } from '#client/answer.ts'
import { newName } from '#client/name.ts'
import type { ErrorBody } from '#http/wire/errors.ts'
import type { Change, Resource } from '#resources/resource.ts'
import { CommandFailed, UsageError } from '#src/cli/exit.ts'
import { note } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import { askRemote, type Remote } from '#src/cli/remote.ts'
import { scratchTable } from '#src/cli/sqlite-file.ts'
import { sentRecords } from './import-sent.ts'
import { type Entry, entriesOf, ReadingStopped, type Source } from './import-source.ts'
import { type Outcome, type Refusals, reasonOf } from './refusals.ts'

interface RemoteImport {
  readonly resource: Resource
  readonly source: Source
  readonly report: Refusals
  readonly options: { readonly dryRun?: true; readonly fromStart?: true }
}

/** The number of concurrent requests. */
const concurrency = 8

/**
 * Creates each record through a running service. Its key makes sure that repeating an import within a day creates no record
 * twice, unless it is repeated from the start.
 */
export const importOver = async (
  remote: Remote,
  { resource, source, report, options }: RemoteImport,
): Promise<Outcome> => {
  if (options.dryRun) throw new UsageError('--dry-run works on a database, not with --url.')
  const { plural: what, imported } = resource
  report.begin(0)
  report.overwrite()
  const outcome = { written: 0, refused: 0, skipped: 0 }
  const sent = sentRecords(resource)
  const keyOf = recordKeys({ what, path: source.path, run: options.fromStart ? newName() : '' })
  using bar = progressBar(`import ${what}`, source.sizeBytes, 'bytes')
  const create = async (entry: Entry): Promise<ErrorBody | undefined> => {
    const record = await sent.read(entry.parse())
    const key = keyOf(record)
    const answer = await askRemote<object>(remote, { method: 'POST', path: `/${what}`, body: record, key })
    if (answer.ok) {
      const change = resource.unsent?.(record, answer.value)
      if (change) await complete(remote, { answer, change, key })
      if (answer.replayed) outcome.skipped++
      else outcome.written++
      return undefined
    }
    if (isNoApi(answer)) throw new CommandFailed(`The API is not at ${remote.base}: ${answer.message}`)
    if (endsImport(answer)) throw new CommandFailed(answer.message)
    return bodyOf(answer)
  }
  const refuse = (entry: Entry, reason: ErrorBody) => {
    outcome.refused++
    report.add(entry, reason)
  }
  const entries = entriesOf(source, imported, (bytes) => bar.advance(bytes))
  /** Returns what is left to do when its turn comes: refused records are reported in the order of the file. */
  const attempt = async (entry: Entry) => {
    const reason = await create(entry).catch(refusalOf)
    return () => reason && refuse(entry, reason)
  }
  await inOrder(entries, attempt).catch((error) => {
    throw error instanceof ReadingStopped ? error.counting(outcome.written + outcome.skipped) : error
  })
  bar.end()
  if (sent.unused.size > 0)
    note(`The service assigns its own ids and times; not used: ${[...sent.unused].join(', ')}.`)
  return outcome
}

/** Attempts several entries at a time, and ends each in their order. After a failure, those that have begun end as well. */
const inOrder = async (entries: AsyncIterable<Entry>, attempt: (entry: Entry) => Promise<() => void>) => {
  const begun: Promise<() => void>[] = []
  const end = async () => (await begun.shift())?.()
  try {
    for await (const entry of entries) {
      const one = attempt(entry)
      // Whoever awaits it later learns of a failure.
      one.catch(() => undefined)
      if (begun.push(one) === concurrency) await end()
    }
    while (begun.length > 0) await end()
  } catch (error) {
    for (const one of await Promise.allSettled(begun)) if (one.status === 'fulfilled') one.value()
    throw error
  }
}

const refusalOf = (error: unknown) => {
  if (error instanceof CommandFailed || error instanceof UsageError) throw error
  return reasonOf(error)
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

/** What the keys of an import have in common. */
type KeyGround = Readonly<Record<'what' | 'path' | 'run', string>>

/**
 * The idempotency key of each record: made from the file, the record and how many equal ones precede it, so that a change
 * of other lines, or of their order, leaves it as it is. It is sent only with the record itself, which may hold a password.
 */
const recordKeys = ({ what, path, run }: KeyGround) => {
  const occurrenceOf = occurrences()
  return (record: object): string => {
    const content = digest([JSON.stringify(record)])
    return digest([what, path, run, content, String(occurrenceOf(content))])
  }
}

const digest = (parts: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/** Counts equal texts: 1 for the first. */
const occurrences = () => {
  const counted = scratchTable('seen (text TEXT PRIMARY KEY, times INTEGER NOT NULL)').prepare(
    'INSERT INTO seen VALUES (?, 1) ON CONFLICT DO UPDATE SET times = times + 1 RETURNING times',
  )
  return (text: string) => Number(counted.get(text)?.times)
}
