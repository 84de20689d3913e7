import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { recommendedCosts } from '#core/password-hash.ts'
import { type Dependencies, openApp } from '#src/app.ts'
import { readConfig } from '#src/config.ts'
import { type Described, forget, learn } from './conform/document.ts'
import { conform } from './conform.ts'
import { freshFile, serviceFile } from './sqlite-file.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Undefined if there is no body, or it is not JSON. */
  readonly body: unknown
}

export interface Api {
  /** `POST /members`: the path is below /api/v1. A string or Buffer is sent as it is, anything else as JSON. */
  (line: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  readonly url: string
  readonly management: string
  readonly log: readonly Readonly<Record<string, unknown>>[]
  close(): Promise<void>
}

/** Dependencies for tests that read no log. Tests make thousands of passwords, so hashing one costs next to nothing here. */
export const quiet = {
  logSink: { write: (_line: string) => undefined },
  hashCosts: { memoryKiB: 8, passes: 1, parallelism: 1 },
} satisfies Dependencies

/** For tests about the cost of a hash. */
export const slowHashes: Dependencies = { hashCosts: recommendedCosts }

/** The real service on free ports and a fresh database, for as long as the test runs. */
export const startApp = async (
  t: TestContext,
  settings: Record<string, string> = {},
  world: Dependencies = {},
): Promise<Api> => {
  const log: Record<string, unknown>[] = []
  const logSink = { write: (line: string) => void log.push(JSON.parse(line)) }
  const isExtended = world.resources !== undefined || settings.RESOURCES !== undefined
  const config = readConfig({
    PORT: '0',
    MANAGEMENT_PORT: '0',
    // Tests send any Host; which ones are accepted is tested in access/allowed-hosts.test.ts.
    ALLOWED_HOSTS: '*',
    DATABASE_URL: settings.DATABASE_URL ?? (isExtended ? freshFile() : serviceFile()),
    ...settings,
  })
  const app = await openApp(config, { ...quiet, logSink, ...world })
  t.after(() => app.close())
  if (isExtended) {
    learn((await (await fetch(`${app.url}/api/v1/openapi.json`)).json()) as Described)
    t.after(forget)
  }
  const call = (line: string, body?: unknown, headers?: Readonly<Record<string, string>>) =>
    request(`${app.url}/api/v1`, line, { body, headers })
  return Object.assign(call, { url: app.url, management: app.managementUrl ?? '', log, close: app.close })
}

interface RequestParts {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Sends `METHOD /path` below a base. */
export const request = async (
  base: string,
  line: string,
  { body, headers = {} }: RequestParts = {},
): Promise<Answer> => {
  const [method = '', path = ''] = line.split(' ')
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
  const content = body === undefined || isRaw ? body : JSON.stringify(body)
  const given = Object.keys(headers).map((name) => name.toLowerCase())
  const type =
    body !== undefined && !given.includes('content-type') ? { 'Content-Type': 'application/json' } : {}
  const response = await fetch(base + path, {
    method,
    headers: { ...type, ...headers },
    ...(content === undefined ? {} : { body: content as string }),
  })
  const text = await response.text()
  const answer = { status: response.status, headers: Object.fromEntries(response.headers), text }
  if (base.endsWith('/api/v1')) conform({ method, path, ...answer })
  return { ...answer, body: parsed(text) }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends bytes to a listener, and returns all received bytes once the listener closes, the test has enough, or the time is up. */
export const rawExchange = (
  url: string,
  bytes: string | Buffer,
  { timeoutMs = 30_000, enough }: { timeoutMs?: number; enough?: RegExp } = {},
): Promise<string> => {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(received)
    }
    const timer = setTimeout(finish, timeoutMs)
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      received += chunk
      if (enough?.test(received)) finish()
    })
    socket.on('close', finish)
    socket.on('error', finish)
    socket.write(bytes)
  })
}
