import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import type { Finding } from './lints.ts'
import { type Asked, requests } from './requests.ts'
import { withService } from './service.ts'
import { documentPath, folder } from './tools.ts'

/** Prism stands before the service and holds every request and answer against the document. */
export const prism = (): Promise<readonly Finding[]> =>
  withService((url) => withPrism(`${url}/api/v1`, judged))

/** Prism as a proxy before `upstream`, for as long as it judges. */
export const withPrism = async <T>(upstream: string, judge: (base: string) => Promise<T>): Promise<T> => {
  const port = await freePort()
  const args = ['proxy', documentPath, upstream, '--port', String(port), '--host', '127.0.0.1']
  // It would end over a violation whose words are no Latin.
  const env = { ...process.env, NODE_OPTIONS: '--unhandled-rejections=warn' }
  const child = spawn(`${folder}node_modules/.bin/prism`, args, { stdio: 'ignore', env })
  try {
    const base = `http://127.0.0.1:${port}`
    await awake(base, child)
    return await judge(base)
  } finally {
    child.kill()
  }
}

const awake = async (base: string, child: ChildProcess) => {
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
  for await (const { asked, answer } of requests(base)) {
    count++
    const told = answer.headers.get('sl-violations')
    // The document cannot say that a body may be left out where the caller asked for that.
    const isMinimal = answer.headers.has('Preference-Applied')
    const violations = told && !isMinimal ? (JSON.parse(told) as readonly Violation[]) : []
    findings.push(...violations.flatMap((violation) => finding(asked, answer.status, violation)))
  }
  console.log(`prism: ${count} requests and answers`)
  return findings
}

/** A request that is wrong on purpose is found out: that is no complaint about the service. */
const finding = (
  asked: Asked,
  status: number,
  { location, code, message }: Violation,
): readonly Finding[] => {
  const isOfRequest = location[0] === 'request'
  if (isOfRequest && asked.isWrong) return []
  const where = `${asked.method ?? 'GET'} ${asked.path} ${status} ${location.join('.')}`
  return [{ rule: `${isOfRequest ? 'request' : 'response'} ${code}`, where, message }]
}
