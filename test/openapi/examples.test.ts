import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { document, type Node } from '../conform/document.ts'
import { type Api, startApp } from '../harness.ts'

interface Media {
  readonly example?: unknown
  readonly 'x-serialized'?: string
}

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

const apiPaths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/openapi'))

const operations = apiPaths.flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
)

const creation = (path: string) => {
  const root = `/${path.split('/')[1]}`
  const item = document.paths[root] as { readonly post: Operation }
  return { root, body: item.post.requestBody?.content['application/json']?.example as Node }
}

const exampleId = '019e6a3c-6c00-7000-8000-000000000001'

/** Starts the service and, unless `isNew`, creates the example resource a quarter of an hour earlier. */
const startExample = async (t: TestContext, path: string, isNew: boolean): Promise<Api> => {
  let now = Date.parse('2026-11-21T06:45:00.123Z')
  const api = await startApp(t, {}, { clock: { now: () => now }, newId: () => exampleId })
  if (!isNew) {
    const { root, body } = creation(path)
    assert.equal((await api(`POST ${root}`, body)).status, 201)
    now = Date.parse('2026-11-21T07:00:00.000Z')
  }
  return api
}

/** An example as it goes over the wire. */
const onTheWire = (media: Media) => media['x-serialized'] ?? media.example

const requestTypes = (operation: Operation) => Object.entries(operation.requestBody?.content ?? { '': {} })

/** Replaces the random beginning of a secret by that in the example. */
const withHint = (shown: unknown): unknown =>
  JSON.parse(JSON.stringify(shown).replace(/rk_[\w-]{5}(?![\w-])/, 'rk_qO5Y0'))

/** Identifiers and cursors of changes are random, and so are secrets. */
const isRandom = (path: string, method: string) =>
  ['/changes', '/me', '/tokens', '/batch'].includes(path) ||
  path.startsWith('/me/') ||
  /\/(?:history|restore|secret|test|deliveries(?:\/.*)?|invitations?)$/.test(path) ||
  // Imports run in the background; their answers are tested in test/import.
  /^\/imports|\/imports$/.test(path) ||
  (['/keys', '/webhooks'].includes(path) && method === 'post')

const expectExample = async (
  api: Api,
  { path, method, operation }: (typeof operations)[number],
  [type, sent]: readonly [string, Media],
  [accept, media]: readonly [string, Media],
) => {
  const line = `${method.toUpperCase()} ${path.replace(/\{\w+\}/, exampleId)}`
  const fields = { Accept: accept }
  const answer = await api(line, onTheWire(sent), type ? { ...fields, 'Content-Type': type } : fields)
  assert.equal(String(answer.status), Object.keys(operation.responses)[0], `${line}: ${answer.text}`)
  assert.deepEqual(
    withHint(typeof onTheWire(media) === 'object' ? answer.body : answer.text),
    onTheWire(media) ?? '',
    line,
  )
}

const answerTypes = (operation: Operation) =>
  Object.entries(Object.values(operation.responses)[0]?.content ?? { '*/*': {} as Media })

const examples = operations.filter(({ path, method }) => !isRandom(path, method))
const reads = Object.groupBy(
  examples.filter(({ method }) => method === 'get'),
  ({ path }) => creation(path).root,
)
for (const [root, group = []] of Object.entries(reads))
  test(`the examples of the reads at ${root} match the answers of the service`, async (t) => {
    const api = await startExample(t, root, false)
    for (const one of group)
      for (const answered of answerTypes(one.operation)) await expectExample(api, one, ['', {}], answered)
  })

for (const one of examples.filter(({ method }) => method !== 'get'))
  for (const sent of requestTypes(one.operation))
    test(`the example of ${one.operation.operationId} ${sent[0]} matches the answer of the service`, async (t) => {
      for (const answered of answerTypes(one.operation))
        await expectExample(await startExample(t, one.path, one.method === 'post'), one, sent, answered)
    })

test('every request body and every success body has an example', () => {
  for (const { operation } of operations) {
    const [, success] = Object.entries(operation.responses)[0] ?? []
    for (const media of Object.values({ ...operation.requestBody?.content, ...success?.content }))
      assert.ok(media.example !== undefined, `${operation.operationId} has a body without an example`)
  }
})

test('the document served with open access requires no credentials', async (t) => {
  const api = await startApp(t, { ACCESS: 'open' })
  const { components, paths } = (await api('GET /openapi.json')).body as typeof document & Node
  assert.deepEqual((components as Node).securitySchemes, {})
  assert.deepEqual((paths['/todos'] as { get: Node }).get.security, [{}])
})

test('the document says that internationalised e-mail addresses are accepted', async (t) => {
  const { schemas } = document.components as Record<string, Record<string, { properties?: Node }>>
  const formats = Object.values(schemas ?? {})
    .map(({ properties }) => properties?.emailAddress as Node | undefined)
    .flatMap((address) => address?.format ?? [])
  assert.deepEqual([...new Set(formats)], ['idn-email'])
  const api = await startApp(t)
  const sent = { ...creation('/members').body, emailAddress: '太郎@例え.jp' }
  const created = await api('POST /members', sent)
  assert.equal((created.body as Node).emailAddress, '太郎@例え.jp', created.text)
})
