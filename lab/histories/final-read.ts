import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, httpClient } from './client.ts'
import type { Recorder } from './recorder.ts'
import { attempt, prefix, stateOf, type Todo } from './todos.ts'

export interface FinalRead {
  readonly url: string
  readonly recorder: Recorder
  /** Counts the credentials without a member, where the database can be queried. */
  readonly orphans?: () => Promise<number> | number
}

/** A process of its own, which reads everything after the load. */
const finalReader = 1_000_000

/** Waits until the service answers, then records all of its data. */
export const writeEnding = async ({ url, recorder, orphans }: FinalRead) => {
  const client = httpClient(url, 30_000)
  await whenAnswering(client)
  await list(client, recorder)
  await everyRecord(client, recorder)
  await roster(client, recorder)
  if (orphans)
    await recorder.around({ process: finalReader, op: 'audit' }, async () => ({
      type: 'ok',
      value: String(await orphans()),
    }))
  client.close()
}

const whenAnswering = async (client: Client) => {
  for (let attempts = 0; attempts < 300; attempts++) {
    const answer = await client.ask({ method: 'GET', path: `${prefix}/todos?size=1` }).catch(() => undefined)
    if (answer?.status === 200) return
    await sleep(100)
  }
  throw new Error('the service does not answer after the load')
}

const list = async (client: Client, recorder: Recorder) => {
  const requestedNs = recorder.ns()
  for (const todo of await rows<Todo>(client, '/todos'))
    recorder.row({ process: finalReader, op: 'list', key: todo.todoId }, stateOf(todo), requestedNs)
  await recorder.around({ process: finalReader, op: 'list' }, async () => ({ type: 'ok' }))
}

/** Including the deleted ones, which must be gone. */
const everyRecord = async (client: Client, recorder: Recorder) => {
  const keys = new Set(recorder.events.filter(({ op }) => op === 'create').map(({ key }) => key))
  for (const key of keys) {
    if (key === undefined) continue
    await recorder.around({ process: finalReader, op: 'read', key }, async () => {
      const { type, value, error } = await attempt(client, { method: 'GET', path: `${prefix}/todos/${key}` })
      return error === 'absent' ? { type: 'ok', value: null } : { type, value, error }
    })
  }
}

const roster = async (client: Client, recorder: Recorder) => {
  const requestedNs = recorder.ns()
  const members = await rows<{ memberId: string; credential: { signId: string } }>(client, '/members')
  for (const { memberId, credential } of members)
    recorder.row({ process: finalReader, op: 'roster', key: memberId }, credential.signId, requestedNs)
  await recorder.around({ process: finalReader, op: 'roster' }, async () => ({ type: 'ok' }))
}

const rows = async <Row>(client: Client, path: string) => {
  const { status, body } = await client.ask({ method: 'GET', path: `${prefix}${path}` })
  if (status !== 200) throw new Error(`the final list was answered with ${status}: ${body}`)
  return JSON.parse(body) as Row[]
}
