import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/free-port.ts'
import { main } from '../../test/program.ts'
import type { Outcome, Plan } from './arrivals.ts'

/** The service, started as usual, on the first core. */
export interface Pressed {
  readonly port: number
  /** The CPU time the process has used so far, over all threads. */
  readonly cpuMs: () => Promise<number>
  readonly stop: () => Promise<void>
}

const ticksPerSecond = 100

export const startService = async (
  settings: Readonly<Record<string, string>> = {},
  { core = '0', flags = [] as readonly string[] } = {},
): Promise<Pressed> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-pressure-'))
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    MANAGEMENT_PORT: 'off',
    DATABASE_URL: `sqlite:${join(folder, 'pressure.db')}`,
    ALLOWED_HOSTS: '*',
    ...settings,
  }
  const command = ['-c', core, process.execPath, ...flags, main, 'serve']
  const child = spawn('taskset', command, { env, stdio: 'ignore' })
  await answering(child, port)
  return {
    port,
    async cpuMs() {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

/** Sends requests from the second core. */
export const arrivals = async (plan: Plan): Promise<Outcome> => {
  const file = new URL('arrivals.ts', import.meta.url).pathname
  const child = spawn('taskset', ['-c', '1', process.execPath, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(plan))
  return (await json(child.stdout)) as Outcome
}

export const createTodo = async (port: number, authorization = ''): Promise<string> => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/todos`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: authorization },
    body: JSON.stringify({ todoTitle: 'press' }),
  })
  const body = (await answer.json()) as { todoId?: string }
  if (body.todoId === undefined) throw new Error(JSON.stringify(body))
  return body.todoId
}

const answering = async (child: ChildProcess, port: number) => {
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
    const isUp = await fetch(`http://127.0.0.1:${port}/api/v1/todos`).then(
      () => true,
      () => false,
    )
    if (isUp) return
    await sleep(50)
  }
  throw new Error('the service did not start')
}
