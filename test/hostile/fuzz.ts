import { type Connection, type Framed, openConnection } from './connection.ts'
import { judge } from './judge.ts'
import { random } from './random.ts'
import { anyRequest, type FuzzRequest, type Memory } from './requests.ts'

export interface FuzzPlan {
  readonly port: number
  readonly seed: number
  /** Asked before every session; a session that has begun goes on to its end. */
  readonly isOver: (done: FuzzReport) => boolean
  readonly sessionsAtOnce: number
  readonly firstSession?: number
}

export interface FuzzReport {
  requests: number
  sessions: number
  /** How often each status came, by route. */
  readonly statuses: Map<string, Map<number, number>>
  readonly failures: string[]
}

const sessionLength = 60
const answerTimeoutMs = 20_000
const brokenWaitMs = 50

/**
 * Sends requests that nobody should send. A session depends on the seed, its number, and what it was answered;
 * it is therefore repeated by its number.
 */
export const fuzz = async (plan: FuzzPlan): Promise<FuzzReport> => {
  const report: FuzzReport = { requests: 0, sessions: 0, statuses: new Map(), failures: [] }
  const worker = async (): Promise<void> => {
    while (report.failures.length < 20 && !plan.isOver(report)) {
      const number = (plan.firstSession ?? 0) + report.sessions
      report.sessions += 1
      await session(plan, report, number)
    }
  }
  await Promise.all(Array.from({ length: plan.sessionsAtOnce }, worker))
  return report
}

/** The report as lines for a person. */
export const told = (report: FuzzReport): string => {
  const lines = [...report.statuses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([route, counts]) => {
      const sorted = [...counts].sort(([a], [b]) => a - b)
      return `  ${route.padEnd(26)} ${sorted.map(([status, count]) => `${status}×${count}`).join('  ')}`
    })
  return [`${report.requests} requests in ${report.sessions} sessions`, ...lines, ...report.failures].join(
    '\n',
  )
}

const session = async (plan: FuzzPlan, report: FuzzReport, number: number): Promise<void> => {
  const source = random(plan.seed, number)
  const memory: Memory = { todos: [], members: [], tags: [] }
  const wire = reconnecting(plan.port)
  for (let i = 0; i < sessionLength; i += 1) {
    const request = anyRequest(source, memory)
    try {
      const answer = request.isBroken ? await glance(plan.port, request) : await wire.ask(request)
      report.requests += 1
      count(report, request.route, answer?.status ?? 0)
      if (answer === undefined) continue
      judge(request, answer)
      if (!request.isBroken) remember(memory, answer)
    } catch (error) {
      const bytes = JSON.stringify(request.bytes.toString('latin1').slice(0, 1000))
      report.failures.push(`seed ${plan.seed} session ${number} request ${i}: ${String(error)}\n  ${bytes}`)
      // Nobody is there any more: the requests that follow would say the same.
      if (String(error).includes('ECONNREFUSED')) break
    }
  }
  for (const request of cleaning(memory)) await wire.ask(request).catch(() => undefined)
  wire.close()
}

/** Asks over one connection for as long as it lasts; an idle one may have been closed meanwhile. */
const reconnecting = (port: number) => {
  let connection: Connection | undefined
  const ask = async (request: FuzzRequest): Promise<Framed> => {
    const isHead = request.method === 'HEAD'
    if (connection?.isOpen() === true) {
      try {
        return await connection.ask(request.bytes, isHead)
      } catch (error) {
        if (!String(error).includes('nothing came') || connection.isOpen()) throw error
      }
    }
    connection?.close()
    connection = await openConnection(port, answerTimeoutMs)
    return await connection.ask(request.bytes, isHead)
  }
  return { ask, close: () => connection?.close() }
}

/** What comes back soon, if anything: broken HTTP may be waited on for as long as the server allows. */
const glance = async (port: number, request: FuzzRequest): Promise<Framed | undefined> => {
  const connection = await openConnection(port, answerTimeoutMs)
  const soon = new Promise<undefined>((resolve) => setTimeout(resolve, brokenWaitMs, undefined))
  const answer = connection.ask(request.bytes, request.method === 'HEAD').catch((error: unknown) => {
    if (!/nothing came|no answer/.test(String(error))) throw error
    return undefined
  })
  try {
    return await Promise.race([answer, soon])
  } finally {
    connection.close()
  }
}

const remember = (memory: Memory, { status, headers }: Framed): void => {
  if (headers.etag !== undefined) memory.tags.push(headers.etag)
  const made = /\/(todos|members)\/([0-9a-f-]{36})$/.exec(headers.location ?? '')
  if (status !== 201 || made?.[2] === undefined) return
  memory[made[1] === 'todos' ? 'todos' : 'members'].push(made[2])
}

/** Leaves the service as it was, so that lists stay short. */
const cleaning = (memory: Memory): FuzzRequest[] =>
  [...memory.todos.map((id) => `/todos/${id}`), ...memory.members.map((id) => `/members/${id}`)].map(
    (path) => ({
      route: 'cleaning',
      method: 'DELETE',
      bytes: Buffer.from(`DELETE /api/v1${path} HTTP/1.1\r\nHost: x\r\n\r\n`),
      isBroken: false,
    }),
  )

const count = (report: FuzzReport, route: string, status: number): void => {
  const counts = report.statuses.get(route) ?? new Map<number, number>()
  counts.set(status, (counts.get(status) ?? 0) + 1)
  report.statuses.set(route, counts)
}
