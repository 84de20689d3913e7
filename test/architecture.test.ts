import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fieldOf } from './access/callers.ts'
import { filesRunBy } from './files-run.ts'
import { startApp } from './harness.ts'
import { john } from './people.ts'

const root = new URL('..', import.meta.url)

/** The files that ARCHITECTURE.md names below this heading, as in `http/api/router`. */
const namedBelow = (text: string, heading: string): readonly string[] => {
  const [, after = ''] = text.split(`### \`${heading}\`\n`)
  const steps = after.split(/^(?:###? |A refusal)/m)[0] ?? ''
  return [...steps.matchAll(/`((?:[\w-]+\/)+[\w-]+)`/g)].map(([, name = '']) => name)
}

test('the requests described in ARCHITECTURE.md visit the files that it names for them', async (t) => {
  const text = await readFile(new URL('ARCHITECTURE.md', root), 'utf8')
  const api = await startApp(t)
  const memberId = fieldOf(await api('POST /members', john), 'memberId')
  await api('POST /todos', { todoTitle: 'Before' })
  const requests = {
    'GET /api/v1/members/<id>': () => api(`GET /members/${memberId}`),
    'POST /api/v1/todos': () => api('POST /todos', { todoTitle: 'Buy milk' }),
  }
  for (const [heading, request] of Object.entries(requests)) {
    const named = namedBelow(text, heading)
    assert.ok(named.length > 15, heading)
    const visited = await filesRunBy(request)
    assert.deepEqual(
      named.filter((name) => !visited.has(name)),
      [],
      heading,
    )
    assert.equal(new Set(named).size, named.length, 'each is named once')
  }
})
