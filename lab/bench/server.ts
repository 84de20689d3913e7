import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/free-port.ts'
import { killedOnExit } from '../../test/processes.ts'
import type { Peer } from './peers.ts'
import { isBusy, usage } from './usage.ts'
import { unknownTodo } from './workloads.ts'

export interface Running {
  readonly peer: Peer
  readonly pid: number
  readonly origin: string
  /** From start to first answer. */
  readonly startedMs: number
  readonly usage: () => ReturnType<typeof usage>
  readonly isBusy: () => boolean
  readonly stop: () => Promise<void>
  /** Without a warning, as when the power fails. */
  readonly kill: () => Promise<void>
}

export interface Place {
  /** A file, or the address of a database. */
  readonly database: string
  readonly log: string
  readonly env?: Readonly<Record<string, string>>
  /** The first core when absent; `any` leaves it to the system. */
  readonly core?: number | 'any'
}

const startTimeoutMs = 60_000
const stopTimeoutMs = 15_000
const maxLogTail = 300

/** Starts a service on one core and waits until it answers. */
export const startServer = async (peer: Peer, { database, log, env, core = 0 }: Place): Promise<Running> => {
  const port = await freePort()
  const output = openSync(log, 'a')
  const url = peer.name.startsWith('rollcall') && !database.includes('://') ? `sqlite:${database}` : database
  const startedAtMs = performance.now()
  const child = spawnOn(core, peer.command, {
    env: { ...process.env, ...peer.env, PORT: String(port), DATABASE: database, DATABASE_URL: url, ...env },
    stdio: ['ignore', output, output],
  })
  await untilAnswering(child, port, log)
  const pid = child.pid ?? 0
  return {
    peer,
    pid,
    origin: `http://127.0.0.1:${port}`,
    startedMs: performance.now() - startedAtMs,
    usage: () => usage(pid),
    isBusy: () => isBusy(pid),
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  }
}

type Options = Parameters<typeof spawn>[2]

/** Runs a command on one core, or wherever the system likes if it has no `taskset` or no second core. It does not outlive us. */
export const spawnOn = (core: number | 'any', command: readonly string[], options: Options): ChildProcess => {
  const [program = '', ...args] =
    pins && core !== 'any' ? ['taskset', '-c', String(core), ...command] : command
  return killedOnExit(spawn(program, args, options))
}

/** True if server and load can be kept on separate cores. */
export const pins = cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0

const untilAnswering = async (child: ChildProcess, port: number, log: string) => {
  const until = performance.now() + startTimeoutMs
  while (performance.now() < until) {
    if (child.exitCode !== null)
      throw new Error(`it ended with ${child.exitCode} before it answered: ${logTail(log)}`)
    if (await answersAt(port)) return
    await sleep(5)
  }
  await end(child, 'SIGKILL')
  throw new Error(`no answer within ${startTimeoutMs} ms: ${logTail(log)}`)
}

const logTail = (log: string) => readFileSync(log, 'utf8').trim().slice(-maxLogTail)

const answersAt = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${unknownTodo} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    )
    socket.once('data', () => resolve(true) ?? socket.destroy())
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })

const end = async (child: ChildProcess, signal: NodeJS.Signals) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await ended
  clearTimeout(timer)
}
