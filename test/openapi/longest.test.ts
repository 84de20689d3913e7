import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxBodyValues, maxDepth } from '#http/message/body/json.ts'
import { Nullable, resource, Text } from '#src/resource.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'

// The harness compares each answer with the document.

const emoji = (count: number) => encodeURIComponent('😀'.repeat(count))

/** A body that repeats a name of the greatest possible length and depth. */
const duplicate = () => {
  const name = JSON.stringify('a'.repeat(64))
  const levels = maxDepth - 1
  return `${`{${name}:`.repeat(levels)}{${name}:1,${name}:1}${'}'.repeat(levels)}`
}

/** The greatest possible number of unknown fields, with the longest names that a refusal shows. */
const strange = () => {
  const names = Array.from({ length: maxBodyValues - 2 }, (_, number) => String(number).padStart(64, 'a'))
  return { credential: Object.fromEntries(names.map((name) => [name, 1])) }
}

/** The greatest number of unknown parameters in a target. */
const unknown = () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']
  return letters
    .flatMap((one) => letters.map((other) => one + other))
    .slice(0, 2_700)
    .join('&')
}

test('answers conform to the API document even with the longest id, name, address and Retry-After', async (t) => {
  const api = await startApp(t)
  const path = `/members/${'a'.repeat(8_000)}`
  assert.equal((await api(`GET ${path}`)).status, 404)
  assert.equal(
    (await api(`GET ${path}`, undefined, { Accept: 'application/problem+json, application/json;q=0.9' }))
      .status,
    404,
  )
  assert.equal((await api('POST /todos', duplicate())).status, 400)
  assert.equal((await api(`GET /members?page=0&name=${emoji(128)}&signId=${emoji(256)}`)).status, 200)
  for (const Accept of ['application/json', 'application/problem+json, application/json;q=0.9']) {
    assert.equal((await api('POST /members', strange(), { Accept })).status, 400)
    assert.equal(
      (await api(`GET /todos?${unknown()}`, undefined, { Accept, Prefer: 'handling=strict' })).status,
      400,
    )
  }
  const limited = await startApp(t, { RATE_LIMIT: '1/999999s' })
  assert.equal((await limited('GET /todos')).status, 200)
  assert.equal((await limited('GET /todos')).status, 429)
})

test('answers about a declared resource conform to the document, with digits in the names of a hundred fields', async (t) => {
  const names = Array.from({ length: 100 }, (_, at) => `answer${at}`)
  const fields = Object.fromEntries(names.map((name) => [name, Nullable(Text(0, 20))]))
  const api = await startApp(t, {}, { resources: [resource({ name: 'survey', fields })] })
  const { headers } = await api('POST /surveys', Object.fromEntries(names.map((name) => [name, 'yes'])))
  const path = `/surveys/${String(headers.location).split('/').at(-1)}`
  for (const read of [
    `${path}/history`,
    '/changes?before=latest',
    '/surveys?page=0&sort=answer7',
    '/surveys?fields=answer7',
  ])
    assert.equal((await api(`GET ${read}`)).status, 200, read)
})

test('the address of the member called `me` conforms to the document, however long its query', async (t) => {
  const admin = { Authorization: `Basic ${btoa('admin:adminadmin')}` }
  const own = { Authorization: `Basic ${btoa('john.smith@example.com:demodemo')}` }
  const api = await startApp(t, { ACCESS: 'basic', ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'adminadmin' })
  await api('POST /members', john, admin)
  const answer = await api(`GET /members/me?x=${'a'.repeat(8_150)}`, undefined, own)
  assert.equal(answer.status, 200)
  assert.ok((answer.headers['content-location'] ?? '').length > 8_192)
})
