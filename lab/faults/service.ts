import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../src/core/cause.ts'
import { freePort } from '../../test/free-port.ts'
import { main, surroundings } from '../../test/program.ts'

export interface ServiceParts {
  readonly databaseUrl: string
  readonly settings?: NodeJS.ProcessEnv
  /** Precedes node on the command line, for example strace and its arguments. */
  readonly under?: readonly string[]
  readonly nodeArguments?: readonly string[]
  /** By default a free port, which another program might take first. */
  readonly port?: number
  readonly waitMs?: number
  /** Gets everything that it writes to its log. */
  readonly onLog?: (text: string) => void
  /** Gets the process id as soon as there is one. */
  readonly onSpawn?: (pid: number) => void
}

export type Service = Awaited<ReturnType<typeof openService>>

/** The service as a process of its own, ready to answer. */
export const openService = async (parts: ServiceParts) => {
  const port = parts.port ?? (await freePort())
  const [program = '', ...args] = [
    ...(parts.under ?? []),
    process.execPath,
    ...(parts.nodeArguments ?? []),
    main,
    'serve',
  ]
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A planted mistake comes with the options of Node.
    env: {
      ...surroundings,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      ...settingsOf(parts, port),
      ...parts.settings,
    },
  })
  parts.onSpawn?.(child.pid ?? 0)
  const lastOutput = keepOutput(child, parts.onLog)
  const gone = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  try {
    await whenReady(url, { gone, waitMs: parts.waitMs ?? 20_000 })
  } catch (error) {
    child.kill('SIGKILL')
    throw new NotReady(`${messageOf(error)}: ${lastOutput()}`, await gone)
  }
  return {
    url,
    port,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedAt,
    gone,
    lastOutput,
    /** Ends it, and returns how it ended. */
    async end(signal: NodeJS.Signals = 'SIGKILL') {
      child.kill(signal)
      return gone
    },
  }
}

/** It did not become ready. */
export class NotReady extends Error {
  readonly exit: number | NodeJS.Signals
  constructor(message: string, exit: number | NodeJS.Signals) {
    super(message)
    this.exit = exit
  }
}

const settingsOf = ({ databaseUrl }: ServiceParts, port: number) => ({
  HOST: '127.0.0.1',
  PORT: String(port),
  MANAGEMENT_PORT: 'off',
  DATABASE_URL: databaseUrl,
  ACCESS: 'open',
  LOG_LEVEL: 'warn',
  LOG_FORMAT: 'json',
})

const keptCharacters = 4000

const keepOutput = (child: ChildProcessByStdio<null, Readable, Readable>, onLog?: (text: string) => void) => {
  let words = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      onLog?.(chunk.toString())
      words = (words + chunk.toString()).slice(-keptCharacters)
    })
  return () => words.trim()
}

interface Waiting {
  readonly gone: Promise<number | NodeJS.Signals>
  readonly waitMs: number
}

/** Answered with 200, or with 401 where a credential is required. */
const readiness = '/api/v1/todos?size=1'

const whenReady = async (url: string, { gone, waitMs }: Waiting) => {
  let exit: number | NodeJS.Signals | undefined
  void gone.then((how) => {
    exit = how
  })
  const startedAt = performance.now()
  const waited = () => performance.now() - startedAt
  while (waited() < waitMs) {
    if (exit !== undefined) throw new Error(`ended with ${exit} before it was ready`)
    const status = await fetch(`${url}${readiness}`, { signal: AbortSignal.timeout(2000) }).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      },
      () => undefined,
    )
    if (status === 200 || status === 401) return
    await sleep(Math.max(15, waited() / 10))
  }
  throw new Error(`not ready in ${waitMs} ms`)
}
