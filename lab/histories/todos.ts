import { type Answer, type Client, NoAnswer, type RequestSpec } from './client.ts'
import { absent, changed } from './event.ts'
import type { End } from './recorder.ts'

export const prefix = '/api/v1'

export interface Todo {
  readonly todoId: string
  readonly todoTitle: string
  readonly finished: boolean
}

/** The part of a todo that is compared. */
export const stateOf = ({ todoTitle, finished }: Todo) => `${todoTitle}/${finished ? 1 : 0}`

export const titleOf = (value: string) => value.slice(0, -2)

export interface SeenEnd extends End {
  readonly etag?: string | undefined
}

/** Tells if the operation was done, was not done, or may have been done. */
export const attempt = async (
  client: Client,
  ask: RequestSpec,
  read: (answer: Answer) => SeenEnd = shown,
): Promise<SeenEnd> => {
  try {
    return judged(await client.ask(ask), read)
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return { type: error.sent ? 'info' : 'fail', error: error.message }
  }
}

/** Any other status is a mistake of the load or of the service, and stops the load. */
const judged = (answer: Answer, read: (answer: Answer) => SeenEnd): SeenEnd => {
  const { status, body } = answer
  if (status === 204) return { type: 'ok', value: null }
  if (status === 200 || status === 201) return read(answer)
  if (status === 404) return { type: 'fail', error: absent }
  if (status === 412) return { type: 'fail', error: changed }
  if (status === 409) return { type: 'fail', error: codeOf(body) }
  if (status === 429) return { type: 'fail', error: 'too many' }
  if (status >= 500) return { type: 'info', error: `${status} ${codeOf(body)}` }
  throw new Error(`unexpected answer ${status}: ${body}`)
}

const shown = ({ body, headers }: Answer): SeenEnd => {
  const todo = JSON.parse(body) as Todo
  return { type: 'ok', key: todo.todoId, value: stateOf(todo), etag: String(headers.etag) }
}

const codeOf = (body: string) => {
  try {
    return (JSON.parse(body) as { code?: string }).code ?? 'no code'
  } catch {
    return 'no body'
  }
}
