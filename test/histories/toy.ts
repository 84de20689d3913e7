import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** The smallest service the load can work on, sound or with one flaw. It is what the checker is tried on. */
export type Flaw =
  | 'none'
  | 'forgets'
  | 'ignores keys'
  | 'ignores versions'
  | 'reads late'
  | 'shares sign ids'
  | 'keeps sign ids'
  | 'hears a DELETE twice'

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

interface Kept {
  readonly todoId: string
  readonly todoTitle: string
  readonly finished: boolean
  readonly version: number
}

type Wanted = Partial<Kept> & { credential?: { signId: string } }

interface Said {
  readonly status: number
  readonly body?: unknown
  readonly version?: number
}

class Toy {
  readonly #flaw: Flaw
  readonly #todos = new Map<string, Kept>()
  readonly #before = new Map<string, Kept>()
  readonly #answers = new Map<string, Said>()
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
    const said = known ?? this.#hear(request, body === '' ? {} : JSON.parse(body))
    if (typeof key === 'string') this.#answers.set(key, said)
    response.statusCode = said.status
    if (said.version !== undefined) response.setHeader('etag', `"${said.version}-j"`)
    response.end(said.body === undefined ? undefined : JSON.stringify(said.body))
  }

  #hear(request: IncomingMessage, body: Wanted): Said {
    if (this.#flaw === 'hears a DELETE twice' && request.method === 'DELETE') this.#say(request, body)
    return this.#say(request, body)
  }

  #say({ method = '', url = '', headers }: IncomingMessage, body: Wanted): Said {
    const [, , , resource, id] = url.split(/[/?]/)
    if (resource === 'members') return this.#member(method, id, body.credential?.signId ?? '')
    if (method === 'POST') return this.#create(body.todoTitle ?? '')
    if (!id || id.startsWith('size')) return { status: 200, body: [...this.#todos.values()] }
    const todo = this.#todos.get(id)
    if (method === 'GET' && this.#flaw === 'reads late' && this.#next++ % 50 === 0)
      return shown(this.#before.get(id) ?? todo)
    if (!todo || method === 'GET') return shown(todo)
    if (method === 'DELETE') return this.#todos.delete(id) ? { status: 204 } : { status: 404 }
    const insists = headers['if-match'] ?? '*'
    if (insists !== '*' && insists !== `"${todo.version}-j"` && this.#flaw !== 'ignores versions')
      return { status: 412 }
    return this.#replace(todo, method === 'PUT' ? { ...todo, finished: true } : { ...todo, ...body })
  }

  #create(todoTitle: string): Said {
    const todoId = `t${this.#next++}`
    const todo = { todoId, todoTitle, finished: false, version: 1 }
    if (!(this.#flaw === 'forgets' && this.#next % 20 === 0)) this.#todos.set(todoId, todo)
    return { ...shown(todo), status: 201 }
  }

  #replace(todo: Kept, wanted: Kept): Said {
    if (wanted.todoTitle === todo.todoTitle && wanted.finished === todo.finished) return shown(todo)
    const replaced = { ...wanted, version: todo.version + 1 }
    this.#before.set(todo.todoId, todo)
    this.#todos.set(todo.todoId, replaced)
    return shown(replaced)
  }

  #member(method: string, id: string | undefined, signId: string): Said {
    if (method === 'GET')
      return { status: 200, body: [...this.#members].map(([memberId, name]) => asMember(memberId, name)) }
    if (method === 'DELETE') {
      const name = this.#members.get(id ?? '')
      if (name && this.#flaw !== 'keeps sign ids') this.#taken.delete(name.toLowerCase())
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

const shown = (todo: Kept | undefined): Said =>
  todo ? { status: 200, body: todo, version: todo.version } : { status: 404, body: { code: 'e.xx.fw.5001' } }
