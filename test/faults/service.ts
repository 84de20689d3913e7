import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '#core/cause.ts'
import { freePort } from '../free-port.ts'
import { main, surroundings } from '../program.ts'

export interface ServiceParts {
  readonly databaseUrl: string
  readonly settings?: NodeJS.ProcessEnv
  /** Stands before node, such as strace and its arguments. */
  readonly under?: readonly string[]
  readonly nodeArguments?: readonly string[]
  /** Asked for until it answers; other programs may take a free port first. */
  readonly port?: number
  readonly waitMs?: number
  /** Hears all that it writes to its log. */
  readonly heard?: (text: string) => void
  /** Told of the process as soon as there is one. */
  readonly begun?: (pid: number) => void
}

export type Service = Awaited<ReturnType<typeof openService>>

/** The service as a process of its own, answering. */
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
    env: { ...surroundings, ...settingsOf(parts, port), ...parts.settings },
  })
  parts.begun?.(child.pid ?? 0)
  const said = lastWords(child, parts.heard)
  const gone = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  try {
    await whenReady(url, { gone, waitMs: parts.waitMs ?? 20_000 })
  } catch (error) {
    child.kill('SIGKILL')
    throw new NotReady(`${messageOf(error)}: ${said()}`, await gone)
  }
  return {
    url,
    port,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedAt,
    gone,
    said,
    /** Ends it, and says how it ended. */
    async end(signal: NodeJS.Signals = 'SIGKILL') {
      child.kill(signal)
      return gone
    },
  }
}

/** It did not come to answer. */
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

const lastWords = (child: ChildProcessByStdio<null, Readable, Readable>, heard?: (text: string) => void) => {
  let words = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      heard?.(chunk.toString())
      words = (words + chunk.toString()).slice(-keptCharacters)
    })
  return () => words.trim()
}

interface Waiting {
  readonly gone: Promise<number | NodeJS.Signals>
  readonly waitMs: number
}

/** Answered 200, or 401 where one must say who one is. */
const readiness = '/api/v1/todos?size=1'

const whenReady = async (url: string, { gone, waitMs }: Waiting) => {
  let exit: number | NodeJS.Signals | undefined
  void gone.then((how) => {
    exit = how
  })
  const beganAt = performance.now()
  const waited = () => performance.now() - beganAt
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
