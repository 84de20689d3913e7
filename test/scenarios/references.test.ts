import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reference, resource, Text } from '#src/resource.ts'
import { databases } from '../engines.ts'
import { request, startApp } from '../harness.ts'
import { john } from '../people.ts'

const loan = resource({ name: 'loan', fields: { memberId: Reference('member'), title: Text(1, 60) } })

interface Refused {
  readonly code: string
  readonly details: readonly { readonly code: string; readonly target?: string }[]
}

for (const { name, url, skip } of databases) {
  test(`${name}: a reference to a missing record is refused with its field, and not as an error of the service`, {
    skip,
  }, async (t) => {
    const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [loan] })
    const call = (method: string, path: string, body?: object) =>
      request(`${api.url}/api`, `${method} /v1${path}`, {
        body: body && JSON.stringify(body),
        headers: {
          'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        },
      })
    const { memberId } = (await api('POST /members', john)).body as { readonly memberId: string }
    const unknown = '019e6a3c-6c00-7000-8000-000000000009'
    const made = await call('POST', '/loans', { memberId, title: 'a' })
    const path = `/loans/${(made.body as { readonly loanId: string }).loanId}`
    for (const refused of [
      await call('POST', '/loans', { memberId: unknown, title: 'a' }),
      await call('PUT', path, { memberId: unknown, title: 'a' }),
      await call('PATCH', path, { memberId: unknown }),
    ]) {
      const { code, details } = refused.body as Refused
      assert.deepEqual([refused.status, code], [409, 'e.xx.fw.8002'])
      assert.deepEqual([details[0]?.code, details[0]?.target], ['Reference', 'memberId'])
    }
    assert.equal((await call('DELETE', `/members/${memberId}`)).status, 409)
    assert.deepEqual(
      api.log.filter(({ level }) => level === 'error'),
      [],
    )
  })
}
