import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/free-port.ts'
import type { Finding } from './lints.ts'
import { requests, type SentRequest } from './requests.ts'
import { withService } from './service.ts'
import { documentPath, folder } from './tools.ts'

/** Prism in front of the service checks every request and response against the document. */
export const prism = (): Promise<readonly Finding[]> =>
  withService((url) => withPrism(`${url}/api/v1`, judged))

/** Runs Prism as a proxy in front of `upstream` while judging. */
export const withPrism = async <T>(upstream: string, judge: (base: string) => Promise<T>): Promise<T> => {
  const port = await freePort()
  const args = ['proxy', documentPath, upstream, '--port', String(port), '--host', '127.0.0.1']
  // Otherwise it would exit on a violation whose message is not Latin-1.
  const env = { ...process.env, NODE_OPTIONS: '--unhandled-rejections=warn' }
  const child = spawn(`${folder}node_modules/.bin/prism`, args, { stdio: 'ignore', env })
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

const judged = async (base: string): Promise<readonly Finding[]> => {
  const findings: Finding[] = []
  let count = 0
  for await (const { sent, answer } of requests(base)) {
    count++
    const header = answer.headers.get('sl-violations')
    // The document cannot say that a body may be omitted if the caller prefers that.
    const isMinimal = answer.headers.has('Preference-Applied')
    const violations = header && !isMinimal ? (JSON.parse(header) as readonly Violation[]) : []
    findings.push(...violations.flatMap((violation) => finding(sent, answer.status, violation)))
  }
  console.log(`prism: ${count} requests and answers`)
  return findings
}

/** A violation by a deliberately wrong request is expected, so it is no finding. */
const finding = (
  sent: SentRequest,
  status: number,
  { location, code, message }: Violation,
): readonly Finding[] => {
  const isOfRequest = location[0] === 'request'
  if (isOfRequest && sent.isWrong) return []
  const where = `${sent.method ?? 'GET'} ${sent.path} ${status} ${location.join('.')}`
  return [{ rule: `${isOfRequest ? 'request' : 'response'} ${code}`, where, message }]
}
