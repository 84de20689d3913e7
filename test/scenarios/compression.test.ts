import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { person } from '../people.ts'
import { createMember, createTodo } from './creating.ts'
import { jsonBody, mergePatch, type Promised, prepare, type Row, service, table } from './table.ts'
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

/** One value of each kind. All others are tested next to the parser of Accept-Encoding. */
const encodings = [
  ['gzip', 'gzip'],
  ['gzip;q=0.2, br;q=0.9', 'br'],
  ['deflate', undefined],
] as const
for (const [accepted, coding] of encodings) {
  test(`Accept-Encoding '${accepted}' is answered with ${coding ?? 'identity'}`, async () => {
    const plain = (await get('/todos')).bytes.toString()
    for (const path of ['/todos', '/todos?page=0&size=100', '/todos.xml']) {
      const answer = await get(path, accepted)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['content-encoding'], coding, path)
      if (path === '/todos') assert.equal(decoded(answer), plain)
      else decoded(answer)
    }
  })
}

test('If-None-Match with the ETag of a compressed list is answered with 304', async () => {
  const first = await get('/todos', 'gzip')
  const again = await wire(app().url, {
    path: '/api/v1/todos',
    headers: { 'accept-encoding': 'gzip', 'if-none-match': first.headers.etag ?? '' },
  })
  assert.equal(again.status, 304)
})

test('an item has a different strong ETag for each content coding', async () => {
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

const sent = Buffer.from('{"todoTitle":"inflated"}')
const large = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '))
const coded = (name: string, encoding: string, body: Buffer, promised: Promised): Row => ({
  name,
  request: 'POST /todos',
  body,
  headers: { ...jsonBody, 'content-encoding': encoding },
  ...promised,
})
const inflated = { status: 201, shows: { todoTitle: 'inflated' } }
const unsupported = {
  status: 415,
  code: '6003',
  details: ['Content-Encoding Pattern'],
  says: ['"Content-Encoding" must be one of gzip, identity.'],
}
table(app, [
  coded('a body sent with Content-Encoding GZip is accepted', 'GZip', gzipSync(sent), inflated),
  coded('a body sent with Content-Encoding identity is accepted', 'identity', sent, inflated),
  coded(
    'an unsupported Content-Encoding is refused with 415 and the list of supported ones',
    'compress',
    sent,
    unsupported,
  ),
  coded('a body that is not gzip despite its Content-Encoding is refused', 'gzip', sent, { status: 400 }),
  coded('a gzip body that breaks off is refused', 'gzip', gzipSync(sent).subarray(0, 20), { status: 400 }),
  coded('an empty gzip body is refused', 'gzip', Buffer.alloc(0), { status: 400 }),
  coded('a gzip body that inflates beyond the limit is refused with 413', 'gzip', large, {
    status: 413,
    code: '6004',
  }),
  {
    name: 'a malformed gzip body sent to an unknown item is answered with 404',
    request: 'PUT /members/nope',
    body: Buffer.from('junk'),
    headers: { ...jsonBody, 'content-encoding': 'gzip' },
    status: 404,
    code: 'e.xx.yy.5001',
  },
])
