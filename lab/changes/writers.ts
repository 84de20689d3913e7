import { randomUUID } from 'node:crypto'
import { type Answer, type Client, NoAnswer, type RequestSpec } from '#lab/histories/client.ts'
import { prefix } from '#lab/histories/todos.ts'
import { newMember, profile } from '#lab/people.ts'
import type { Random } from '#lab/random.ts'
import { type Expected, idOf, type Value, type Write } from './observed.ts'

export interface WriterContext {
  readonly clients: readonly Client[]
  readonly random: Random
  /** The records that all writers use. */
  readonly pools: { readonly todos: string[]; readonly members: string[] }
  readonly written: Write[]
  /** True if a write that is answered with 503 will never be done. */
  readonly isRefusalFinal?: boolean | undefined
}

interface Operation extends RequestSpec {
  readonly type: string
  /** Unknown before a creation. */
  readonly subject?: string
  /** The only field that it changes, if it may have changed nothing. */
  readonly changed?: string
}

/** Parts of titles and names, by which lists are filtered. */
export const titleWords = ['amber', 'birch', 'cedar', 'dune', 'ember']

const maxPool = 40
const maxBatch = 8
const memberEvery = 8
/** Few members are made, because hashing their passwords is slow. */
const hashEvery = 40
const noVersion = { 'If-Match': '"0-none"' }
const takenSignId = 'taken'

/** Writes once: one operation, or a batch of some. Some are refused. */
export const writeOnce = async (writing: WriterContext) => {
  const { random } = writing
  if (random.chance(hashEvery)) return send(writing, [newPerson(random)])
  const count = random.chance(3) ? 2 + random.int(maxBatch - 1) : 1
  const operations = Array.from({ length: count }, () => operation(writing))
  return send(writing, operations, count > 1 ? batch(operations, random.chance(2)) : undefined)
}

/** Sends one operation, or these as one. Returns its track. */
export const send = async (
  { clients, random, pools, written, isRefusalFinal = false }: WriterContext,
  operations: readonly Operation[],
  batched?: RequestSpec,
) => {
  const [first] = operations
  const ask = batched ?? first
  if (!ask) throw new Error('nothing to send')
  const track = `w-${randomUUID()}`
  const begunMs = performance.now()
  const answer = await random
    .pick(clients)
    .ask({ ...ask, headers: { ...ask.headers, 'x-track': track } })
    .catch((error: unknown) => {
      if (error instanceof NoAnswer) return undefined
      throw error
    })
  const status = answer?.status ?? 0
  const notDone = status === 503 && isRefusalFinal ? [] : undefined
  const expected = expectedOf(operations, batched !== undefined, answer) ?? notDone
  const cursor = answer?.headers['change-cursor']?.toString()
  written.push({ track, begunMs, endedMs: performance.now(), status, expected, cursor })
  for (const { type, subject } of expected ?? []) {
    if (type === 'todo.created') pools.todos.push(subject)
    if (type === 'member.created') pools.members.push(subject)
  }
  return track
}

export const newTodo = (random: Random): Operation => ({
  ...{ method: 'POST', path: `${prefix}/todos`, type: 'todo.created' },
  body: { todoTitle: title(random) },
})

const batch = (operations: readonly Operation[], atomic: boolean): RequestSpec => ({
  ...{ method: 'POST', path: `${prefix}/batch` },
  body: {
    atomic,
    operations: operations.map(({ method, path, body, headers }) => ({ method, path, body, headers })),
  },
})

const operation = (writing: WriterContext) =>
  writing.pools.members.length > 0 && writing.random.chance(memberEvery)
    ? memberOperation(writing)
    : todoOperation(writing)

const todoOperation = ({ random, pools: { todos } }: WriterContext): Operation => {
  const die = random.int(100)
  const subject = random.pick(todos)
  if (!subject || die < 20) return newTodo(random)
  const path = `${prefix}/todos/${subject}`
  if (todos.length > maxPool || die < 30) return removal(todos, { path, subject, type: 'todo.deleted' })
  const todo = { path, subject, type: 'todo.updated' }
  if (die < 36) return { ...todo, method: 'PUT', changed: 'finished' }
  const patch = { ...todo, method: 'PATCH' }
  if (die < 40) return { ...patch, body: { todoTitle: '' } }
  const body = { todoTitle: title(random), finished: random.chance(2) }
  return die < 44 ? { ...patch, body, headers: noVersion } : { ...patch, body }
}

/** Some ask for a sign id that is taken. */
const newPerson = (random: Random): Operation => {
  const signId = random.chance(4) ? takenSignId : randomUUID()
  const body = { ...newMember(signId, 'a password'), ...changing(random) }
  return { method: 'POST', path: `${prefix}/members`, type: 'member.created', body }
}

const changing = (random: Random) => ({
  lastName: random.pick(titleWords),
  genderCode: String(random.int(3)),
  address: randomUUID(),
})

const memberOperation = ({ random, pools: { members } }: WriterContext): Operation => {
  const subject = random.pick(members)
  const path = `${prefix}/members/${subject}`
  if (random.chance(8)) return removal(members, { path, subject, type: 'member.deleted' })
  const [method, body] = random.chance(2)
    ? ['PUT', { ...profile, ...changing(random) }]
    : ['PATCH', { address: randomUUID() }]
  return { method, path, body, subject, type: 'member.updated' }
}

const removal = (
  pool: string[],
  { path, subject, type }: { path: string; subject: string; type: string },
) => {
  const at = pool.indexOf(subject)
  if (at >= 0) pool.splice(at, 1)
  return { method: 'DELETE', path, subject, type }
}

const title = (random: Random) => `${random.pick(titleWords)} ${random.bytes(8).toString('hex')}`

/** Undefined if the answer does not tell. */
const expectedOf = (
  operations: readonly Operation[],
  isBatch: boolean,
  answer: Answer | undefined,
): readonly Expected[] | undefined => {
  if (!answer || answer.status >= 500) return undefined
  if (answer.status >= 400) return []
  const body = answer.body === '' ? undefined : JSON.parse(answer.body)
  const answers: readonly { status: number; body?: Value }[] = isBatch
    ? body.responses
    : [{ status: answer.status, body }]
  if (answers.some(({ status }) => status >= 500)) return undefined
  return operations.flatMap(({ type, subject, changed }, at) => {
    const { status, body } = answers[at] ?? { status: 0 }
    if (status < 200 || status >= 300) return []
    const value = type.endsWith('.deleted') ? null : body
    return [{ type, subject: subject ?? idOf(value ?? null), value, changed }]
  })
}
