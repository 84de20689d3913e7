import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { document, type Node } from '../conform/document.ts'
import { type Api, john, rawExchange, startApp } from '../harness.ts'

const examples = document.components as { readonly examples: Readonly<Record<string, { value: Refusal }>> }

interface Refusal extends Node {
  readonly message: string
  readonly details?: readonly Node[]
}

const exampleId = '019e6a3c-6c00-7000-8000-000000000001'
const trackId = '0af7651916cd43dd8448eb211c80319c'

const memberPath = `/members/${exampleId}`
const { credential: _, ...profile } = john

type Fields = Readonly<Record<string, string>>

/** How the service comes to refuse a request: the answer's body. */
type Provocation = (api: Api, fields: Fields) => Promise<unknown>

const sent =
  (line: string, body?: unknown, more: Fields = {}): Provocation =>
  async (api, fields) =>
    (await api(line, body, { ...fields, ...more })).body

/** Sends the same request twenty times at once, a hundred times at most, until one of them is refused. */
const raced =
  (line: string, body: unknown, more: Fields = {}): Provocation =>
  async (api, fields) => {
    for (let turn = 0; turn < 100; turn++) {
      const send = () => api(line, body, { ...fields, ...more })
      const answers = await Promise.all(Array.from({ length: 20 }, send))
      const refused = answers.find(({ status }) => status >= 400)
      if (refused) return refused.body
    }
    throw new Error('nothing was refused')
  }

const after =
  (earlier: Provocation, last: Provocation): Provocation =>
  async (api, fields) => {
    await earlier(api, fields)
    return last(api, fields)
  }

const withoutHost: Provocation = async ({ url }, fields) => {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const received = await rawExchange(url, `GET /api/v1/todos HTTP/1.1\r\n${lines.join('')}\r\n`)
  return JSON.parse(received.slice(received.indexOf('\r\n\r\n')))
}

const todo = { todoTitle: 'Buy milk' }
const key = { 'Idempotency-Key': 'k' }
const creation = sent('POST /members', john)

const provocations: Readonly<Record<string, Provocation>> = {
  'e.xx.fw.4001': sent('GET /todos'),
  'e.xx.fw.5001': sent(`GET /todos/${exampleId}`),
  'e.xx.fw.6000': withoutHost,
  'e.xx.fw.6001': sent('DELETE /todos'),
  'e.xx.fw.6002': sent('GET /todos.yaml'),
  'e.xx.fw.6003': sent('POST /todos', 'x', { 'Content-Type': 'text/plain' }),
  'e.xx.fw.6004': sent('POST /todos', { todoTitle: 'x'.repeat(2000) }),
  'e.xx.fw.6005': sent(`GET /todos?${'x'.repeat(9000)}`),
  'e.xx.fw.6006': sent('GET /todos', undefined, { 'X-Long': 'x'.repeat(20_000) }),
  'e.xx.fw.7001': sent('POST /todos', { todoTitle: null }),
  'e.xx.fw.7002': sent('GET /todos?size=0'),
  'e.xx.fw.7003': sent('POST /todos', '{'),
  'e.xx.fw.7006': sent('GET /todos?page=x'),
  'e.xx.fw.8002': after(creation, raced(`PUT ${memberPath}`, profile)),
  'e.xx.fw.8003': sent('GET /todos', undefined, { 'If-Match': '"other"' }),
  'e.xx.fw.8004': after(creation, sent(`PUT ${memberPath}`, profile)),
  'e.xx.fw.8005': raced('POST /todos', todo, key),
  'e.xx.fw.8006': after(sent('POST /todos', todo, key), sent('POST /todos', { todoTitle: 'Other' }, key)),
  'e.xx.yy.5001': sent(`GET ${memberPath}`),
  'e.xx.yy.8001': after(creation, sent('POST /members', john)),
}

const forms = { '': 'application/json', 'Problem-': 'application/problem+json, application/json;q=0.9' }

const settingsOf: Readonly<Record<string, Fields>> = {
  'e.xx.fw.4001': { ACCESS: 'basic', ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'correct horse battery' },
  'e.xx.fw.6004': { BODY_LIMIT: '1024' },
  'e.xx.fw.8004': { REQUIRE_IF_MATCH: 'true' },
}

const start = (t: TestContext, code: string) => {
  let made = 0
  const newId = () => exampleId.slice(0, -4) + String(++made).padStart(4, '0')
  return startApp(t, settingsOf[code], { newId })
}

/** The address of the explanation depends on where the service runs. */
const withPathOfType = (value: Node) =>
  'type' in value ? { ...value, type: new URL(String(value.type), 'http://localhost').pathname } : value

for (const [code, provoke] of Object.entries(provocations))
  for (const [prefix, accept] of Object.entries(forms))
    test(`the example ${prefix}${code} is what the service answers`, async (t) => {
      const api = await start(t, code)
      const body = await provoke(api, { Accept: accept, 'X-Track': trackId })
      assert.deepEqual(withPathOfType(body as Node), examples.examples[prefix + code]?.value)
    })

test('every example with details is compared with an answer, and none has a placeholder', () => {
  for (const [name, { value }] of Object.entries(examples.examples)) {
    if (value.details) assert.ok(name.replace('Problem-', '') in provocations, name)
    assert.doesNotMatch(JSON.stringify(value), /\{\w+\}/, name)
  }
})
