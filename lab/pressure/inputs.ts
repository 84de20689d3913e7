import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { startService } from './service.ts'

const times = Number(process.env.PRESSURE_TIMES ?? 50)
const limitMs = 20

const mebibyte = 1_048_576
const filled = (piece: string, sizeBytes: number) => piece.repeat(Math.floor(sizeBytes / piece.length))

const body = (type: string, content: string | Buffer, more = '', line = 'POST /api/v1/todos') => {
  const bytes = Buffer.from(content as string)
  const head = `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${more}Content-Length: ${bytes.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}
const json = (text: string) => body('application/json', text)
const xml = (text: string) => body('application/xml', text)
const get = (target: string, fields = '') => Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`)
const field = (name: string, piece: string) => get('/api/v1/todos/x', `${name}: ${filled(piece, 15_000)}\r\n`)

const maxLength = mebibyte - 200

/** The worst known inputs of each kind. */
const inputs: Readonly<Record<string, Buffer>> = {
  'a small request': get('/api/v1/todos/x'),
  'JSON, 100,000 nested arrays': json(`${'['.repeat(1e5)}${']'.repeat(1e5)}`),
  'JSON, 100,000 nested objects': json(`${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`),
  'JSON, one string of 1 MiB': json(`{"todoTitle":"${'x'.repeat(maxLength)}"}`),
  'JSON, 1 MiB of escapes': json(`{"todoTitle":"${filled('\\u0061', maxLength)}"}`),
  'JSON, 1 MiB of names': json(`{${Array.from({ length: 95_000 }, (_, at) => `"n${at}":1`).join()}}`),
  'JSON, 1 MiB of the same name': json(`{${filled('"a":1,', maxLength)}"a":1}`),
  'JSON, 1 MiB of numbers': json(`[${filled('1e9,', maxLength)}1]`),
  'JSON, one number of 1 MiB': json(`{"todoTitle":${'9'.repeat(maxLength)}}`),
  'JSON, 1 MiB of spaces': json(`${' '.repeat(maxLength)}{}`),
  'JSON, 1 MiB of newlines': json(`${'\n'.repeat(maxLength)}x`),
  'JSON, 1 MiB of newlines in an object': json(`{${'\n'.repeat(maxLength)}"a" x`),
  'JSON, one name of 1 MiB of emoji': json(`{"${filled('😀', maxLength / 2)}" x`),
  'JSON, 1 MiB of nulls in a merge patch': body(
    'application/merge-patch+json',
    `{${Array.from({ length: 70_000 }, (_, at) => `"n${at}":null`).join()}}`,
    '',
    'PATCH /api/v1/members/x',
  ),
  'XML, 100,000 nested elements': xml(`${'<a>'.repeat(1e5)}${'</a>'.repeat(1e5)}`),
  'XML, a billion laughs': xml(
    `<!DOCTYPE a [<!ENTITY a "ha">${Array.from({ length: 10 }, (_, at) => `<!ENTITY a${at} "${filled(`&a${at - 1};`, 40)}">`).join('')}]><todo>&a9;</todo>`,
  ),
  'XML, 1 MiB of entity references': xml(
    `<todo><todoTitle>${filled('&amp;', maxLength - 50)}</todoTitle></todo>`,
  ),
  'XML, one text of 1 MiB': xml(`<todo><todoTitle>${'x'.repeat(maxLength - 50)}</todoTitle></todo>`),
  'XML, 131,000 lines': xml(`<todo><todoTitle>${'\n'.repeat(131_000)}</todoTitle></todo>`),
  'XML, a name of 131,000 letters': xml(`<${'a'.repeat(131_000)}/>`),
  'XML, a reference of 131,000 letters': xml(`<todo><todoTitle>&${'a'.repeat(131_000)};</todoTitle></todo>`),
  'XML, a processing instruction of 131,000 letters': xml(`<?xml version="1.0"?><?${'p'.repeat(131_000)}?>`),
  'XML, 1 MiB of elements': xml(`<todo>${filled('<a/>', maxLength - 50)}</todo>`),
  'XML, 1 MiB of attributes': xml(
    `<todo ${Array.from({ length: 80_000 }, (_, at) => `a${at}=""`).join(' ')}/>`,
  ),
  'XML, a comment of 1 MiB': xml(`<todo><!--${filled('- ', maxLength - 50)}--></todo>`),
  'gzip, 1 MiB of spaces': body(
    'application/json',
    gzipSync(Buffer.alloc(mebibyte, ' ')),
    'Content-Encoding: gzip\r\n',
  ),
  'gzip, 200 MiB of spaces': body(
    'application/json',
    gzipSync(Buffer.alloc(200 * mebibyte, ' ')),
    'Content-Encoding: gzip\r\n',
  ),
  'Accept of 15 KB': field('Accept', 'a/b;q=0.1,'),
  'Accept of quotes': field('Accept', 'a/b;c="\\"",'),
  'Accept-Language of 15 KB': field('Accept-Language', 'a-b;q=0.1,'),
  'Accept-Encoding of 15 KB': field('Accept-Encoding', 'a;q=0.1,'),
  'If-None-Match of 15 KB': field('If-None-Match', '"a",'),
  'Prefer of 15 KB': field('Prefer', 'a="b";c,'),
  'Authorization of 15 KB': field('Authorization', 'Basic AAAA'),
  'X-Forwarded-For of 15 KB': field('X-Forwarded-For', '1.1.1.1,'),
  'Cookie of 15 KB': field('Cookie', 'a=b;'),
  '15 KB of header fields': get('/api/v1/todos/x', filled('a: b\r\n', 15_000)),
  'a query of 8 KB': get(`/api/v1/todos?${filled('a=%41&', 8_000)}`),
  'a query of 8 KB with one name': get(`/api/v1/todos?${filled('sort=a&', 8_000)}`),
  '100,000 parameters': get(`/api/v1/todos?${'a=&'.repeat(1e5)}`),
  'a path of 8 KB': get(`/api/v1${filled('/a', 8_000)}`),
}

/** The CPU time of each, over all threads. */
export const hostileInputs = async () => {
  const service = await startService({ LOG_LEVEL: 'error' })
  let worst = 0
  for (const [name, bytes] of Object.entries(inputs)) {
    for (let time = 0; time < 5; time++) await send(service.port, bytes)
    const before = service.cpuMs()
    let status = ''
    for (let time = 0; time < times; time++) status = await send(service.port, bytes)
    const ms = (service.cpuMs() - before) / times
    worst = Math.max(worst, ms)
    console.log(`${ms.toFixed(1).padStart(6)} ms  ${status}  ${name}${ms > limitMs ? ', too long' : ''}`)
  }
  console.log(`${worst.toFixed(1)} ms at maxLength, of ${limitMs}`)
  await service.stop()
}

const send = (port: number, bytes: Buffer) =>
  new Promise<string>((resolve) => {
    let status = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      status ||= chunk.toString('latin1', 9, 12)
      socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(status))
  })
