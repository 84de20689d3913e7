import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { childEnvironment, main } from '../program.ts'

export type Variables = Readonly<Record<string, string>>

export interface RunResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly environment?: Variables
  readonly input?: string
  readonly cwd?: string
  /** Only root may run the service as another user. */
  readonly user?: { readonly uid: number; readonly gid: number }
}

/** Runs one command to its end. */
export const rollcall = (args: readonly string[], options?: RunOptions): Promise<RunResult> =>
  running(args, options).ended

/** A command that has not ended yet. */
export const running = (args: readonly string[], { environment = {}, input, cwd, user }: RunOptions = {}) => {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...childEnvironment, ...environment },
    ...(cwd && { cwd }),
    ...user,
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  const [out, err] = [collected(child.stdout), collected(child.stderr)]
  const ended = once(child, 'close').then(([code]): RunResult => ({ code, out: out(), err: err() }))
  return { child, ended }
}

export interface ServiceProcess {
  readonly url: string
  readonly management: string
  readonly err: () => string
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null }>
  readonly pid: number
  /** Closes the reading end of its log. */
  stopReading(): void
  stopReadingErrors(): void
  kill(signal: NodeJS.Signals): void
}

export interface ServeOptions {
  readonly environment?: NodeJS.ProcessEnv
  /** The destination of its log: nowhere, a pipe that nobody reads, or a file descriptor. */
  readonly log?: 'ignore' | 'pipe' | number
  /** Precedes node on the command line, for example strace and its arguments. */
  readonly under?: readonly string[]
  readonly nodeArguments?: readonly string[]
}

/** Starts the service as a separate process, which is killed when the test ends. */
export const serve = async (t: TestContext, options: ServeOptions = {}): Promise<ServiceProcess> => {
  const begun = spawnService(options)
  t.after(async () => {
    begun.child.kill('SIGKILL')
    await begun.exit
  })
  return untilReady(begun)
}

/** As `serve`, but without a test: the caller must end the service. */
export const start = (options: ServeOptions): Promise<ServiceProcess> => untilReady(spawnService(options))

type Begun = ReturnType<typeof spawnService>

/** The process of a service, before its first output. */
export const spawnService = ({
  environment,
  log = 'ignore',
  under = [],
  nodeArguments = [],
}: ServeOptions) => {
  const [program = '', ...args] = [...under, process.execPath, ...nodeArguments, main, 'serve']
  const child = spawn(program, args, {
    env: { ...childEnvironment, PORT: '0', MANAGEMENT_PORT: '0', ...environment },
    stdio: ['ignore', log, 'pipe'],
  })
  if (!child.stderr) throw new Error('no stderr')
  const exit = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  return { child, exit, err: collected(child.stderr) }
}

const untilReady = async ({ child, exit, err }: Begun): Promise<ServiceProcess> => {
  while (!err().includes('Open to')) {
    await Promise.race([once(child.stderr as NodeJS.ReadableStream, 'data'), exit])
    if (child.exitCode !== null) throw new Error(`it did not start: ${err()}`)
  }
  const url = /API +(\S+)\/api\/v1/.exec(err())?.[1] ?? ''
  const management = /Console +(\S+)/.exec(err())?.[1] ?? ''
  return {
    url,
    management,
    err,
    exit,
    pid: child.pid ?? 0,
    stopReading: () => void child.stdout?.destroy(),
    stopReadingErrors: () => void child.stderr?.destroy(),
    kill: (signal) => void child.kill(signal),
  }
}

/** Fetches, and retries for as long as the service reports that it is overloaded. */
export const fetchPatiently = async (url: string, init: RequestInit = {}): Promise<Response> => {
  for (;;) {
    const answer = await fetch(url, init)
    if (answer.status !== 503 || !(await answer.clone().text()).includes('e.xx.fw.9004')) return answer
    await sleep(250)
  }
}

/** Sends a request and waits until the service asks for the body. The returned function sends it and resolves to the answer. */
export const sendWithoutBody = async ({ url }: Pick<ServiceProcess, 'url'>, body: string) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const received = collected(socket)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue`
  socket.write(`POST /api/v1/todos HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n\r\n`)
  const asked = 'HTTP/1.1 100 Continue\r\n\r\n'
  while (!received().startsWith(asked)) await Promise.race([once(socket, 'data'), closed])
  return async () => {
    socket.write(body)
    await closed
    return received().slice(asked.length)
  }
}

/** Resolves to the readiness answer once the service is stopping. */
export const untilStopping = async ({ management }: Pick<ServiceProcess, 'management'>): Promise<unknown> => {
  for (;;) {
    const answer = await fetch(`${management}/health/ready`)
    const said = await answer.json()
    if (answer.status === 503) return said
    await sleep(10)
  }
}

const collected = (stream: NodeJS.ReadableStream) => {
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}
