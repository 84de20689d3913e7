import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { NotReady, openService } from '#lab/service.ts'
import { freePort } from '../../../test/free-port.ts'
import { administer, openServer, type PostgresServer } from '../../../test/postgres-server.ts'
import { type Fault, rounds } from '../fault.ts'
import { probe } from '../probe.ts'

const instanceCount = 3

/** Several instances start together on an empty database, and the one that migrates is killed while doing so. */
export const killMigration: Fault = {
  name: 'kill in a migration while several instances start',
  engine: 'postgres',
  promise: 'The others continue the migration, every step runs once, and the killed instance starts again.',
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    for (let n = 0; n < instanceCount; n++) await server.ask(`CREATE ROLE instance${n} SUPERUSER LOGIN`)
    const kills = rounds(stage, 12)
    const broken: string[] = []
    let amid = 0
    for (let round = 0; round < kills; round++) {
      const seen = await killOne(server, `round${round}`, (round / kills) * 40)
      if (seen.isAmid) amid++
      broken.push(...seen.broken.map((what) => `round ${round}: ${what}`))
      stage.progress((round + 1) / kills)
    }
    if (amid === 0) broken.push('none was killed before all tables were created')
    return {
      figure: `${kills} kills of the migrating instance (one of ${instanceCount}), ${amid} of them while tables were missing: ${broken.length} faults`,
      broken,
      figures: { kills, amid },
    }
  },
}

const killOne = async (server: PostgresServer, name: string, afterMs: number) => {
  await server.ask(`CREATE DATABASE ${name}`)
  const urlOf = (who: string) => `postgres://${who}@127.0.0.1:${server.port}/${name}`
  const ports = await Promise.all(Array.from({ length: instanceCount }, freePort))
  const pids = ports.map(() => 0)
  const open = (n: number) =>
    openService({
      databaseUrl: urlOf(`instance${n}`),
      port: ports[n] as number,
      onSpawn: (pid) => {
        pids[n] = pid
      },
    })
  const starting = ports.map((_, n) => open(n).catch((error: unknown) => error))
  const killed = await migratingInstance(urlOf('postgres'))
  await sleep(afterMs)
  process.kill(pids[killed] as number, 'SIGKILL')
  const tablesAtKill = Number((await administer(urlOf('postgres'), tables))[0]?.count)
  const started = await Promise.all(starting)
  const services = await Promise.all(
    started.map((one, n) => (one instanceof NotReady && n === killed ? open(n) : one)),
  ).catch((error: unknown) => [error])
  const broken: string[] = []
  for (const service of services) {
    if (service instanceof Error || typeof service !== 'object' || service === null || !('end' in service)) {
      broken.push(`one did not start: ${service}`)
      continue
    }
    const { url, end } = service as Awaited<ReturnType<typeof openService>>
    const { status } = await probe(url).write()
    if (status !== 201) broken.push(`a write was answered ${status}`)
    await end('SIGKILL')
  }
  const allTables = Number((await administer(urlOf('postgres'), tables))[0]?.count)
  return { isAmid: tablesAtKill < allTables, broken }
}

const tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"

const migrating = `
  SELECT usename FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND datname = current_database()`

/** The instance that is migrating. */
const migratingInstance = async (url: string) => {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  for (let tries = 0; tries < 20_000; tries++) {
    const [row] = await client.unsafe(migrating)
    if (row) {
      await client.end({ timeout: 1 })
      return Number(String(row.usename).slice('instance'.length))
    }
    await sleep(1)
  }
  throw new Error('no instance migrates')
}
