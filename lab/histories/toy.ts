import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** The smallest service that the load can use, correct or with one flaw, to test the checker with. */
export type Flaw =
  | 'none'
  | 'loses records'
  | 'ignores keys'
  | 'ignores versions'
  | 'serves stale reads'
  | 'shares sign ids'
  | 'never frees sign ids'
  | 'performs a DELETE twice'

export const openToy = async (flaw: Flaw) => {
  const toy = new Toy(flaw)
  const server = createServer((request, response) => void toy.answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface StoredTodo {
  readonly todoId: string
  readonly todoTitle: string
  readonly finished: boolean
  readonly version: number
}

type Body = Partial<StoredTodo> & { credential?: { signId: string } }

interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly version?: number
}

class Toy {
  readonly #flaw: Flaw
  readonly #todos = new Map<string, StoredTodo>()
  readonly #before = new Map<string, StoredTodo>()
  readonly #answers = new Map<string, Answer>()
  readonly #members = new Map<string, string>()
  readonly #taken = new Set<string>()
  #next = 1

  constructor(flaw: Flaw) {
    this.#flaw = flaw
  }

  async answer(request: IncomingMessage, response: ServerResponse) {
    const body = await text(request).catch(() => '')
    const key = request.headers['idempotency-key']
    const known =
      typeof key === 'string' && this.#flaw !== 'ignores keys' ? this.#answers.get(key) : undefined
    const reply = known ?? this.#handle(request, body === '' ? {} : JSON.parse(body))
    if (typeof key === 'string') this.#answers.set(key, reply)
    response.statusCode = reply.status
    if (reply.version !== undefined) response.setHeader('etag', `"${reply.version}-j"`)
    response.end(reply.body === undefined ? undefined : JSON.stringify(reply.body))
  }

  #handle(request: IncomingMessage, body: Body): Answer {
    if (this.#flaw === 'performs a DELETE twice' && request.method === 'DELETE') this.#perform(request, body)
    return this.#perform(request, body)
  }

  #perform({ method = '', url = '', headers }: IncomingMessage, body: Body): Answer {
    const [, , , resource, id] = url.split(/[/?]/)
    if (resource === 'members') return this.#member(method, id, body.credential?.signId ?? '')
    if (method === 'POST') return this.#create(body.todoTitle ?? '')
    if (!id || id.startsWith('size')) return { status: 200, body: [...this.#todos.values()] }
    const todo = this.#todos.get(id)
    if (method === 'GET' && this.#flaw === 'serves stale reads' && this.#next++ % 50 === 0)
      return shown(this.#before.get(id) ?? todo)
    if (!todo || method === 'GET') return shown(todo)
    if (method === 'DELETE') return this.#todos.delete(id) ? { status: 204 } : { status: 404 }
    const ifMatch = headers['if-match'] ?? '*'
    if (ifMatch !== '*' && ifMatch !== `"${todo.version}-j"` && this.#flaw !== 'ignores versions')
      return { status: 412 }
    return this.#replace(todo, method === 'PUT' ? { ...todo, finished: true } : { ...todo, ...body })
  }

  #create(todoTitle: string): Answer {
    const todoId = `t${this.#next++}`
    const todo = { todoId, todoTitle, finished: false, version: 1 }
    if (!(this.#flaw === 'loses records' && this.#next % 20 === 0)) this.#todos.set(todoId, todo)
    return { ...shown(todo), status: 201 }
  }

  #replace(todo: StoredTodo, wanted: StoredTodo): Answer {
    if (wanted.todoTitle === todo.todoTitle && wanted.finished === todo.finished) return shown(todo)
    const replaced = { ...wanted, version: todo.version + 1 }
    this.#before.set(todo.todoId, todo)
    this.#todos.set(todo.todoId, replaced)
    return shown(replaced)
  }

  #member(method: string, id: string | undefined, signId: string): Answer {
    if (method === 'GET')
      return { status: 200, body: [...this.#members].map(([memberId, name]) => asMember(memberId, name)) }
    if (method === 'DELETE') {
      const name = this.#members.get(id ?? '')
      if (name && this.#flaw !== 'never frees sign ids') this.#taken.delete(name.toLowerCase())
      return { status: this.#members.delete(id ?? '') ? 204 : 404 }
    }
    const name = this.#flaw === 'shares sign ids' ? signId : signId.toLowerCase()
    if (this.#taken.has(name)) return { status: 409, body: { code: 'e.xx.yy.8001' } }
    this.#taken.add(name)
    const memberId = `m${this.#next++}`
    this.#members.set(memberId, signId)
    return { status: 201, body: asMember(memberId, signId) }
  }
}

const asMember = (memberId: string, signId: string) => ({ memberId, credential: { signId } })

const shown = (todo: StoredTodo | undefined): Answer =>
  todo ? { status: 200, body: todo, version: todo.version } : { status: 404, body: { code: 'e.xx.fw.5001' } }
