import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib'
import { person } from '../people.ts'
import { createMember, createTodo } from './creating.ts'
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
for (const [accepted, codings] of encodings) {
  test(`Accept-Encoding '${accepted ?? 'absent'}' is answered with ${codings.map((coding) => coding ?? 'identity').join(' or ')}`, async () => {
    const plain = (await get('/todos')).bytes.toString()
    for (const path of ['/todos', '/todos?page=0&size=100', '/todos.xml']) {
      const answer = await get(path, accepted)
      assert.equal(answer.status, 200)
      assert.ok(
        codings.includes(answer.headers['content-encoding']),
        `${path}: ${answer.headers['content-encoding']}`,
      )
      assert.match(answer.headers.vary ?? '', /accept-encoding/i)
      if (path === '/todos') assert.equal(decoded(answer), plain)
      else decoded(answer)
    }
  })
}

test('a compressed list is less than half as large as the plain one', async () => {
  const plain = await get('/todos')
  for (const encoding of ['gzip', 'br'])
    assert.ok((await get('/todos', encoding)).bytes.length < plain.bytes.length / 2)
})

test('If-None-Match with the ETag of a compressed list is answered with 304', async () => {
  const first = await get('/todos', 'gzip')
  const again = await wire(app().url, {
    path: '/api/v1/todos',
    headers: { 'accept-encoding': 'gzip', 'if-none-match': first.headers.etag ?? '' },
  })
  assert.equal(again.status, 304)
})

test('an item has a strong ETag of its own for each content coding', async () => {
  const { memberId } = await createMember(app(), { address: '東'.repeat(256) })
  const answers = await Promise.all(
    ['identity', 'gzip', 'br'].map((coding) => get(`/members/${memberId}`, coding)),
  )
  assert.deepEqual(
    answers.map(({ headers }) => headers['content-encoding']),
    [undefined, 'gzip', 'br'],
  )
  const tags = answers.map(({ headers }) => headers.etag ?? '')
  assert.equal(new Set(tags).size, 3)
  for (const tag of tags) assert.match(tag, /^"/)
})

test('a small answer is compressed only if the caller accepts gzip and refuses identity', async () => {
  const path = `/todos/${await createTodo(app())}`
  const codingOf = async (accepted: string) => (await get(path, accepted)).headers['content-encoding']
  for (const accepted of ['gzip', 'br, gzip', 'deflate, identity;q=0', '*;q=0'])
    assert.equal(await codingOf(accepted), undefined, accepted)
  for (const accepted of ['gzip, identity;q=0', 'gzip, *;q=0'])
    assert.equal(await codingOf(accepted), 'gzip', accepted)
  for (const shortList of ['/todos?page=900', '/members'])
    assert.equal((await get(shortList, 'gzip, identity;q=0')).headers['content-encoding'], 'gzip', shortList)
  assert.equal(decoded(await get(path, 'gzip, identity;q=0')), (await get(path)).bytes.toString())
})

test('the compression threshold of 1 KiB counts bytes, not characters', async () => {
  for (const [address, minBytes] of [
    ['東'.repeat(256), 1_024],
    ['a'.repeat(256), 0],
  ] as const) {
    const path = `/members/${(await createMember(app(), { address })).memberId}`
    const plain = await get(path)
    const answer = await get(path, 'gzip')
    assert.ok(
      plain.bytes.toString().length < 1_024 && plain.bytes.length >= minBytes,
      `${plain.bytes.length}`,
    )
    assert.equal(answer.headers['content-encoding'], minBytes > 0 ? 'gzip' : undefined, address)
    assert.equal(decoded(answer), plain.bytes.toString())
  }
})

test('answers to POST and PATCH, and refusals, are not compressed even above 1 KiB', async () => {
  const accepting = { 'accept-encoding': 'gzip, br' }
  const address = '東'.repeat(256)
  const path = `/api/v1/members/${(await createMember(app(), { address })).memberId}`
  for (const [method, sent, headers] of [
    ['POST', person({ address }), { 'content-type': 'application/json' }],
    ['PATCH', { firstName: 'Plain' }, mergePatch],
    [
      'POST',
      {},
      { 'content-type': 'application/json', accept: 'application/problem+json, application/json;q=0.9' },
    ],
  ] as const) {
    const answer = await wire(app().url, {
      method,
      path: method === 'POST' ? '/api/v1/members' : path,
      headers: { ...accepting, ...headers },
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

/** Expects the refusal and returns its details. */
const expectRefusal = (answer: WireAnswer, status: number, code: string): unknown => {
  assert.equal(answer.status, status, answer.bytes.toString())
  const error: unknown = JSON.parse(answer.bytes.toString())
  expectErrorShape(error)
  const { code: actual, details } = error as { code: string; details?: unknown }
  assert.equal(actual, shortCode(code))
  return details
}

test('a malformed gzip body sent to an unknown item is answered with 404', async () => {
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

test('a body sent with Content-Encoding gzip, GZip or identity is accepted', async () => {
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

test('an unsupported Content-Encoding is refused with 415 and the list of supported ones', async () => {
  for (const encoding of ['zstd-of-mine', 'compress', 'utf-8'])
    assert.deepEqual(expectRefusal(await post(sent, encoding), 415, '6003'), [
      {
        code: 'Pattern',
        message: '"Content-Encoding" must be one of gzip, identity.',
        target: 'Content-Encoding',
      },
    ])
})

test('a body that is not valid gzip despite its Content-Encoding is answered with 400', async () => {
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

test('a gzip body that inflates beyond the limit is refused with 413', async () => {
  const large = Buffer.alloc(50 * 1024 * 1024, ' ')
  expectRefusal(await post(gzipSync(large), 'gzip'), 413, '6004')
  expectRefusal(await post(gzipSync(large), 'gzip', 'application/xml'), 413, '6004')
})
