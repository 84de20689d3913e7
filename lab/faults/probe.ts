import { type Client, httpClient, NoAnswer } from '#lab/histories/client.ts'
import { prefix } from '#lab/histories/todos.ts'

export interface ProbeAnswer {
  /** 0 if there was no answer. */
  readonly status: number
  readonly code: string | undefined
  readonly retryAfter: string | undefined
  readonly ms: number
  readonly todoId: string | undefined
}

export type Probe = ReturnType<typeof probe>

/** Sends single requests, and remembers what was acknowledged. */
export const probe = (url: string, timeoutMs = 20_000) => {
  const client = httpClient(url, timeoutMs)
  const created: string[] = []
  return {
    /** The ids of all acknowledged records. */
    created,
    read: () => ask(client, 'GET', '/todos?size=1'),
    readOne: (todoId: string) => ask(client, 'GET', `/todos/${todoId}`),
    async write(): Promise<ProbeAnswer> {
      const answer = await ask(client, 'POST', '/todos')
      if (answer.status === 201 && answer.todoId) created.push(answer.todoId)
      return answer
    },
    close: () => client.close(),
  }
}

const ask = async (client: Client, method: string, path: string): Promise<ProbeAnswer> => {
  const startedAt = performance.now()
  const body = method === 'POST' ? { body: { todoTitle: 'probe' } } : {}
  try {
    const answer = await client.ask({ method, path: `${prefix}${path}`, ...body })
    const content = answer.body === '' ? {} : (JSON.parse(answer.body) as { code?: string; todoId?: string })
    return {
      status: answer.status,
      code: content.code,
      retryAfter: answer.headers['retry-after']?.toString(),
      ms: performance.now() - startedAt,
      todoId: content.todoId,
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return {
      status: 0,
      code: error.message,
      retryAfter: undefined,
      ms: performance.now() - startedAt,
      todoId: undefined,
    }
  }
}

/** Complaints about answers other than the 503 that a write must get while the storage is unavailable. */
export const complaintsAboutAnswers = (answers: readonly ProbeAnswer[]) =>
  answers
    .filter(({ status, code, retryAfter }) => status !== 503 || code !== 'e.xx.fw.9002' || !retryAfter)
    .map(({ status, code }) => `a write was answered ${status} ${code ?? ''}`)

/** Repeats the request until it gets this status, and returns how long that took. */
export const until = async (ask: () => Promise<ProbeAnswer>, status: number, limitMs = 20_000) => {
  const startedAt = performance.now()
  for (;;) {
    const answer = await ask()
    const ms = Math.round(performance.now() - startedAt)
    if (answer.status === status) return ms
    if (ms > limitMs)
      throw new Error(`not answered ${status} in ${limitMs} ms, but ${answer.status} ${answer.code}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The acknowledged records that no longer exist. */
export const missing = async (one: Probe, ids: readonly string[]) => {
  const gone: string[] = []
  for (const id of ids) if ((await one.readOne(id)).status !== 200) gone.push(id)
  return gone
}
