import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { administer, initialize, postgresServer } from './postgres-server.ts'

export { administer }

/** Why there is no PostgreSQL to test with, or false if there is one. In CI its absence is a failure. */
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

/** The URL of a new database without tables. */
export const freshDatabase = (t: TestContext): Promise<string> => newDatabase(t, 'template1')

/** The URL of a new database for a service. It has the tables already if the run has a database to copy them from. */
export const serviceDatabase = async (t: TestContext): Promise<string> => {
  if (!process.env.TEST_DATABASE_TEMPLATE) return freshDatabase(t)
  const url = await newDatabase(t, process.env.TEST_DATABASE_TEMPLATE)
  await administer(url, anotherHistory)
  return url
}

const newDatabase = async (t: TestContext, template: string) => {
  const server = await serverUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  // A server that we started is removed with all its databases.
  if (process.env.TEST_DATABASE_URL)
    t.after(() => administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  return databaseUrl(server, name)
}

export const databaseUrl = (server: string, name: string) =>
  Object.assign(new URL(server), { pathname: name }).href

/** Gives a copied database a history id of its own, as if the migrations had run in it. */
const anotherHistory = "UPDATE change_history SET history = replace(gen_random_uuid()::text, '-', '')"

const serverUrl = () => {
  started ??= start()
  return started
}

let started: Promise<string> | undefined

/** `TEST_DATABASE_URL` names an existing server; otherwise each process starts one of its own. */
const start = async () => {
  if (process.env.TEST_DATABASE_URL) return process.env.TEST_DATABASE_URL
  const server = await startServer()
  after(() => server.stop())
  return server.url
}

export interface Server {
  readonly url: string
  readonly port: number
  /** Starts the server again after a stop, with its data. */
  start(): Promise<void>
  stop(): Promise<void>
}

export interface ServerOptions {
  /** True if the server answers only reads, as a hot standby does. */
  readonly isStandby?: boolean
  /** The folder of its Unix socket. Without it, the server has none. */
  readonly socketFolder?: string
}

/** Starts a server, which the caller must stop. */
export const startServer = async ({
  isStandby = false,
  socketFolder = '',
}: ServerOptions = {}): Promise<Server> => {
  const directory = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  await promisify(execFile)('cp', ['-a', `${await initialised()}/.`, directory])
  if (isStandby) await writeFile(join(directory, 'standby.signal'), '')
  const reached = { ...settings, unix_socket_directories: socketFolder }
  const server = postgresServer({ directory, port: await freePort(), password, settings: reached })
  await server.start()
  const { url, port, start } = server
  return { url, port, start, stop: () => server.stop() }
}

const password = 'test'

const settings = { fsync: 'off', max_connections: '200' }

/**
 * Initialising takes longer than all the rest, so it is done once per machine and then copied. It is kept after a run whose other
 * temporary files are in memory.
 */
const initialised = async (): Promise<string> => {
  const base = process.env.TEST_KEPT_FOLDER ?? tmpdir()
  const folder = join(base, `rollcall-postgres-18-${userInfo().uid}-template-2`)
  if (existsSync(folder)) return folder
  const fresh = `${folder}-${randomBytes(8).toString('hex')}`
  initialize(fresh, password)
  // Another process may have been faster.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true }))
  return folder
}
