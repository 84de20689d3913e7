import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { type Api, startApp } from '../harness.ts'
import { john } from '../people.ts'
import { projectRoot } from '../program.ts'
import { serviceFile } from '../sqlite-file.ts'

const guide = readFileSync(join(projectRoot, 'docs/resources.md'), 'utf8')

/** The module as each step of the guide shows it. */
const steps = [...guide.matchAll(/^```ts\n(\/\/ loan\.ts\n.*?)^```$/gms)].map(([, code = '']) => code)

const saw = { title: 'Saw', due: '2096-12-24', kind: 'tool' }
const unknownId = '019e6a3c-6c00-7000-8000-000000000009'

/** A loan as the service shows it. */
type Loan = Readonly<Record<string, string | null>>

const detailOf = (answer: { readonly body: unknown }) => {
  const { code, details = [] } = answer.body as { code: string; details?: { code: string; target: string }[] }
  return [code, details[0]?.code, details[0]?.target]
}

/** Starts the service on the same database with each step of the guide in turn, and checks what its text says. */
const checks: readonly ((api: Api, loans: Loan[]) => Promise<void>)[] = [
  async (api, loans) => {
    const first = await api('POST /loans', { ...saw, shelf: 'A1' })
    assert.equal(first.status, 201, first.text)
    loans.push(first.body as Loan)
    const taken = await api('POST /loans', { ...saw, shelf: 'ａ1' })
    assert.deepEqual([taken.status, ...detailOf(taken)], [409, 'e.xx.fw.8002', 'Unique', 'shelf'])
    for (const query of ['title=ＳＡ', 'q=a1', 'dueFrom=2096-12-24', 'kind=tool', 'sort=shelf,desc&size=5']) {
      const found = (await api(`GET /loans?${encodeURI(query)}`)).body as { content?: Loan[] }
      assert.equal((found.content ?? (found as Loan[])).length, 1, query)
    }
    assert.equal((await api(`GET /loans/${loans[0]?.loanId}/history`)).status, 200)
  },
  async (api, loans) => {
    const [before] = loans
    const now = (await api(`GET /loans/${before?.loanId}`)).body
    assert.deepEqual(now, { ...before, memberId: null })
    const unknown = await api('POST /loans', { ...saw, memberId: unknownId })
    assert.deepEqual([unknown.status, ...detailOf(unknown)], [409, 'e.xx.fw.8002', 'Reference', 'memberId'])
    const { memberId } = (await api('POST /members', john)).body as { memberId: string }
    assert.equal((await api('POST /loans', { ...saw, memberId })).status, 201)
    const kept = await api(`DELETE /members/${memberId}`)
    assert.deepEqual([kept.status, detailOf(kept)[0]], [409, 'e.xx.fw.8002'])
  },
  async (api) => {
    const past = await api('POST /loans', { ...saw, due: '1999-01-01' })
    assert.deepEqual([past.status, ...detailOf(past)], [400, 'e.xx.fw.7001', 'Future', 'due'])
    assert.equal((await api('POST /loans', saw)).status, 201)
  },
  async (api, loans) => {
    const path = `/loans/${loans[0]?.loanId}/returned`
    const returned = await api(`POST ${path}`)
    assert.equal(returned.status, 200, returned.text)
    assert.match(String((returned.body as Loan).returnedOn), /^\d{4}-\d\d-\d\d$/)
    assert.equal((await api(`POST ${path}`, undefined, { 'If-Match': '"0"' })).status, 412)
  },
]

const startStep = async (t: TestContext, url: string, code: string) => {
  const module = join(freshFolder(), 'loan.ts')
  await writeFile(module, code)
  return startApp(t, { DATABASE_URL: url, RESOURCES: module })
}

test("the guide to resources of one's own works in each step as its text says, on the database of the previous step", async (t) => {
  assert.equal(steps.length, checks.length)
  const database = serviceFile()
  const loans: Loan[] = []
  for (const [at, check] of checks.entries()) {
    const api = await startStep(t, database, steps[at] ?? '')
    await check(api, loans)
    await api.close()
  }
})
