import { randomUUID } from 'node:crypto'
import type { Client } from './client.ts'
import { absent } from './event.ts'
import type { End, Recorder } from './recorder.ts'
import { attempt, prefix, type SeenEnd, titleOf } from './todos.ts'

export interface ProcessContext {
  readonly process: number
  readonly recorder: Recorder
  readonly random: () => number
  /** The instance for the next request. */
  readonly client: () => Client
  /** The records that all processes use, and how often each was used. */
  readonly pool: Map<string, number>
  /** Distinguishes the titles of this run from those of others. */
  readonly run: string
  readonly stopped: AbortSignal
  readonly mayRepeat: boolean
}

const poolSize = 12

/** A record is retired after this many uses, so that its history stays small enough to search. */
const usesPerRecord = 80

const attemptsPerCreate = 20

let written = 0

/** A process that works on todos: every call is one operation, except that a cas is preceded by its read. */
export const todoOps = (acting: ProcessContext) => {
  const { random, pool } = acting
  return async () => {
    const key = [...pool.keys()][Math.floor(random() * pool.size)]
    if (key === undefined || pool.size < poolSize || random() < 0.05) return create(acting)
    use(pool, key)
    const die = random()
    if (die < 0.4) return conclusive(await read(acting, key))
    if (die < 0.62) return conclusive(await write(acting, key))
    if (die < 0.86) return readAndReplace(acting, key)
    if (die < 0.95) return conclusive(await finishOrDelete(acting, 'finish', key))
    pool.delete(key)
    return conclusive(await finishOrDelete(acting, 'delete', key))
  }
}

/** If a DELETE may have been repeated, a 404 does not tell whether the first one found the record. */
export const endOfRemoval = ({ mayRepeat }: ProcessContext, end: End): End =>
  mayRepeat && end.type === 'fail' && end.error === absent ? { ...end, type: 'info' } : end

/** True if the answer tells the state of the record. */
const conclusive = ({ type, error }: SeenEnd) =>
  type === 'ok' || (type === 'fail' && (error === 'absent' || error === 'changed'))

const use = (pool: Map<string, number>, key: string) => {
  const uses = (pool.get(key) ?? 0) + 1
  if (uses > usesPerRecord) pool.delete(key)
  else pool.set(key, uses)
}

const newValue = ({ run, process }: ProcessContext) => `${run}-${process}-${++written}/0`

/** Repeats the request, with the same key, until the outcome is known. */
const create = async (acting: ProcessContext) => {
  const { recorder, process, random, pool } = acting
  const value = newValue(acting)
  const headers = { 'idempotency-key': randomUUID() }
  const attemptOnce = () => post(acting, value, headers)
  const end = await recorder.around({ process, op: 'create', value }, () =>
    retry(attemptOnce, acting.stopped),
  )
  if (end.type !== 'ok' || !end.key) return false
  pool.set(end.key, 0)
  if (random() < 0.1) await recorder.around({ process, op: 'repeat', value }, attemptOnce)
  return true
}

const post = async (
  { client }: ProcessContext,
  value: string,
  headers: Record<string, string>,
): Promise<SeenEnd> => {
  const body = { todoTitle: titleOf(value) }
  const { type, key, error } = await attempt(client(), {
    method: 'POST',
    path: `${prefix}/todos`,
    body,
    headers,
  })
  return { type, key, error }
}

/** After an unknown outcome, later refusals leave it unknown too: the first request may have succeeded. */
const retry = async (attemptOnce: () => Promise<SeenEnd>, stopped: AbortSignal): Promise<SeenEnd> => {
  let unknown = false
  for (let attempts = 1; ; attempts++) {
    const end = await attemptOnce()
    if (end.type === 'ok') return end
    unknown ||= end.type === 'info'
    if (attempts >= attemptsPerCreate || (stopped.aborted && attempts > 3))
      return { ...end, type: unknown ? 'info' : 'fail' }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const read = async ({ recorder, process, client }: ProcessContext, key: string): Promise<SeenEnd> => {
  const one = client()
  return recorder.around({ process, op: 'read', key, instance: one.base }, async () => {
    const end = await attempt(one, { method: 'GET', path: `${prefix}/todos/${key}` })
    return end.type === 'fail' && end.error === 'absent' ? { type: 'ok', value: null } : withoutKey(end)
  })
}

const write = (acting: ProcessContext, key: string) => {
  const value = newValue(acting)
  return patch(acting, { key, value, op: 'write', headers: { 'idempotency-key': randomUUID() } })
}

const readAndReplace = async (acting: ProcessContext, key: string) => {
  const { value: from, etag } = await read(acting, key)
  if (!from || !etag) return false
  const headers = { 'if-match': etag }
  return conclusive(await patch(acting, { key, value: newValue(acting), op: 'cas', from, headers }))
}

interface Patch {
  readonly key: string
  readonly value: string
  readonly op: 'write' | 'cas'
  readonly from?: string
  readonly headers: Readonly<Record<string, string>>
}

const patch = ({ recorder, process, client }: ProcessContext, { key, value, op, from, headers }: Patch) => {
  const one = client()
  const body = { todoTitle: titleOf(value), finished: false }
  return recorder.around({ process, op, key, value, from, instance: one.base }, async () =>
    withoutKey(await attempt(one, { method: 'PATCH', path: `${prefix}/todos/${key}`, body, headers })),
  )
}

const finishOrDelete = (acting: ProcessContext, op: 'finish' | 'delete', key: string) => {
  const { recorder, process, client } = acting
  const one = client()
  const method = op === 'finish' ? 'PUT' : 'DELETE'
  return recorder.around({ process, op, key, instance: one.base }, async () => {
    const end = withoutKey(await attempt(one, { method, path: `${prefix}/todos/${key}` }))
    return op === 'delete' ? endOfRemoval(acting, end) : end
  })
}

/** Without the key, which for an operation on a record is known from its invoke. */
const withoutKey = ({ type, value, error, etag }: SeenEnd): SeenEnd => ({ type, value, error, etag })
