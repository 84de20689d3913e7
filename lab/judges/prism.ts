import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/free-port.ts'
import { documentPath, folder } from './tools.ts'

/** Runs Prism as a proxy in front of `upstream` while judging. */
export const withPrism = async <T>(upstream: string, judge: (base: string) => Promise<T>): Promise<T> => {
  const port = await freePort()
  const args = ['proxy', documentPath, upstream, '--port', String(port), '--host', '127.0.0.1']
  // Otherwise it would exit on a violation whose message is not Latin-1.
  const env = { ...process.env, NODE_OPTIONS: '--unhandled-rejections=warn' }
  const child = spawn(`${folder}../node_modules/.bin/prism`, args, { stdio: 'ignore', env })
  try {
    const base = `http://127.0.0.1:${port}`
    await whenAwake(base, child)
    return await judge(base)
  } finally {
    child.kill()
  }
}

const whenAwake = async (base: string, child: ChildProcess) => {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (child.exitCode !== null) throw new Error('Prism did not start')
    const answer = await fetch(`${base}/todos`).catch(() => undefined)
    if (answer) return
    await sleep(200)
  }
  throw new Error('Prism did not start within 20 s')
}

export interface Violation {
  readonly location: readonly string[]
  readonly severity: string
  readonly code?: string | number
  readonly message: string
}
