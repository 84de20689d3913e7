import assert from 'node:assert/strict'
import { before, type TestContext, test } from 'node:test'
import { type Answer, type Api, startApp } from '../harness.ts'

/** The answer that the specification promises to a request. */
export interface Promised {
  readonly status: number
  /** `7001` is short for `e.xx.fw.7001`. The following fields need it. */
  readonly code?: string
  readonly message?: string
  /** `todoTitle NotNull`: target and code of every detail, in order. */
  readonly details?: readonly string[]
  /** Only the targets, where the specification does not name the codes. */
  readonly targets?: readonly string[]
  /** The message of every detail, in order. */
  readonly says?: readonly string[]
  /** The exact value, a pattern, or false for a header that must be absent. */
  readonly answers?: Readonly<Record<string, string | RegExp | false>>
  /** Some of the fields of the body. */
  readonly shows?: Readonly<Record<string, unknown>>
}

/** A request and the promised answer. */
export interface Row extends Promised {
  readonly name: string
  /** `GET /todos/{todo}`: a word in braces stands for the given value of that name. */
  readonly request: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Given = Readonly<Record<string, string>>
export type Body = Record<string, unknown>

/** Runs steps one after another before the first test. Hooks of the test runner would all start at once. */
export const prepare = (step: (t: TestContext) => Promise<void>): void => {
  steps.push(step)
  if (steps.length > 1) return
  before(async (t) => {
    for (const one of steps) await one(t as TestContext)
  })
}
const steps: ((t: TestContext) => Promise<void>)[] = []

/**
 * One service for all tests of a file. It keeps all changes: otherwise it would store their age a minute after its start, and that
 * commit would change the tags of all lists.
 */
export const service = (settings?: Record<string, string>): (() => Api) => {
  let api: Api | undefined
  prepare(async (t) => {
    api = await startApp(t, { CHANGES_KEEP: 'off', ...settings })
  })
  return () => {
    assert.ok(api, 'the service has not started')
    return api
  }
}

/** A test for every row; `given` runs before each of them. */
export const table = (app: () => Api, rows: readonly Row[], given?: () => Promise<Given>): void => {
  for (const row of rows) {
    test(row.name, async () => {
      const line = filled(row.request, (await given?.()) ?? {})
      expectAnswer(await app()(line, row.body, { ...row.headers }), row)
    })
  }
}

export const expectAnswer = (answer: Answer, promised: Promised): void => {
  assert.equal(answer.status, promised.status, `status of ${answer.text.slice(0, 400)}`)
  expectEverywhere(answer.headers)
  expectHeaders(answer.headers, promised.answers ?? {})
  const { code, message, details, targets, says } = promised
  if (code ?? message ?? details ?? targets ?? says) expectError(answer, promised)
  if (promised.shows !== undefined) assert.deepEqual(subset(answer, promised.shows), promised.shows)
}

/** Asserts the header fields that every answer has, and the absence of those that none has. */
export const expectEverywhere = (headers: Readonly<Record<string, string>>): void => {
  expectHeaders(headers, {
    date: /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/,
    'x-track': /^[A-Za-z0-9._-]{1,64}$/,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    server: false,
    'x-powered-by': false,
    'set-cookie': false,
    'access-control-allow-origin': false,
  })
}

export const expectHeaders = (
  headers: Readonly<Record<string, string>>,
  promised: NonNullable<Promised['answers']>,
): void => {
  for (const [name, value] of Object.entries(promised)) {
    const actual = headers[name.toLowerCase()]
    if (value === false) assert.equal(actual, undefined, `header ${name}`)
    else if (typeof value === 'string') assert.equal(actual, value, `header ${name}`)
    else assert.match(actual ?? '(absent)', value, `header ${name}`)
  }
}

export const shortCode = (code: string): string => (/^\d{4}$/.test(code) ? `e.xx.fw.${code}` : code)

export const body = (answer: Answer): Body => {
  assert.ok(isObject(answer.body), `an object, not ${answer.text.slice(0, 200)}`)
  return answer.body
}

export const rows = (answer: Answer): Body[] => {
  assert.ok(Array.isArray(answer.body), `an array, not ${answer.text.slice(0, 200)}`)
  return answer.body.map((row: unknown) => {
    assert.ok(isObject(row))
    return row
  })
}

/** The rows in the envelope of a page. */
export const content = (answer: Answer): Body[] => rows({ ...answer, body: body(answer).content })

export const field = (answer: Answer, name: string): string => {
  const value = body(answer)[name]
  assert.equal(typeof value, 'string', `${name} in ${answer.text.slice(0, 200)}`)
  return String(value)
}

export const header = (answer: Answer, name: string): string => {
  const value = answer.headers[name.toLowerCase()]
  assert.ok(value !== undefined, `header ${name}`)
  return value
}

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
export const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
export const unknownId = '01890000-0000-7000-8000-000000000000'
export const mergePatch = { 'content-type': 'application/merge-patch+json' }
export const xmlBody = { 'content-type': 'application/xml' }
export const jsonBody = { 'content-type': 'application/json' }

const filled = (line: string, given: Given): string =>
  line.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = given[name]
    assert.ok(value !== undefined, `no value given for {${name}}`)
    return value
  })

const expectError = (answer: Answer, promised: Promised): void => {
  const error = body(answer)
  expectErrorShape(error)
  const details = (error.details ?? []) as Body[]
  assert.equal(error.code, shortCode(promised.code ?? ''), answer.text)
  if (promised.message !== undefined) assert.equal(error.message, promised.message)
  if (promised.details !== undefined) {
    assert.deepEqual(
      details.map((detail) => `${detail.target} ${detail.code}`),
      promised.details,
    )
  }
  if (promised.targets !== undefined) {
    assert.deepEqual(
      details.map((detail) => detail.target),
      promised.targets,
    )
  }
  if (promised.says !== undefined) {
    assert.deepEqual(
      details.map((detail) => detail.message),
      promised.says,
    )
  }
}

/** Asserts that an error has code, message, target, details and allowed values, nothing else, and nothing empty. */
export const expectErrorShape = (error: unknown): void => {
  assert.ok(isObject(error), 'an error object')
  const { code, message, target, details, allowed, ...others } = error
  assert.deepEqual(others, {}, 'an error has no other fields')
  assert.match(String(code), /^\S+$/)
  assert.ok(typeof message === 'string' && message !== '', 'a message')
  if ('target' in error) assert.ok(typeof target === 'string' && target !== '', 'a target that is not empty')
  if ('allowed' in error) assert.ok(Array.isArray(allowed) && allowed.length > 0, 'allowed values')
  if (!('details' in error)) return
  assert.ok(Array.isArray(details) && details.length > 0, 'details that are not empty')
  for (const detail of details) expectErrorShape(detail)
}

const subset = (answer: Answer, shape: Body): Body => {
  const whole = body(answer)
  return Object.fromEntries(Object.keys(shape).map((name) => [name, whole[name]]))
}
