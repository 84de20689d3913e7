import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../free-port.ts'
import { freshFolder } from '../fresh-folder.ts'
import { serve } from '../operations/child.ts'
import { rollcall } from './warm.ts'

const noOpenssl = spawnSync('openssl', ['version']).error ? 'there is no openssl' : false

const certificate = (folder: string) => {
  const [TLS_KEY, TLS_CERT] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -subj /CN=rollcall.example -nodes -days 1'
  execFileSync('openssl', [...words.split(' '), '-keyout', TLS_KEY, '-out', TLS_CERT], { stdio: 'ignore' })
  return { TLS_KEY, TLS_CERT }
}

test('the health command finds the service by its settings: port, TLS, no management listener', async (t) => {
  const folder = freshFolder()
  const tls = noOpenssl ? {} : certificate(folder)
  for (const settings of [{}, tls, { MANAGEMENT_PORT: 'off' }, { MANAGEMENT_PORT: 'off', ...tls }]) {
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
    service.kill('SIGINT')
    await service.exit
  }
})
