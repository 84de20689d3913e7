import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { sqlitePathOf } from '#sql/open.ts'
import { exitCodes } from '#src/cli/exit.ts'
import { readSettingsFile } from '#src/cli/settings.ts'
import { settings } from '#src/config/settings.ts'
import { readFromSources } from '#src/config.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { administer, noPostgres, startServer } from '../postgres.ts'
import { main } from '../program.ts'
import { haproxyConfiguration } from './real-balancer.ts'

const skip = await noPostgres()

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

test('dashboard and alerts use only metrics that exist, and every metric of Rollcall', async (t) => {
  const api = await startApp(t)
  await api('GET /todos')
  const text = await (await fetch(`${api.management}/metrics`)).text()
  const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
  const used = (await Promise.all(['deploy/grafana.json', 'deploy/alerts.yaml'].map(read)))
    .flatMap((file) => [...file.matchAll(/\b(?:rollcall|nodejs|process)_[a-z0-9_]+/g)])
    .map(([name]) => name.replace(/_(bucket|count|sum)$/, ''))
  assert.ok(used.length > 20)
  assert.deepEqual(
    [...new Set(used)].filter((name) => !known.has(name)),
    [],
  )
  const own = [...known].filter((name = '') => name.startsWith('rollcall_'))
  assert.deepEqual(
    own.filter((name = '') => !used.includes(name)),
    [],
  )
})

test('every variable in the deployment files is a known setting', async () => {
  const files = await Promise.all(
    [
      'compose.yaml',
      'Dockerfile',
      'deploy/rollcall.service',
      'deploy/rollcall@.service',
      'deploy/settings',
      'deploy/kubernetes.yaml',
    ].map(read),
  )
  const matches = files.flatMap((file) => [
    ...file.matchAll(/^\s+([A-Z_]+): /gm),
    ...file.matchAll(/Environment=([A-Z_]+)=/g),
    ...file.matchAll(/^#?([A-Z_]+)=/gm),
    ...file.matchAll(/^(?:ENV)?\s+([A-Z_]+)=/gm),
    ...file.matchAll(/\{ name: ([A-Z_]+), value/g),
  ])
  const foreign = /^(POSTGRES|PG|NODE_ENV|NODE_OPTIONS)/
  const names = [...new Set(matches.map(([, name = '']) => name))].filter((name) => !foreign.test(name))
  assert.ok(names.length >= 6, names.join())
  assert.deepEqual(
    names.filter((name) => !(name in settings)),
    [],
  )
})

test('Kubernetes and Docker give a starting service an hour for migrations before they check whether it is alive', async () => {
  const [, periodSeconds, failureThreshold] =
    /startupProbe:\n.*live, port: management \}\n +periodSeconds: (\d+)\n +failureThreshold: (\d+)\n/.exec(
      await read('deploy/kubernetes.yaml'),
    ) ?? []
  assert.equal(Number(periodSeconds) * Number(failureThreshold), 3_600)
  assert.match(await read('Dockerfile'), /HEALTHCHECK .*--start-period=1h /)
})

test('the systemd unit and the commands find the database through the settings file', async () => {
  const unit = await read('deploy/rollcall.service')
  const environment = Object.fromEntries(
    Array.from(unit.matchAll(/^Environment=(\w+)=(.*)$/gm), ([, name = '', value]) => [name, value]),
  )
  assert.deepEqual(Object.keys(environment), ['SETTINGS_FILE', 'NODE_OPTIONS'])
  const manual = await read('docs/operating.md')
  const named = new Set(
    Array.from(manual.matchAll(/(?:--settings-file |SETTINGS_FILE=)(\/\S+)/g), ([, path]) => path),
  )
  assert.deepEqual([...named], [environment.SETTINGS_FILE])
  const path = fileURLToPath(new URL('../../deploy/settings', import.meta.url))
  const { DATABASE_URL } = readFromSources({ flags: {}, environment, file: readSettingsFile(path) })
  assert.equal(DATABASE_URL, 'sqlite:/var/lib/rollcall/rollcall.db')
  assert.match(unit, /^StateDirectory=rollcall$/m)
  assert.match(unit, /^ProtectSystem=strict$/m)
  assert.match(unit, /^WorkingDirectory=\/$/m)
})

test('the unit for one instance per core differs from the ordinary unit only in its ports and the missing data folder', async () => {
  const [unit, instance] = await Promise.all(
    ['deploy/rollcall.service', 'deploy/rollcall@.service'].map(read),
  )
  const linesOf = (text = '') => text.slice(text.indexOf('[Unit]')).split('\n')
  const [own, all] = [linesOf(instance), linesOf(unit)]
  assert.deepEqual(
    own.filter((line) => !all.includes(line)),
    [
      'Description=Rollcall, a member registry and todo service, instance %i',
      'Environment=PORT=81%i',
      'Environment=MANAGEMENT_PORT=91%i',
    ],
  )
  assert.deepEqual(
    all.filter((line) => !own.includes(line)),
    [
      'Description=Rollcall, a member registry and todo service',
      'StateDirectory=rollcall',
      'StateDirectoryMode=0700',
    ],
  )
  const places = /8101 check port 9101/
  assert.match(instance ?? '', places)
  assert.match(haproxyConfiguration(), places)
})

test('the image keeps its database on the volume unless its settings name another one', async () => {
  const image = await read('Dockerfile')
  assert.doesNotMatch(image, /^[^#\n]*DATABASE_URL/m)
  const folder = [...image.matchAll(/^WORKDIR (\S+)$/gm)].at(-1)?.[1] ?? ''
  const [, volume = ''] = /^VOLUME (\S+)$/m.exec(image) ?? []
  const path = sqlitePathOf(readFromSources({ flags: {}, environment: {}, file: {} }).DATABASE_URL) ?? ''
  assert.equal(dirname(posix.resolve(folder, path)), volume)
})

test('the systemd timer and the cron line make a dated backup and keep the seven newest', async () => {
  const [, unit = ''] =
    /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(await read('deploy/rollcall-backup.service')) ?? []
  const [, line = ''] = /^[\d* ]+ rollcall (.*)$/m.exec(await read('deploy/rollcall-backup.cron')) ?? []
  const commands = [unit.replaceAll('%%', '%').replaceAll('$$', '$'), line.replaceAll('\\%', '%')]
  for (const command of commands) {
    const folder = freshFolder()
    const database = `sqlite:${join(folder, 'a.db')}`
    const rollcall = `rollcall() { '${process.execPath}' '${main}' "$@"; }; SETTINGS_FILE=/dev/null`
    const here = command.replaceAll('/backups/', `${folder}/`).replace('exec /usr/bin/', '')
    const lines = [rollcall, `export DATABASE_URL='${database}'`, 'rollcall todo add x > /dev/null', here]
    const { status, stderr } = spawnSync('sh', ['-c', lines.join('\n')], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
    const copies = readdirSync(folder).filter((name) => /^rollcall-\d{4}-\d\d-\d\d\.db$/.test(name))
    assert.equal(copies.length, 1, command)
    assert.match(command, / --keep 7/)
  }
})

const noHaproxy = spawnSync('haproxy', ['-v']).error ? 'NOT RUN: there is no haproxy' : false

test('haproxy accepts its configuration without a warning', { skip: noHaproxy }, async () => {
  const file = join(freshFolder(), 'haproxy.cfg')
  await writeFile(file, haproxyConfiguration())
  const { status, stdout, stderr } = spawnSync('haproxy', ['-c', '-V', '-f', file], { encoding: 'utf8' })
  assert.deepEqual([status, stdout + stderr], [0, 'Configuration file is valid\n'])
})

test('systemd drops no lines of the log, and restarts the service with growing pauses, but not after an error in the settings', async () => {
  const unit = await read('deploy/rollcall.service')
  const lines = (name: string) => unit.match(new RegExp(`^${name}=.*$`, 'gm'))
  assert.deepEqual(lines('RestartPreventExitStatus'), [`RestartPreventExitStatus=${exitCodes.usageError}`])
  assert.deepEqual(lines('StartLimitIntervalSec'), ['StartLimitIntervalSec=0'])
  assert.deepEqual(lines('LogRateLimitIntervalSec'), ['LogRateLimitIntervalSec=0'])
  assert.match(unit, /^RestartSteps=\d+\nRestartMaxDelaySec=\d+$/m)
})

test('the composition creates its roles before its synchronous standby starts', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const { url, stop } = await startServer()
  t.after(stop)
  await administer(url, 'ALTER SYSTEM SET synchronous_standby_names = standby')
  await administer(url, 'SELECT pg_reload_conf()')
  const [, script = ''] = /<<'SQL'\n(.*)\nSQL\n/s.exec(await read('deploy/compose/replication.sh')) ?? []
  const session = postgres(url, { max: 1 })
  for (const statement of script.replaceAll(":'password'", "'password'").split('\n'))
    await session.unsafe(statement)
  const roles = await session`SELECT rolname FROM pg_roles WHERE rolname IN ('rollcall', 'standby')`
  assert.equal(roles.length, 2)
  await session.end()
})

test('the standby of the composition has the max_connections of its primary', async () => {
  const files = await Promise.all(['compose.yaml', 'deploy/compose/standby.sh'].map(read))
  const [primary, standby] = files.map((text) => /max_connections=\d+/.exec(text)?.[0])
  assert.ok(primary)
  assert.equal(standby, primary)
})
