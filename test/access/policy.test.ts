import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { basicRequired } from '#access/challenge.ts'
import { policyGuard } from '#access/policy.ts'
import { administrator, clientPrincipal, memberPrincipal, openAccess } from '#access/principals.ts'
import { recognition } from '#access/recognition.ts'
import { Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import { originReader } from '#http/wire/origin.ts'
import { policyOf } from '#resources/combined.ts'
import { resources } from '#resources/index.ts'
import { keyScopes } from '#resources/key/declaration.ts'
import { type Answer, type Api, startApp } from '../harness.ts'
import { john } from '../people.ts'
import { asRoot, basic, enrol, fieldOf, startBasic } from './callers.ts'
import { bearer, startIssuer, startOauth } from './issuer.ts'
import { type Attempt, attempts, documentRows, operationsOf, receiver } from './matrix.ts'

const policy = policyOf(resources)

type Headers = Readonly<Record<string, string>>

const rows = documentRows()

const rowOf = (attempt: Attempt) => {
  const row = rows.find(({ operation }) => operationsOf[operation]?.includes(attempt.operation))
  assert.ok(row, attempt.operation)
  return row
}

const reduced = ['firstName', 'lastName', 'memberId']

/** The view of members in an answer: `full`, `reduced`, or nothing. */
const shownBy = ({ body }: Answer) => {
  const { content = body } = Object(body) as { content?: unknown }
  const items = [content].flat().filter((item) => Object(item).memberId !== undefined)
  if (items.length === 0) return 'nothing'
  return items.every(
    (item) =>
      Object.keys(item as object)
        .sort()
        .join() === reduced.join(),
  )
    ? 'reduced'
    : 'full'
}

let people = 0

/** Ids of targets that no attempt has changed yet, by service and collection. */
const untouched = new Map<string, string>()

/** The id for a request: of an untouched member or todo, or of a new one. */
const targetOf = async (api: Api, line: string, able: Headers) => {
  const place = placeOf(api, line)
  const known = untouched.get(place)
  if (known) return known
  people++
  const member = { ...john, credential: { signId: `target ${people}`, password: 'swordfish' } }
  const bodies: Readonly<Record<string, [body: object, id: string]>> = {
    todos: [{ todoTitle: 'target' }, 'todoId'],
    webhooks: [receiver, 'webhookId'],
    keys: [{ name: 'target', scopes: ['todos:read'] }, 'keyId'],
    members: [member, 'memberId'],
  }
  const collection = line.split('/')[1] ?? ''
  const [body, name] = bodies[collection] ?? [{}, '']
  const id = fieldOf(await api(`POST /${collection}`, body, able), name)
  untouched.set(place, id)
  return id
}

const placeOf = (api: Api, line: string) => `${api.url} ${line.split('/')[1]}`

/** Makes one attempt, and a change also in a batch unless it is to be alone. A changed member or todo is not used again. */
const make = async (
  api: Api,
  { line, body }: Attempt,
  {
    as,
    able,
    id,
    isAlone = id !== undefined,
  }: { as: Headers; able: Headers; id?: string; isAlone?: boolean },
) => {
  const isChange = !line.startsWith('GET')
  const sent = async () => {
    const target = line.includes(':id') ? (id ?? (await targetOf(api, line, able))) : ''
    const text = body === undefined ? undefined : JSON.stringify(body).replace(':new', `new ${++people}`)
    return { line: line.replace(':id', target), text }
  }
  const done = (status: number) => isChange && status < 300 && untouched.delete(placeOf(api, line))
  const batched = isChange && !isAlone ? await inBatch(api, await sent(), as) : undefined
  if (batched) done(batched)
  const alone = await sent()
  const json = line.startsWith('PATCH') ? 'application/merge-patch+json' : 'application/json'
  const type = body === undefined ? {} : { 'content-type': json }
  const answer = await api(alone.line, alone.text, { ...type, ...as })
  done(answer.status)
  if (batched)
    assert.equal(
      batched,
      mustBeAlone.test(line) ? Math.max(batched, 400) : answer.status,
      `${line} in a batch`,
    )
  return answer
}

/** Operations that no batch may contain, whoever sends it. */
const mustBeAlone =
  /tokens$|^PUT .*(?:credential|invitation)$|invitations?$|batch$|secret$|test$|imports|views|^POST .(?:keys|webhooks)$/

/** The status of a request as the only operation of a batch. */
const inBatch = async (api: Api, { line, text }: { line: string; text: string | undefined }, as: Headers) => {
  const [method, path] = line.split(' ')
  const operation = { method, path: `/api/v1${path}`, ...(text && { body: JSON.parse(text) }) }
  const { status, body } = await api('POST /batch', { atomic: false, operations: [operation] }, as)
  const { responses = [] } = body as { readonly responses?: readonly { readonly status: number }[] }
  return responses[0]?.status ?? status
}

const expect = (
  answer: Answer,
  attempt: Attempt,
  { status, shows }: { status: number; shows?: string },
  who: string,
) => {
  const cell = `${who}: ${attempt.line}`
  assert.equal(answer.status, status, cell)
  if (shows !== undefined) assert.equal(shownBy(answer), shows, cell)
}

test('the operations tried below cover every row of the documented table of rights and of the policy', () => {
  assert.deepEqual(Object.keys(operationsOf).sort(), rows.map(({ operation }) => operation).sort())
  assert.deepEqual(Object.values(operationsOf).flat().sort(), Object.keys(policy).sort())
  assert.deepEqual(
    [...new Set(attempts.map(({ operation }) => operation))].sort(),
    Object.keys(policy).sort(),
  )
})

test('open: everyone may do everything', async (t) => {
  const api = await startApp(t)
  for (const attempt of attempts) {
    const status = rowOf(attempt).open === 'yes' ? attempt.done : 403
    expect(await make(api, attempt, { as: {}, able: {} }), attempt, { status }, 'open')
  }
})

test('basic: the administrator may do everything, a caller without a credential nothing', async (t) => {
  const api = await startBasic(t)
  for (const attempt of attempts) {
    assert.equal(rowOf(attempt).administrator, attempt.operation === 'members:invited' ? '403' : 'yes')
    assert.equal(rowOf(attempt).anonymous, '401')
    expect(
      await make(api, attempt, { as: asRoot, able: asRoot }),
      attempt,
      { status: attempt.done, ...(attempt.operation === 'members:read' && { shows: 'full' }) },
      'administrator',
    )
    expect(await make(api, attempt, { as: {}, able: asRoot }), attempt, { status: 401 }, 'anonymous')
  }
})

/** The expected outcomes for a member's own record and for others, by the text of the cell. */
const memberCells: Readonly<Record<string, (done: number) => { self: Expected; others: Expected }>> = {
  yes: (done) => ({ self: { status: done }, others: { status: done } }),
  'reduced view only': (done) => ({
    self: { status: done, shows: 'reduced' },
    others: { status: done, shows: 'reduced' },
  }),
  '403': () => ({ self: { status: 403 }, others: { status: 403 } }),
  'itself in full, others reduced': (done) => ({
    self: { status: done, shows: 'full' },
    others: { status: done, shows: 'reduced' },
  }),
  itself: (done) => ({ self: { status: done }, others: { status: 403 } }),
}

interface Expected {
  readonly status: number
  readonly shows?: string
}

test('basic: a member with the role of administrator may do what the configured administrator may, and a suspended member nothing', async (t) => {
  const api = await startBasic(t)
  const [mary, paul] = [await enrol(api, 'mary'), await enrol(api, 'paul')]
  await api(`PUT /members/${mary.memberId}/role`, { role: 'administrator' }, asRoot)
  await api(`PUT /members/${paul.memberId}/role`, { role: 'suspended' }, asRoot)
  let failures = 0
  for (const attempt of attempts) {
    const able = { as: mary.headers, able: asRoot }
    expect(await make(api, attempt, able), attempt, { status: attempt.done }, 'administrator by role')
    // The eleventh failure within a minute gets 429.
    if (attempt.line.startsWith('GET') && ++failures <= 10)
      expect(
        await make(api, attempt, { as: paul.headers, able: asRoot }),
        attempt,
        { status: 401 },
        'suspended',
      )
  }
})

test('basic: a token has the rights of its owner, but cannot make a token', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const tokenOf = async (headers: Headers) =>
    bearer(fieldOf(await api('POST /tokens', undefined, headers), 'token'))
  for (const attempt of attempts) {
    const isMade = attempt.line !== 'POST /tokens'
    const byRoot = await make(api, attempt, { as: await tokenOf(asRoot), able: asRoot })
    expect(byRoot, attempt, { status: isMade ? attempt.done : 403 }, "administrator's token")
    const cell = memberCells[rowOf(attempt).member]?.(attempt.done).others
    const byMary = await make(api, attempt, { as: await tokenOf(mary.headers), able: asRoot })
    expect(byMary, attempt, isMade && cell ? cell : { status: 403 }, "member's token")
  }
})

test('a key has the rights of its scopes, but cannot make keys, assign roles or save views', async (t) => {
  const issuer = await startIssuer(t)
  const api = await startOauth(t, issuer.url)
  const all = bearer(await issuer.token({ scope: rows.flatMap((row) => row.scopes).join(' ') }))
  const named = new Set(
    rows.flatMap((row) => row.scopes).filter((scope) => !/^keys|role$|restore$/.test(scope)),
  )
  assert.deepEqual(new Set(keyScopes), new Set([...named].flatMap((together) => together.split(' '))))
  for (const together of named) {
    const scopes = together.split(' ')
    const made = await api('POST /keys', { name: 'a', scopes }, all)
    const as = bearer(fieldOf(made, 'secret'))
    for (const attempt of attempts) {
      const isGiven = isPermitted(attempt, scopes)
      // One guard judges keys and tokens, and the test of tokens tries everything: two keys show that it judges keys too.
      if (!isGiven && !/^(?:members|webhooks):read$/.test(together)) continue
      const status = isGiven && attempt.operation !== 'me:update' ? attempt.done : 403
      expect(
        await make(api, attempt, { as, able: all, isAlone: true }),
        attempt,
        { status },
        `key ${together}`,
      )
    }
  }
})

test('basic: a member has the documented rights over itself and over others', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  for (const attempt of attempts) {
    const cell = memberCells[rowOf(attempt).member]?.(attempt.done)
    assert.ok(cell, `the document says ${rowOf(attempt).member}`)
    const others = await make(api, attempt, { as: mary.headers, able: asRoot })
    expect(others, attempt, cell.others, 'member, others')
    const self = await make(api, attempt, { as: mary.headers, able: asRoot, id: mary.memberId })
    if (attempt.line.includes('/members')) expect(self, attempt, cell.self, 'member, itself')
  }
})

test('oauth: a token has the rights of its scopes and no others', async (t) => {
  const issuer = await startIssuer(t)
  const api = await startOauth(t, issuer.url)
  const scopes = [
    ...new Set(rows.flatMap((row) => row.scopes)),
    'READ',
    'CREATE',
    'UPDATE',
    'DELETE',
    'other',
    'keys:create todos:read',
    'keys:update todos:read',
  ]
  const all = bearer(await issuer.token({ scope: scopes.join(' ') }))
  for (const scope of scopes) {
    const as = bearer(await issuer.token({ scope }))
    const given = scope.split(' ')
    // A scope that permits no batch is refused every batch: once is enough.
    const isAlone = !attempts.some((attempt) => attempt.line === 'POST /batch' && isPermitted(attempt, given))
    for (const attempt of attempts) {
      const isNamed = isInScope(attempt, given)
      assert.equal(admits(clientPrincipal('robot', new Set(given)), attempt.operation), isNamed, scope)
      // Two scopes show that every route asks the guard, which has just been asked for all of them.
      if (!isNamed && !/^(?:members|webhooks):read$/.test(scope)) continue
      const status = isPermitted(attempt, given) ? attempt.done : 403
      expect(await make(api, attempt, { as, able: all, isAlone }), attempt, { status }, scope)
    }
  }
  for (const attempt of attempts) {
    expect(await make(api, attempt, { as: {}, able: all }), attempt, { status: 401 }, 'anonymous')
  }
})

/** The key that is made or changed may read todos, and nobody makes or changes a key with more rights than their own. */
const isPermitted = (attempt: Attempt, given: readonly string[]) =>
  isInScope(attempt, given) &&
  (!/^keys:(?:create|update)$/.test(attempt.operation) || given.includes('todos:read'))

const isInScope = (attempt: Attempt, given: readonly string[]) =>
  attempt.operation.startsWith('me:') ||
  scopesFor(attempt).some((needed) => needed.split(' ').every((one) => given.includes(one)))

/** The scopes of the document's row that permit the operation. */
const scopesFor = (attempt: Attempt): readonly string[] => {
  const verbs: Readonly<Record<string, string>> = {
    list: 'read',
    credential: 'update',
    invite: 'update',
    history: 'read',
  }
  if (attempt.operation === 'batch:create') return [...rowOf(attempt).scopes, 'CREATE', 'UPDATE', 'DELETE']
  if (/import/.test(attempt.operation)) return rowOf(attempt).scopes
  const verb = attempt.operation.split(':')[1] ?? ''
  const named = rowOf(attempt).scopes.filter((scope) => scope.endsWith(`:${verbs[verb] ?? verb}`))
  if (!attempt.line.includes('/todos')) return named
  return [...named, verb === 'history' ? 'changes:read READ' : verb.toUpperCase()]
}

const caller = {
  incoming: new IncomingMessage(new Socket()),
  authority: undefined,
  address: '127.0.0.1',
  exchange: { triedSignId: undefined },
  origin: originReader('https://rollcall.example', undefined),
  prefix: '',
}

const guard = policyGuard(recognition({ authenticate: openAccess, refusal: basicRequired }), policy)

const admits = (principal: Principal, operation: string) => {
  try {
    return Boolean(guard.admit(principal, { operation, params: {}, caller }))
  } catch (error) {
    assert.ok(error instanceof Problem && error.kind === 'forbidden', String(error))
    return false
  }
}

test('an operation without a row in the policy is forbidden to members, and permitted by the scope of its name', () => {
  const robot = (scope: string) => clientPrincipal('robot', new Set([scope]))
  for (const one of [administrator, robot('cars:read')]) assert.equal(admits(one, 'cars:read'), true)
  for (const one of [memberPrincipal('m1'), robot('members:read')])
    assert.equal(admits(one, 'cars:read'), false)
})

const secrets = [
  'genderCode',
  'dateOfBirth',
  'emailAddress',
  'telephoneNumber',
  'zipCode',
  'address',
  'createdAt',
  'lastModifiedAt',
]

test('a member cannot sort or filter by fields that it cannot see', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const refusal = async (query: string) => {
    const { status, body } = await api(`GET /members?${query}`, undefined, mary.headers)
    const { code, details } = body as {
      code?: string
      details?: readonly { code: string; target: string; message: string }[]
    }
    for (const hidden of secrets.filter((name) => !query.includes(name)))
      assert.doesNotMatch(details?.[0]?.message ?? '', new RegExp(hidden))
    return { status, code, detail: `${details?.[0]?.target} ${details?.[0]?.code}` }
  }
  for (const property of secrets) {
    const expected = { status: 400, code: 'e.xx.fw.7002', detail: 'sort Pattern' }
    assert.deepEqual(await refusal(`sort=${property}`), expected, property)
    assert.equal((await api(`GET /members?sort=${property}`, undefined, asRoot)).status, 200)
  }
  for (const name of [
    'createdFrom',
    'createdTo',
    'signId',
    'q',
    'emailAddress',
    'bornFrom',
    'birthdayFrom',
    'birthdayTo',
    'modifiedTo',
    'genderCode',
  ]) {
    const expected = { status: 400, code: 'e.xx.fw.7002', detail: `${name} Unknown` }
    for (const value of ['2020-01-01', 'nonsense'])
      assert.deepEqual(await refusal(`${name}=${value}`), expected)
  }
  for (const query of [
    'sort=firstName',
    'sort=lastName,desc&page=0',
    'name=john',
    'view=full',
    'view=detailed',
    'links=true',
  ]) {
    const answer = await api(`GET /members?${query}`, undefined, mary.headers)
    assert.equal(answer.status, 200, query)
    for (const secret of secrets) assert.ok(!answer.text.includes(secret), `${query} reveals ${secret}`)
  }
  assert.equal((await api('GET /todos?createdFrom=2020-01-01', undefined, mary.headers)).status, 200)
  const hidden = { status: 400, code: 'e.xx.fw.7002', detail: 'fields Pattern' }
  assert.deepEqual(await refusal('fields=lastName,dateOfBirth'), hidden)
  assert.equal((await api('GET /members?fields=lastName', undefined, mary.headers)).status, 200)
})

test('no ETag, date or precondition reveals to a member that hidden fields of another changed', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const john1 = await enrol(api, 'john')
  const path = `/members/${john1.memberId}`
  const { credential: _, ...profile } = john
  const cursors: string[] = []
  const seen = async (headers: Headers) => {
    const [item, list, page] = await Promise.all(
      [path, '/members', '/members?page=0'].map((at) =>
        api(`GET ${at}`, undefined, { ...mary.headers, ...headers }),
      ),
    )
    return [item, list, page].map((answer) => {
      const { 'x-track': _, date: __, 'change-cursor': cursor, ...fields } = answer?.headers ?? {}
      if (cursor !== undefined) cursors.push(cursor)
      return { status: answer?.status, fields, text: answer?.text }
    })
  }
  const conditions: readonly Headers[] = [
    {},
    { 'if-match': '"1-j.abcde"' },
    { 'if-match': '"2-j.abcde"' },
    { 'if-none-match': '"1-j-reduced.abcde"' },
    { 'if-none-match': '"2-j-reduced.abcde"' },
    { 'if-modified-since': new Date().toUTCString() },
    { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' },
  ]
  const before = await Promise.all(conditions.map(seen))
  const tag = before[0]?.[0]?.fields.etag ?? ''
  assert.match(tag, /^"[\w-]{16}-j-reduced\.[\w-]{5}"$/)
  assert.equal(before[0]?.[0]?.fields['last-modified'], undefined)
  const change = { ...profile, emailAddress: 'new@example.com' }
  assert.equal((await api(`PUT ${path}`, change, asRoot)).status, 200)
  assert.deepEqual(await Promise.all(conditions.map(seen)), before)
  assert.ok(cursors.length > 0 && new Set(cursors).size === cursors.length, 'no two cursors are alike')
  const known = { ...mary.headers, 'if-none-match': tag }
  assert.equal((await api(`GET ${path}`, undefined, known)).status, 304)
  await api(`PUT ${path}`, { ...change, lastName: 'Jones' }, asRoot)
  assert.equal((await api(`GET ${path}`, undefined, known)).status, 200)
})

test('a forbidden DELETE reveals neither whether the member exists nor its version', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const john1 = await enrol(api, 'john')
  const unknownId = john1.memberId.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const answers = await Promise.all(
    [john1.memberId, unknownId].flatMap((id) =>
      [{}, { 'if-match': '"1-j.abcde"' }, { 'if-match': '"9-j.abcde"' }].map(async (headers) => {
        const { status, text } = await api(`DELETE /members/${id}`, undefined, {
          ...mary.headers,
          ...headers,
        })
        return { status, text }
      }),
    ),
  )
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  assert.equal(answers[0]?.status, 403)
  assert.equal((await api('GET /todos', undefined, basic('john', 'swordfish'))).status, 200)
})

test("a member gets 400 for the administrator's cursor", async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  await enrol(api, 'bob')
  const cursorOf = async (sort: string, as: Readonly<Record<string, string>>) => {
    const { links } = (await api(`GET /members?cursor=&size=1&sort=${sort}`, undefined, as)).body as {
      links: readonly { readonly rel: string; readonly href: string }[]
    }
    return new URL(links.find(({ rel }) => rel === 'next')?.href ?? '').searchParams.get('cursor') ?? ''
  }
  const [all, own] = [await cursorOf('dateOfBirth', asRoot), await cursorOf('firstName', mary.headers)]
  const [payload = ''] = own.split('.')
  assert.doesNotMatch(Buffer.from(payload, 'base64url').toString(), /1983|example/)
  const status = async (query: string) =>
    (await api(`GET /members?size=1&${query}`, undefined, mary.headers)).status
  assert.equal(await status(`sort=firstName&cursor=${own}`), 200)
  for (const query of [`sort=dateOfBirth&cursor=${all}`, `cursor=${all}`, `sort=firstName&cursor=${all}`])
    assert.equal(await status(query), 400, query)
})
