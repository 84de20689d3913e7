import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawExchange } from '../harness.ts'
import { service } from '../scenarios/table.ts'

const app = service()
const smuggled = 'GET /api/v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n'

/** Header fields whose framing servers are known to read differently, and the bytes after the head. */
const heads: Readonly<Record<string, readonly [string, string]>> = {
  'Content-Length before Transfer-Encoding': ['Content-Length: 4\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
  'Transfer-Encoding before Content-Length': ['Transfer-Encoding: chunked\r\nContent-Length: 4', '0\r\n\r\n'],
  'two lengths': ['Content-Length: 0\r\nContent-Length: 5', 'hello'],
  'two equal lengths': ['Content-Length: 5\r\nContent-Length: 5', 'hello'],
  'a list of lengths': ['Content-Length: 5, 5', 'hello'],
  'a length with a sign': ['Content-Length: +5', 'hello'],
  'a negative length': ['Content-Length: -1', ''],
  'a length in hex': ['Content-Length: 0x5', 'hello'],
  'a length with a fraction': ['Content-Length: 5.0', 'hello'],
  'an empty length': ['Content-Length:', ''],
  'a space inside a length': ['Content-Length: 1 0', 'hello'],
  'a length of twenty digits': ['Content-Length: 99999999999999999999', ''],
  'an unknown coding': ['Transfer-Encoding: xchunked', ''],
  'a coding without chunks': ['Transfer-Encoding: gzip', ''],
  'two Content-Type fields': ['Content-Type: application/xml\r\nContent-Length: 2', '{}'],
  'two Idempotency-Key fields': ['Idempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 2', '{}'],
  'the identity coding': ['Transfer-Encoding: identity', ''],
  'another coding after chunked': ['Transfer-Encoding: chunked, gzip', '0\r\n\r\n'],
  'another coding before chunked': ['Transfer-Encoding: gzip, chunked', '0\r\n\r\n'],
  'chunked twice': ['Transfer-Encoding: chunked, chunked', '0\r\n\r\n'],
  'two Transfer-Encoding fields': ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', '0\r\n\r\n'],
  'a vertical tab before chunked': ['Transfer-Encoding: \x0bchunked', '0\r\n\r\n'],
  'chunked in quotes': ['Transfer-Encoding: "chunked"', '0\r\n\r\n'],
  'an empty coding before chunked': ['Transfer-Encoding: ,chunked', '0\r\n\r\n'],
  'an empty coding after chunked': ['Transfer-Encoding: chunked,', '0\r\n\r\n'],
  'a parameter after chunked': ['Transfer-Encoding: chunked;q=1', '0\r\n\r\n'],
  'chunked on a second line': ['Transfer-Encoding:\r\n chunked', '0\r\n\r\n'],
  'a space before the colon': ['Transfer-Encoding : chunked', '0\r\n\r\n'],
  'a tab before the colon': ['Content-Length\t: 5', 'hello'],
  'a field on two lines': ['X-Field: one\r\n two', ''],
  'a field that begins with a space': [' X-Field: one', ''],
  'a line without a colon': ['X-Field', ''],
  'a field without a name': [': one', ''],
  'NUL in a field': ['X-Field: o\0ne', ''],
  'NUL in a name': ['X-Fi\0eld: one', ''],
  'a bare line feed in a field': ['X-Field: one\nX-Other: two', ''],
  'a bare carriage return': ['X-Field: one\rX-Other: two', ''],
  'a non-ASCII letter in a name': ['X-Fi\xe9ld: one', ''],
  'a chunk size with a sign': ['Transfer-Encoding: chunked', '+5\r\nhello\r\n0\r\n\r\n'],
  'a chunk size with 0x': ['Transfer-Encoding: chunked', '0x5\r\nhello\r\n0\r\n\r\n'],
  'a chunk size of seventeen digits': ['Transfer-Encoding: chunked', 'fffffffffffffffff\r\n'],
  'a chunk size that is not a number': ['Transfer-Encoding: chunked', 'hello\r\n'],
  'a chunk longer than its size': ['Transfer-Encoding: chunked', '3\r\nhello\r\n0\r\n\r\n'],
  'a chunk that ends with a line feed': ['Transfer-Encoding: chunked', '5\r\nhello\n0\r\n\r\n'],
  'a chunk size that ends with a line feed': ['Transfer-Encoding: chunked', '5\nhello\r\n0\r\n\r\n'],
  'a chunk extension that ends with a line feed': ['Transfer-Encoding: chunked', '2;\n{}\r\n0\r\n\r\n'],
  'a chunk extension with a carriage return': ['Transfer-Encoding: chunked', '2;a\rb\r\n{}\r\n0\r\n\r\n'],
  'a chunk extension of 20,000 characters': [
    'Transfer-Encoding: chunked',
    `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  ],
  'a chunk without a line end': ['Transfer-Encoding: chunked', '2\r\n{}0\r\n\r\n'],
  'a trailer that ends with a line feed': ['Transfer-Encoding: chunked', '2\r\n{}\r\n0\r\nX: y\n\r\n'],
  'Content-Length in a trailer': ['Transfer-Encoding: chunked', '2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n'],
  'two Host fields': ['Host: other', ''],
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)

for (const [flaw, [fields, rest]] of Object.entries(heads)) {
  test(`a request with ${flaw} is refused with 400, and the connection is closed`, async () => {
    const api = app()
    const head = `POST /api/v1/todos HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${fields}\r\n\r\n`
    const text = await rawExchange(api.url, Buffer.from(head + rest + smuggled, 'latin1'))
    assert.deepEqual(statuses(text), ['400'])
    assert.match(text, /\r\nConnection: close\r\n/)
    assert.match(text, /\r\nX-Track: /)
    assert.match(text, /"e\.xx\.fw\.(6000|7003)"/)
  })
}

const lines = [
  'GET /api/v1/todos HTTP/1.1 x',
  'GET /api/v1/to dos HTTP/1.1',
  'GET /api/v1/todos HTTP/9.9',
  'GET /api/v1/todos http/1.1',
  'GET\t/api/v1/todos HTTP/1.1',
  'GET /api/v1/todos',
  ' GET /api/v1/todos HTTP/1.1',
  'GET /api/v1/to\0dos HTTP/1.1',
]

for (const line of lines) {
  test(`the request line ${JSON.stringify(line)} is refused with 400, and the connection is closed`, async () => {
    const api = app()
    const text = await rawExchange(api.url, `${line}\r\nHost: localhost\r\n\r\n${smuggled}`)
    assert.deepEqual(statuses(text), ['400'])
    assert.match(text, /\r\nConnection: close\r\n/)
  })
}

test('a transfer coding other than chunked is refused on a GET as well', async () => {
  const api = app()
  const head = 'GET /api/v1/todos HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding:'
  for (const coding of ['gzip', 'identity', '']) {
    const text = await rawExchange(api.url, `${head} ${coding}\r\n\r\n${smuggled}`)
    assert.deepEqual(statuses(text), ['400'], coding)
  }
  const chunked = `${head} Chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`
  assert.deepEqual(statuses(await rawExchange(api.url, chunked)), ['200'])
})

test('a request refused by its head gets one 400 even if its body is malformed', async () => {
  const api = app()
  const head = 'POST /api/v1/todos HTTP/1.1\r\nHost: a b\r\nTransfer-Encoding: chunked'
  assert.deepEqual(statuses(await rawExchange(api.url, `${head}\r\n\r\nzz\r\n`)), ['400'])
})

test('the unread body of a refused request is not read as the next request', async () => {
  const api = app()
  const length = Buffer.byteLength(smuggled)
  const head = `POST /api/v1/cars HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${smuggled}`
  const text = await rawExchange(
    api.url,
    `${head}GET /api/v1/todos HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  )
  assert.deepEqual(statuses(text), ['404', '200'])
})

test('HTTP/1.0 with chunked coding is refused with 400, and nothing behind it is served', async () => {
  const api = app()
  const head =
    'POST /api/v1/todos HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nContent-Type: application/json'
  const body = '15\r\n{"todoTitle":"chunk"}\r\n0\r\n\r\n'
  const received = await rawExchange(
    api.url,
    `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${body}${smuggled}`,
  )
  assert.deepEqual(received.match(/HTTP\/1\.1 \d{3}/g), ['HTTP/1.1 400'])
  assert.deepEqual((await api('GET /todos')).body, [])
})

const authorities = [
  'a@b',
  'a:b@c',
  'a b',
  'a"b',
  '[::1',
  '[....]',
  '[:]',
  '[1:2:3:4:5:6:7:8:9]',
  'a/../b',
  '',
]

test('a target with an invalid authority is refused, and nothing is written', async () => {
  const api = app()
  for (const authority of authorities) {
    const line = `POST http://${authority}/api/v1/todos HTTP/1.1`
    const head = `${line}\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 17\r\nConnection: close`
    const received = await rawExchange(api.url, `${head}\r\n\r\n{"todoTitle":"a"}`)
    assert.match(received, /^HTTP\/1\.1 40[0-9]/, authority)
  }
  assert.deepEqual((await api('GET /todos')).body, [])
})
