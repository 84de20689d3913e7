import type { Random } from '#lab/random.ts'
import type { Access, Caller, OwnLogin } from './access.ts'
import { anyBody, gzipOrBroken } from './bodies.ts'
import { headerValues, methods, oddIds, oddPaths, queryNames, queryValues } from './materials.ts'

export interface FuzzRequest {
  /** The name under which the response is counted. */
  readonly route: string
  readonly method: string
  readonly target: string
  readonly bytes: Buffer
  /** Malformed as HTTP: the response, if any, is judged once, then the connection is dropped. */
  readonly isBroken: boolean
  readonly caller: Caller
}

/** What a session has created and has not yet seen deleted. */
export interface Memory {
  own?: OwnLogin
  readonly todos: string[]
  readonly members: string[]
  readonly tags: string[]
}

const usual: Readonly<Record<string, readonly string[]>> = {
  '/todos': ['GET', 'POST', 'POST', 'HEAD', 'OPTIONS'],
  '/todos/{id}': ['GET', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'HEAD'],
  '/members': ['GET', 'POST', 'POST', 'HEAD'],
  '/members/{id}': ['GET', 'PUT', 'PUT', 'PATCH', 'PATCH', 'DELETE'],
  '/members/{id}/credential': ['PUT', 'PUT', 'OPTIONS'],
}

export const anyRequest = (random: Random, memory: Memory, access: Access): FuzzRequest => {
  const route = random.pick(Object.keys(usual))
  const method = random.chance(8) ? random.pick(methods) : random.pick(usual[route] ?? methods)
  const isOdd = random.chance(25)
  const target = isOdd ? random.pick(oddPaths) : `/api/v1${path(random, route, memory)}${query(random)}`
  const fields = new Map<string, string>([['Host', '127.0.0.1']])
  const hasBody =
    ['POST', 'PATCH'].includes(method) ||
    (method === 'PUT' && !route.startsWith('/todos')) ||
    random.chance(15)
  const body = hasBody ? sentBody(random, { route, method, fields }) : Buffer.alloc(0)
  for (let i = random.int(4); i > 0; i -= 1) {
    const name = random.pick(Object.keys(headerValues))
    if (name !== 'Content-Type' || random.chance(4)) fields.set(name, header(random, name, memory))
  }
  const caller = access.anyCaller(random, memory.own)
  const framed = framing(random, body, hasBody)
  const head = `${method} ${target} HTTP/1.1\r\n${lines(fields)}${caller.lines}${framed.head}\r\n`
  const whole = Buffer.concat([Buffer.from(head, 'utf8'), framed.body])
  const common = { method, target, caller }
  const label = isOdd ? 'odd paths' : route
  return random.chance(25)
    ? { ...common, route: 'broken HTTP', bytes: broken(random, whole), isBroken: true }
    : { ...common, route: label, bytes: whole, isBroken: false }
}

/** A valid request. */
export const plainRequest = (line: string, caller: Caller, body?: unknown): FuzzRequest => {
  const [method = '', path = ''] = line.split(' ')
  const text = body === undefined ? '' : JSON.stringify(body)
  const content = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
  const head = `${method} /api/v1${path} HTTP/1.1\r\nHost: x\r\n${caller.lines}${text && content}\r\n`
  const bytes = Buffer.from(head + text)
  return { route: 'plain', method, target: `/api/v1${path}`, bytes, isBroken: false, caller }
}

const path = (random: Random, route: string, memory: Memory): string => {
  const mine = route.startsWith('/todos') ? memory.todos : memory.members
  const known = random.pick([...mine, ''])
  const id = known !== '' && !random.chance(10) ? known : random.pick(oddIds)
  const suffix = random.chance(8) ? random.pick(['.json', '.xml', '.yaml', '.', '.JSON']) : ''
  return route.replace('{id}', id) + suffix
}

const query = (random: Random): string => {
  if (!random.chance(3)) return ''
  const pairs = Array.from(
    { length: 1 + random.int(4) },
    () => `${random.pick(queryNames)}=${random.pick(queryValues)}`,
  )
  return `?${pairs.join(random.pick(['&', '&', '&', ';', '&&']))}`
}

const header = (random: Random, name: string, memory: Memory): string => {
  if (name.startsWith('If-') && memory.tags.length > 0 && random.chance(2)) return random.pick(memory.tags)
  return random.pick(headerValues[name] ?? [''])
}

interface Place {
  readonly route: string
  readonly method: string
  readonly fields: Map<string, string>
}

const sentBody = (random: Random, { route, method, fields }: Place): Buffer => {
  const { bytes, type } = anyBody(random, route, method)
  fields.set('Content-Type', type)
  if (!random.chance(12)) return bytes
  fields.set('Content-Encoding', 'gzip')
  return gzipOrBroken(random, bytes)
}

const framing = (random: Random, body: Buffer, hasBody: boolean): { head: string; body: Buffer } => {
  if (!hasBody) return { head: '', body }
  if (!random.chance(6)) return { head: `Content-Length: ${body.length}\r\n`, body }
  const at = random.int(body.length + 1)
  const pieces = [body.subarray(0, at), body.subarray(at)].filter((piece) => piece.length > 0)
  const chunked = pieces.flatMap((piece) => [
    Buffer.from(`${piece.length.toString(16)}\r\n`),
    piece,
    Buffer.from('\r\n'),
  ])
  return {
    head: 'Transfer-Encoding: chunked\r\n',
    body: Buffer.concat([...chunked, Buffer.from('0\r\n\r\n')]),
  }
}

const lines = (fields: ReadonlyMap<string, string>): string =>
  [...fields].map(([name, value]) => `${name}: ${value}\r\n`).join('')

/** Ways to break a request: its text becomes another. */
const breakages: readonly ((text: string, random: Random) => string)[] = [
  (text, random) =>
    text.replace('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTP', 'http/1.1', ''])),
  (text, random) =>
    text.replace(
      'Host: 127.0.0.1\r\n',
      random.pick(['', 'Host: a\r\nHost: b\r\n', 'Host:\r\n', 'Host: a b\r\n', 'Host: [\r\n']),
    ),
  (text, random) =>
    text.replace('\r\n', random.pick(['\n', '\r', '\r\n\r\n', '\0\r\n', '\r\n ', '\r\n:\r\n', '\r\nx\r\n'])),
  (text, random) =>
    text.replace(
      '\r\n',
      `\r\nContent-Length:${random.pick([' 5', ' -1', ' 1e3', ' 99999999999999999999', ''])}\r\n`,
    ),
  (text, random) => {
    const coding = random.pick(['chunked', 'gzip, chunked', 'identity', 'chunked, chunked', 'x'])
    return text.replace('\r\n', `\r\nTransfer-Encoding: ${coding}\r\n`)
  },
  (text, random) => text.slice(0, random.int(text.length + 1)),
  (_, random) => `${random.bytes(1 + random.int(300)).toString('latin1')}\r\n\r\n`,
  (text, random) => {
    const many = `X-Many: y\r\n${'X-A: b\r\n'.repeat(random.pick([10, 150, 3000]))}`
    return text.replace('\r\n\r\n', () => `\r\n${many}\r\n`)
  },
  (text, random) =>
    `${text.split(' ')[0]} ${'/x'.repeat(random.pick([4500, 9000, 40_000]))} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (_, random) => {
    const target = random.pick(['example.com:443', '127.0.0.1:1', '/api/v1/todos', ''])
    return `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`
  },
  (text, random) => {
    const chunks = [
      'zz\r\n',
      '5\r\nab',
      'ffffffffffffffffff\r\n',
      '-1\r\n',
      '1;x\r\na\r\n0\r\n\r\n',
      '0\r\nX: y\r\n\r\n',
    ]
    return text.replace(
      /\r\n\r\n[\s\S]*/,
      () => `\r\nTransfer-Encoding: chunked\r\n\r\n${random.pick(chunks)}`,
    )
  },
  (text) => `${text}${text}GET / HTTP/1.1\r\nConnection: close\r\n\r\n`,
]

const broken = (random: Random, whole: Buffer): Buffer =>
  Buffer.from(random.pick(breakages)(whole.toString('latin1'), random), 'latin1')
