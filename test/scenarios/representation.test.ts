import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../harness.ts'
import { createMember, createTodo } from './creating.ts'
import {
  type Body,
  body,
  expectAnswer,
  expectEverywhere,
  header,
  jsonBody,
  mergePatch,
  type Promised,
  prepare,
  type Row,
  service,
  table,
  unknownId,
  xmlBody,
} from './table.ts'
import { asXml, meaning, readXml } from './xml.ts'

const app = service()
let member: Body = {}
let todo = ''
prepare(async () => {
  todo = await createTodo(app(), 'a <b> & "c"')
  member = await createMember(app(), { telephoneNumber: null, zipCode: '', address: ']]> <&> \r\n\t' })
})

const json = /^application\/json/
const xml = /^application\/xml/

/** Asserts the status, type and well-formedness of an XML answer; returns its root element. */
const expectXml = (answer: Answer, status: number): ReturnType<typeof readXml> => {
  assert.equal(answer.status, status, answer.text)
  expectEverywhere(answer.headers)
  assert.match(header(answer, 'content-type'), xml)
  return readXml(answer.text)
}

/** One value of each kind. All others are tested next to the parser of Accept. */
const accepts: readonly (readonly [string, RegExp | 406])[] = [
  ['*/*', json],
  ['application/json;q=0.1, application/xml;q=0.9', xml],
  ['text/html', 406],
]
for (const [accept, expected] of accepts) {
  test(`Accept '${accept}' is answered ${expected === 406 ? 'with 406' : `as ${expected}`}`, async () => {
    for (const line of ['GET /todos', `GET /todos/${todo}`, 'GET /todos?page=0']) {
      const answer = await app()(line, undefined, { accept })
      if (expected === 406) {
        expectAnswer(answer, {
          status: 406,
          code: '6002',
          says: ['"Accept" must be one of application/json, application/xml.'],
          answers: { 'content-type': json },
        })
      } else {
        assert.equal(answer.status, 200, `${line}: ${answer.text}`)
        assert.match(header(answer, 'content-type'), expected)
      }
    }
  })
}

test('a POST refused with 406 stores nothing', async () => {
  const count = JSON.stringify((await app()('GET /todos')).body)
  const answer = await app()('POST /todos', { todoTitle: 'unseen' }, { accept: 'text/html' })
  expectAnswer(answer, { status: 406, code: '6002' })
  assert.equal(JSON.stringify((await app()('GET /todos')).body), count)
})

test('a DELETE succeeds whatever its Accept, because there is nothing to show', async () => {
  const { memberId } = await createMember(app())
  const { todoId } = body(await app()('POST /todos', { todoTitle: 'a' }))
  for (const path of [`/todos/${todoId}`, `/members/${memberId}`]) {
    const deletion = () => app()(`DELETE ${path}`, undefined, { accept: 'text/html' })
    assert.equal((await app()(`DELETE ${path}.yaml`)).status, 406)
    expectAnswer(await deletion(), { status: 204 })
    expectAnswer(await deletion(), { status: 404, answers: { 'content-type': json } })
  }
})

const suffixes: readonly (readonly [string, string, RegExp])[] = [
  ['/todos.json', 'application/xml', json],
  ['/todos.xml?page=0', 'application/json', xml],
  ['/todos/{todo}.xml', 'application/json', xml],
  ['/members/{member}.json', 'image/png', json],
]
for (const [path, accept, expected] of suffixes) {
  test(`the suffix of ${path} wins over Accept '${accept}'`, async () => {
    const line = path.replace('{todo}', todo).replace('{member}', String(member.memberId))
    const answer = await app()(`GET ${line}`, undefined, { accept })
    assert.equal(answer.status, 200, answer.text)
    assert.match(header(answer, 'content-type'), expected)
  })
}

table(app, [
  {
    name: 'an unknown suffix is refused, and the refusal lists the known ones',
    request: `GET /todos/${unknownId}.csv`,
    status: 406,
    code: '6002',
    says: ['"extension" must be one of .json, .xml.'],
  },
  {
    name: 'the suffix is not part of the id',
    request: `GET /members/${unknownId}.json`,
    status: 404,
    code: 'e.xx.yy.5001',
    message: `Specified member not found. member id : ${unknownId}`,
  },
])

test('POST answers in the requested representation, and Location has no suffix', async () => {
  const created = await app()('POST /todos.xml', { todoTitle: 'by suffix' })
  const shown = meaning(expectXml(created, 201)) as Record<string, string>
  assert.equal(header(created, 'location'), `${app().url}/api/v1/todos/${shown.todoId}`)
  assert.equal(shown.todoTitle, 'by suffix')
  const accepted = await app()('POST /todos', { todoTitle: 'by accept' }, { accept: 'application/xml' })
  assert.equal((meaning(expectXml(accepted, 201)) as Record<string, string>).todoTitle, 'by accept')
})

test('XML of a member has the same content as JSON, with null as xsi:nil and empty text kept', async () => {
  const element = expectXml(await app()(`GET /members/${member.memberId}.xml`), 200)
  assert.equal(element.name, 'member')
  assert.deepEqual(meaning(element), asXml(member))
})

test('XML of a list is named after its resource and has the same items as JSON', async () => {
  for (const [list, item] of [
    ['todos', 'todo'],
    ['members', 'member'],
  ]) {
    const element = expectXml(await app()(`GET /${list}.xml`), 200)
    const asJson = (await app()(`GET /${list}`)).body
    assert.equal(element.name, list)
    assert.deepEqual(new Set(element.children.map((child) => child.name)), new Set([item]))
    assert.deepEqual(element.children.map(meaning), (asJson as Body[]).map(asXml))
  }
})

test('errors are XML if Accept asks for it, with the same content as in JSON', async () => {
  const answer = await app()('POST /members', {}, { accept: 'application/xml' })
  const element = expectXml(answer, 400)
  const asJson = body(await app()('POST /members', {}))
  assert.equal(element.name, 'error')
  const childNamed = (name: string) => element.children.find((child) => child.name === name)
  assert.equal(childNamed('code')?.text, asJson.code)
  assert.equal(childNamed('message')?.text, asJson.message)
  const details = childNamed('details')?.children ?? []
  assert.deepEqual(new Set(details.map((detail) => detail.name)), new Set(['detail']))
  assert.deepEqual(details.map(meaning), (asJson.details as Body[]).map(asXml))
})

test('an error is sent as problem details (RFC 9457) if Accept prefers them', async () => {
  const accept = 'application/problem+json, application/json;q=0.9'
  const answer = await app()('POST /todos', { todoTitle: '' }, { accept, 'x-track': 'the-problem' })
  assert.equal(answer.status, 400)
  assert.match(header(answer, 'content-type'), /^application\/problem\+json/)
  const problem = JSON.parse(answer.text) as Body
  assert.equal(problem.status, 400)
  assert.equal(problem.code, 'e.xx.fw.7001')
  assert.equal(problem.trackId, 'the-problem')
  for (const name of ['type', 'title', 'detail', 'instance']) {
    assert.ok(typeof problem[name] === 'string' && problem[name] !== '', `${name} in ${answer.text}`)
  }
  const details = problem.details as Body[]
  assert.deepEqual(
    details.map((detail) => `${detail.target} ${detail.code}`),
    ['todoTitle Size'],
  )
})

test('problem details with one code share their title, and detail names the member', async () => {
  const accept = 'application/problem+json, application/json;q=0.9'
  const problemOf = async (id: string) => body(await app()(`GET /members/${id}`, undefined, { accept }))
  const [one, other] = [await problemOf('a'), await problemOf('b')]
  assert.deepEqual([one.title, other.title], ['Resource not found.', 'Resource not found.'])
  assert.match(String(other.detail), /member id : b$/)
})

test('an error is plain JSON if Accept prefers it to problem details', async () => {
  const accept = 'application/json, application/problem+json;q=0.1'
  const answer = await app()(`GET /todos/${unknownId}`, undefined, { accept })
  expectAnswer(answer, { status: 404, code: '5001', answers: { 'content-type': json } })
})

for (const accept of [
  'application/problem+json',
  'application/json;q=0, application/xml;q=0, application/problem+json',
])
  test(`a success with Accept '${accept}' is 406, because problem details are for errors only`, async () => {
    const answer = await app()('GET /todos', undefined, { accept })
    assert.deepEqual([answer.status, header(answer, 'content-type')], [406, 'application/problem+json'])
  })

for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
  test(`${method} is 406 at a suffix that stands for no representation`, async () => {
    assert.equal((await app()(`${method} /todos.csv`)).status, 406)
  })

test('a success is plain JSON even if Accept prefers problem details', async () => {
  const answer = await app()('GET /todos', undefined, {
    accept: 'application/problem+json, application/json;q=0.5',
  })
  expectAnswer(answer, { status: 200, answers: { 'content-type': json } })
})

for (const path of ['/todos', '/members?page=0', '/nothing']) {
  test(`Vary of ${path} names the fields that its answer depends on`, async () => {
    const vary = header(await app()(`GET ${path}`), 'vary')
      .toLowerCase()
      .split(/\s*,\s*/)
    for (const name of ['accept', 'accept-language', 'accept-encoding', 'prefer'])
      assert.ok(vary.includes(name), `${name} in ${vary}`)
  })
}

const requestTypes: readonly (readonly [string, boolean])[] = [
  ['Application/JSON', true],
  ['application/json; charset=shift_jis', false],
  ['application/xml; charset=shift_jis', false],
  ['nonsense', false],
]
for (const [type, taken] of requestTypes) {
  test(`a body of the type '${type}' is ${taken ? 'accepted' : 'refused'}`, async () => {
    const answer = await app()('POST /todos', '{"todoTitle":"typed"}', { 'content-type': type })
    if (taken) return expectAnswer(answer, { status: 201 })
    expectAnswer(answer, {
      status: 415,
      code: '6003',
      details: ['Content-Type Pattern'],
      says: ['"Content-Type" must be one of application/json, application/xml, in UTF-8.'],
      answers: { accept: /application\/json.*application\/xml|application\/xml.*application\/json/ },
    })
  })
}

table(
  app,
  [
    {
      name: 'PATCH of a todo refuses JSON without the media type of a merge patch',
      request: 'PATCH /todos/{todo}',
      body: '{"todoTitle":"typed"}',
      headers: jsonBody,
      status: 415,
      code: '6003',
      says: ['"Content-Type" must be one of application/merge-patch+json, in UTF-8.'],
      answers: { 'accept-patch': 'application/merge-patch+json' },
    },
    {
      name: 'POST refuses a merge patch',
      request: 'POST /todos',
      body: '{"todoTitle":"typed"}',
      headers: mergePatch,
      status: 415,
      code: '6003',
    },
  ],
  async () => ({ todo }),
)

test('a byte order mark is accepted in JSON and in XML', async () => {
  expectAnswer(await app()('POST /todos', '\ufeff{"todoTitle":"bom"}', jsonBody), {
    status: 201,
    shows: { todoTitle: 'bom' },
  })
  expectAnswer(await app()('POST /todos', '\ufeff<todo><todoTitle>bom</todoTitle></todo>', xmlBody), {
    status: 201,
    shows: { todoTitle: 'bom' },
  })
})

const format: Promised = { status: 400, code: '7003', message: 'Request body format error occurred.' }
const xmlBodies: readonly (readonly [string, string, Promised])[] = [
  ['a plain todo', '<todo><todoTitle>a</todoTitle></todo>', { status: 201, shows: { todoTitle: 'a' } }],
  [
    'an unknown element',
    '<todo><todoTitle>a</todoTitle><colour>red</colour></todo>',
    { ...format, targets: ['colour'] },
  ],
]
table(
  app,
  xmlBodies.map(
    ([what, sent, promised]): Row => ({
      name: `XML with ${what} is answered with ${promised.status}`,
      request: 'POST /todos',
      body: sent,
      headers: xmlBody,
      ...promised,
    }),
  ),
)
