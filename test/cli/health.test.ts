import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { certificate, noOpenssl } from '../certificate.ts'
import { freePort } from '../free-port.ts'
import { freshFolder } from '../fresh-folder.ts'
import { serve } from '../operations/child.ts'
import { rollcall } from './warm.ts'

test('the health command reaches a service with TLS, and one without a management listener', async (t) => {
  const folder = freshFolder()
  const tls = noOpenssl ? {} : certificate()
  for (const settings of [tls, { MANAGEMENT_PORT: 'off' }]) {
    const ports = { PORT: String(await freePort()), MANAGEMENT_PORT: String(await freePort()) }
    const file = join(folder, 'settings')
    await writeFile(file, 'ACCESS=basic\nHOST=0.0.0.0\nMANAGEMENT_HOST=0.0.0.0\n')
    const environment = { DATABASE_URL: 'sqlite::memory:', SETTINGS_FILE: file, ...ports, ...settings }
    const before = await rollcall(['health'], { environment })
    assert.deepEqual([before.code, /does not answer/.test(before.err)], [1, true], before.err)
    const service = await serve(t, { environment })
    const { code, out, err } = await rollcall(['health'], { environment })
    assert.deepEqual(
      [code, /answers with 20[04]\./.test(out)],
      [0, true],
      `${JSON.stringify(settings)} ${err}`,
    )
    const asJson = await rollcall(['health', '--json'], { environment })
    assert.deepEqual([asJson.code, JSON.parse(asJson.out).isUp], [0, true])
    service.kill('SIGINT')
    await service.exit
  }
})
