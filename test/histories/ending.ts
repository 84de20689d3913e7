import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, httpClient } from './client.ts'
import type { Recorder } from './recorder.ts'
import { attempt, prefix, stateOf, type Todo } from './todos.ts'

export interface Ending {
  readonly url: string
  readonly recorder: Recorder
  /** Counts the credentials that have no member, where the database can be asked. */
  readonly orphans?: () => Promise<number> | number
}

/** A process of its own looks at everything when the load is over. */
const last = 1_000_000

/** Waits until the service answers, then writes down what is there. */
export const writeEnding = async ({ url, recorder, orphans }: Ending) => {
  const client = httpClient(url, 30_000)
  await whenAnswering(client)
  await list(client, recorder)
  await everyRecord(client, recorder)
  await roster(client, recorder)
  if (orphans)
    await recorder.around({ process: last, op: 'audit' }, async () => ({
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
  const askedNs = recorder.ns()
  for (const todo of await rows<Todo>(client, '/todos'))
    recorder.row({ process: last, op: 'list', key: todo.todoId }, stateOf(todo), askedNs)
  await recorder.around({ process: last, op: 'list' }, async () => ({ type: 'ok' }))
}

/** Also those that were deleted: they must be gone. */
const everyRecord = async (client: Client, recorder: Recorder) => {
  const keys = new Set(recorder.events.filter(({ op }) => op === 'create').map(({ key }) => key))
  for (const key of keys) {
    if (key === undefined) continue
    await recorder.around({ process: last, op: 'read', key }, async () => {
      const { type, value, error } = await attempt(client, { method: 'GET', path: `${prefix}/todos/${key}` })
      return error === 'absent' ? { type: 'ok', value: null } : { type, value, error }
    })
  }
}

const roster = async (client: Client, recorder: Recorder) => {
  const askedNs = recorder.ns()
  const members = await rows<{ memberId: string; credential: { signId: string } }>(client, '/members')
  for (const { memberId, credential } of members)
    recorder.row({ process: last, op: 'roster', key: memberId }, credential.signId, askedNs)
  await recorder.around({ process: last, op: 'roster' }, async () => ({ type: 'ok' }))
}

const rows = async <Row>(client: Client, path: string) => {
  const { status, body } = await client.ask({ method: 'GET', path: `${prefix}${path}` })
  if (status !== 200) throw new Error(`the list at the end was answered ${status}: ${body}`)
  return JSON.parse(body) as Row[]
}
