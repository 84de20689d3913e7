import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { usage } from '#lab/bench/usage.ts'
import { openService } from '#lab/service.ts'
import type { Outcome, Plan } from './arrivals.ts'

export type PressedService = Awaited<ReturnType<typeof startService>>

/** The service, on the first core. */
export const startService = async (settings: NodeJS.ProcessEnv = {}, core = '0') => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-pressure-'))
  const { port, pid, end } = await openService({
    databaseUrl: `sqlite:${join(folder, 'pressure.db')}`,
    settings: { LOG_LEVEL: 'info', ALLOWED_HOSTS: '*', ...settings },
    under: ['taskset', '-c', core],
    log: 'ignore',
  })
  return {
    port,
    /** The CPU time the process has used so far, over all threads. */
    cpuMs: () => usage(pid).cpuMs,
    async stop() {
      await end('SIGTERM')
      rmSync(folder, { recursive: true })
    },
  }
}

/** Sends requests from the second core. */
export const sendArrivals = async (plan: Plan): Promise<Outcome> => {
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
