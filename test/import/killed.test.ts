import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../engines.ts'
import { request } from '../harness.ts'
import { type ServiceProcess, serve } from '../operations/child.ts'
import { csv, importsOf } from './imports.ts'

const size = 1_000

const importsAt = ({ url }: ServiceProcess) =>
  importsOf((line, body, headers) =>
    request(`${url}/api/v1`, line, { body, headers: { 'Content-Type': 'application/json', ...headers } }),
  )

for (const { name, url, skip } of databases)
  test(`${name}: if the service is killed during an import, another instance finishes the import, and no row is lost or doubled`, {
    skip,
  }, async (t) => {
    const environment = { DATABASE_URL: await url(t) }
    const first = await serve(t, { environment })
    // A SQLite file has one service at a time, so the second is started when the first is gone.
    const second = name === 'SQLite' ? undefined : await serve(t, { environment })
    const imports = importsAt(first)
    const titles = Array.from({ length: size }, (_, at) => `Title ${at}`)
    const importId = await imports.upload(
      'todos',
      csv(
        ['todoTitle'],
        titles.map((title) => [title]),
      ),
    )
    await imports.in(importId, 'ready')
    await imports.act(importId, 'apply')
    await imports.until(importId, ({ counts }) => (counts.applied ?? 0) > 0)
    // The first instance holds the lease of the imports.
    first.kill('SIGKILL')
    await first.exit
    const other = second ?? (await serve(t, { environment }))
    const done = await importsAt(other).in(importId, 'done')
    assert.equal(done.counts.applied, size)
    const { body } = await request(`${other.url}/api/v1`, 'GET /todos')
    const found = (body as readonly { todoTitle: string }[]).map(({ todoTitle }) => todoTitle)
    assert.deepEqual(found.toSorted(), titles.toSorted())
  })
