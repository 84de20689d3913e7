import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib'
import { createMember, createTodo, person } from './people.ts'
import { expectErrorShape, mergePatch, prepare, service, shortCode } from './table.ts'
import { type WireAnswer, wire } from './wire.ts'

const app = service()
prepare(async () => {
  for (let i = 0; i < 100; i += 1) await createTodo(app(), `compress me well, number ${i}`)
})

const get = (path: string, encoding?: string): Promise<WireAnswer> =>
  wire(app().url, {
    path: `/api/v1${path}`,
    ...(encoding === undefined ? {} : { headers: { 'accept-encoding': encoding } }),
  })

const decoded = ({ headers, bytes }: WireAnswer): string => {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(bytes).toString()
  if (headers['content-encoding'] === 'gzip') return gunzipSync(bytes).toString()
  assert.equal(headers['content-encoding'], undefined)
  return bytes.toString()
}

const encodings: readonly (readonly [string | undefined, readonly (string | undefined)[]])[] = [
  [undefined, [undefined]],
  ['', [undefined]],
  ['identity', [undefined]],
  ['gzip', ['gzip']],
  ['br', ['br']],
  ['GZIP', ['gzip']],
  ['gzip, br', ['gzip', 'br']],
  ['gzip;q=0.2, br;q=0.9', ['br']],
  ['gzip;q=0.9, br;q=0.2', ['gzip']],
  ['gzip;q=0', [undefined]],
  ['br;q=0, gzip', ['gzip']],
  ['*', ['gzip', 'br', undefined]],
  ['*;q=0, gzip', ['gzip']],
  ['deflate', [undefined]],
  ['compress, x', [undefined]],
  ['identity;q=1, gzip;q=0.5', [undefined, 'gzip']],
]
for (const [asked, allowed] of encodings) {
  test(`Accept-Encoding '${asked ?? 'absent'}' is answered with ${allowed.map((one) => one ?? 'identity').join(' or ')}`, async () => {
    const plain = (await get('/todos')).bytes.toString()
    for (const path of ['/todos', '/todos?page=0&size=100', '/todos.xml']) {
      const answer = await get(path, asked)
      assert.equal(answer.status, 200)
      assert.ok(
        allowed.includes(answer.headers['content-encoding']),
        `${path}: ${answer.headers['content-encoding']}`,
      )
      assert.match(answer.headers.vary ?? '', /accept-encoding/i)
      if (path === '/todos') assert.equal(decoded(answer), plain)
      else decoded(answer)
    }
  })
}

test('compressed is smaller', async () => {
  const plain = await get('/todos')
  for (const encoding of ['gzip', 'br'])
    assert.ok((await get('/todos', encoding)).bytes.length < plain.bytes.length / 2)
})

test('the ETag that came with a compressed list is good for asking again', async () => {
  const first = await get('/todos', 'gzip')
  const again = await wire(app().url, {
    path: '/api/v1/todos',
    headers: { 'accept-encoding': 'gzip', 'if-none-match': first.headers.etag ?? '' },
  })
  assert.equal(again.status, 304)
})

test('a strong ETag is never shared by two encodings', async () => {
  const id = await createTodo(app())
  const plain = await get(`/todos/${id}`)
  for (const encoding of ['gzip', 'br']) {
    const answer = await get(`/todos/${id}`, encoding)
    if (answer.headers['content-encoding'] !== undefined)
      assert.notEqual(answer.headers.etag, plain.headers.etag)
  }
})

test('a small answer is coded for those only who do not take it as it is', async () => {
  const path = `/todos/${await createTodo(app())}`
  const codingOf = async (asked: string) => (await get(path, asked)).headers['content-encoding']
  for (const asked of ['gzip', 'br, gzip', 'deflate, identity;q=0', '*;q=0'])
    assert.equal(await codingOf(asked), undefined, asked)
  for (const asked of ['gzip, identity;q=0', 'gzip, *;q=0'])
    assert.equal(await codingOf(asked), 'gzip', asked)
  for (const short of ['/todos?page=900', '/members'])
    assert.equal((await get(short, 'gzip, identity;q=0')).headers['content-encoding'], 'gzip', short)
  assert.equal(decoded(await get(path, 'gzip, identity;q=0')), (await get(path)).bytes.toString())
})

test('it is the bytes of an answer that make it large enough', async () => {
  for (const [address, bytes] of [
    ['東'.repeat(256), 1_024],
    ['a'.repeat(256), 0],
  ] as const) {
    const path = `/members/${(await createMember(app(), { address })).memberId}`
    const plain = await get(path)
    const answer = await get(path, 'gzip')
    assert.ok(plain.bytes.toString().length < 1_024 && plain.bytes.length >= bytes, `${plain.bytes.length}`)
    assert.equal(answer.headers['content-encoding'], bytes > 0 ? 'gzip' : undefined, address)
    assert.equal(decoded(answer), plain.bytes.toString())
  }
})

test('what a change answers, and a refusal, goes out as it is, however long', async () => {
  const headers = { 'accept-encoding': 'gzip, br' }
  const address = '東'.repeat(256)
  const path = `/api/v1/members/${(await createMember(app(), { address })).memberId}`
  for (const [method, sent, more] of [
    ['POST', person({ address }), { 'content-type': 'application/json' }],
    ['PATCH', { firstName: 'Plain' }, mergePatch],
    ['POST', {}, { 'content-type': 'application/json', accept: 'application/problem+json' }],
  ] as const) {
    const answer = await wire(app().url, {
      method,
      path: method === 'POST' ? '/api/v1/members' : path,
      headers: { ...headers, ...more },
      body: JSON.stringify(sent),
    })
    assert.ok(answer.bytes.length >= 1_024, `${method}: ${answer.bytes.length}`)
    assert.equal(answer.headers['content-encoding'], undefined, method)
  }
})

const post = (body: Buffer, encoding: string, type = 'application/json'): Promise<WireAnswer> =>
  wire(app().url, {
    method: 'POST',
    path: '/api/v1/todos',
    headers: { 'content-type': type, 'content-encoding': encoding },
    body,
  })
const sent = Buffer.from('{"todoTitle":"inflated"}')

const refused = (answer: WireAnswer, status: number, code: string): unknown => {
  assert.equal(answer.status, status, answer.bytes.toString())
  const error: unknown = JSON.parse(answer.bytes.toString())
  expectErrorShape(error)
  const { code: told, details } = error as { code: string; details?: unknown }
  assert.equal(told, shortCode(code))
  return details
}

test('of a body that is no gzip is told after the item that is not there', async () => {
  for (const [method, path, type] of [
    ['PATCH', '/todos/nope', 'application/merge-patch+json'],
    ['PUT', '/members/nope', 'application/json'],
  ] as const) {
    const headers = { 'content-type': type, 'content-encoding': 'gzip' }
    const answer = await wire(app().url, {
      method,
      path: `/api/v1${path}`,
      headers,
      body: Buffer.from('junk'),
    })
    assert.equal(answer.status, 404, answer.bytes.toString())
  }
})

test('a body may be sent compressed', async () => {
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(sent)],
    ['GZip', gzipSync(sent)],
    ['identity', sent],
  ] as const) {
    const answer = await post(bytes, encoding)
    assert.equal(answer.status, 201, `${encoding}: ${answer.bytes}`)
    assert.equal(JSON.parse(answer.bytes.toString()).todoTitle, 'inflated')
  }
})

test('an encoding that nobody knows is refused', async () => {
  for (const encoding of ['zstd-of-mine', 'compress', 'utf-8'])
    assert.deepEqual(refused(await post(sent, encoding), 415, '6003'), [
      {
        code: 'Pattern',
        message: '"Content-Encoding" must be one of gzip, identity.',
        target: 'Content-Encoding',
      },
    ])
})

test('a body that is not what its encoding says is refused', async () => {
  for (const [encoding, bytes] of [
    ['gzip', sent],
    ['gzip', gzipSync(sent).subarray(0, 20)],
    ['gzip', deflateSync(sent)],
    ['gzip', Buffer.alloc(0)],
  ] as const) {
    const answer = await post(bytes, encoding)
    assert.equal(answer.status, 400, `${encoding} ${bytes.length}: ${answer.bytes}`)
  }
})

test('a body that grows beyond the limit is refused, however small it came', async () => {
  const large = Buffer.alloc(50 * 1024 * 1024, ' ')
  refused(await post(gzipSync(large), 'gzip'), 413, '6004')
  refused(await post(gzipSync(large), 'gzip', 'application/xml'), 413, '6004')
})
