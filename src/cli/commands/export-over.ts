import { messageOf } from '#core/cause.ts'
import { columnsOf } from '#core/csv.ts'
import { CommandFailed } from '#src/cli/exit.ts'
import { readArray } from '#src/cli/formats/json-array.ts'
import { askRemote, type Remote, readRemote, unexpectedAnswer } from '#src/cli/remote.ts'

export interface ExportedRecords {
  readonly total: number
  /** The columns of a table. */
  readonly fields: readonly string[]
  readonly batches: AsyncIterable<readonly object[]>
}

interface FirstPage {
  readonly totalElements: number
  readonly content: readonly object[]
}

const batchRecords = 500

/** A consistent snapshot of a running service's list. Its first record determines the columns. */
export const recordsOver = async (remote: Remote, what: string): Promise<ExportedRecords> => {
  const answer = await askRemote<FirstPage>(remote, { method: 'GET', path: `/${what}?page=0&size=1` })
  if (!answer.ok) throw new CommandFailed(answer.message)
  const { totalElements, content } = answer.value ?? {}
  if (!Array.isArray(content)) throw unexpectedAnswer(remote, 'there is no list in its answer')
  return { total: totalElements, fields: columnsOf(content[0] ?? {}), batches: batchesOf(remote, what) }
}

async function* batchesOf(remote: Remote, what: string): AsyncGenerator<readonly object[]> {
  let batch: object[] = []
  try {
    for await (const { text } of readArray(readRemote(remote, `/${what}`))) {
      batch.push(inUtc(JSON.parse(text)))
      if (batch.length < batchRecords) continue
      yield batch
      batch = []
    }
  } catch (error) {
    throw error instanceof CommandFailed ? error : unexpectedAnswer(remote, messageOf(error))
  }
  yield batch
}

/** Times are written in UTC, the form that import accepts, whatever the time zone of the service. */
const inUtc = (record: { readonly createdAt?: string }) =>
  record.createdAt ? { ...record, createdAt: new Date(record.createdAt).toISOString() } : record
