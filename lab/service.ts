import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../src/core/cause.ts'
import { freePort } from '../test/free-port.ts'
import { type ServeOptions, spawnService } from '../test/operations/child.ts'

export interface ServiceParts extends Omit<ServeOptions, 'environment'> {
  readonly databaseUrl: string
  readonly settings?: NodeJS.ProcessEnv
  /** By default a free port, which another program might take first. */
  readonly port?: number
  readonly waitMs?: number
  /** Called with its output. */
  readonly onLog?: (text: string) => void
  /** Called with the process id. */
  readonly onSpawn?: (pid: number) => void
}

export type Service = Awaited<ReturnType<typeof openService>>

/** The service as a process of its own, ready to answer. */
export const openService = async (parts: ServiceParts) => {
  const { databaseUrl, settings, waitMs = 60_000, onLog, onSpawn, ...how } = parts
  const port = parts.port ?? (await freePort())
  const { child, exit } = spawnService({
    log: 'pipe',
    ...how,
    environment: {
      HOST: '127.0.0.1',
      PORT: String(port),
      MANAGEMENT_PORT: 'off',
      DATABASE_URL: databaseUrl,
      ACCESS: 'open',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      // A planted mistake comes with the options of Node.
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      ...settings,
    },
  })
  onSpawn?.(child.pid ?? 0)
  let words = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer | string) => {
      onLog?.(String(chunk))
      words = (words + chunk).slice(-keptCharacters)
    })
  const gone = exit.then(({ code, signal }): number | NodeJS.Signals => code ?? signal)
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  try {
    await whenReady(url, { gone, waitMs })
  } catch (error) {
    child.kill('SIGKILL')
    throw new NotReady(`${messageOf(error)}: ${words.trim()}`, await gone)
  }
  return {
    url,
    port,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedAt,
    gone,
    lastOutput: () => words.trim(),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    /** Ends it, and returns how it ended. */
    async end(signal: NodeJS.Signals = 'SIGKILL') {
      child.kill(signal)
      return gone
    },
  }
}

const keptCharacters = 4000

/** It did not become ready. */
export class NotReady extends Error {
  readonly exit: number | NodeJS.Signals
  constructor(message: string, exit: number | NodeJS.Signals) {
    super(message)
    this.exit = exit
  }
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
