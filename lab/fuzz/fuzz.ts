import { newMember } from '#lab/people.ts'
import { random } from '#lab/random.ts'
import type { Access, OwnLogin } from './access.ts'
import { type Connection, type FramedResponse, openConnection } from './connection.ts'
import { judge } from './judge.ts'
import { secret } from './materials.ts'
import { anyRequest, type FuzzRequest, type Memory, plainRequest } from './requests.ts'

export interface FuzzPlan {
  readonly port: number
  /** How the service authenticates callers. */
  readonly access: Access
  readonly seed: number
  /** Checked before every session; a session that has begun is completed. */
  readonly isOver: (done: FuzzReport) => boolean
  readonly sessionsAtOnce: number
  readonly firstSession?: number
}

export interface FuzzReport {
  requests: number
  sessions: number
  /** The count of each status, by route. */
  readonly statuses: Map<string, Map<number, number>>
  readonly failures: string[]
}

const sessionLength = 60
const answerTimeoutMs = 20_000
const brokenWaitMs = 50

/**
 * Sends hostile requests. A session depends on the seed, its number and the responses it gets, and can be repeated
 * by its number.
 */
export const fuzz = async (plan: FuzzPlan): Promise<FuzzReport> => {
  const report: FuzzReport = { requests: 0, sessions: 0, statuses: new Map(), failures: [] }
  if (plan.access.member) await enrol(plan, plan.access.member)
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

/** The report in readable lines. */
export const summaryOf = (report: FuzzReport): string => {
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
  if (source.chance(2))
    await setUp(plan, memory, number).catch((error) => {
      report.failures.push(`${plan.access.name}, session ${number}, setting up: ${String(error)}`)
    })
  for (let i = 0; i < sessionLength; i += 1) {
    const request = anyRequest(source, memory, plan.access)
    try {
      const answer = request.isBroken ? await peek(plan.port, request) : await wire.ask(request)
      report.requests += 1
      count(report, request.route, answer?.status ?? 0)
      if (answer === undefined) continue
      judge(request, answer, plan.access)
      if (!request.isBroken) remember(memory, answer)
    } catch (error) {
      const bytes = JSON.stringify(request.bytes.toString('latin1').slice(0, 1000))
      const where = `${plan.access.name}, seed ${plan.seed}, session ${number}, request ${i}`
      report.failures.push(`${where}: ${String(error)}\n  ${request.caller.standing} ${bytes}`)
      // The service is gone: all further requests would fail in the same way.
      if (String(error).includes('ECONNREFUSED')) break
    }
  }
  for (const request of cleanUp(memory, plan.access)) await wire.ask(request).catch(() => undefined)
  wire.close()
}

/** Creates a todo and a member; where members sign in, this one does, and changes its own record. */
const setUp = async (plan: FuzzPlan, memory: Memory, number: number): Promise<void> => {
  const own = { signId: `own-${number}`, password: `${secret}-own` }
  remember(memory, await create(plan, '/todos', { todoTitle: 'first' }))
  remember(memory, await enrol(plan, own))
  if (plan.access.member) memory.own = own
}

const enrol = (plan: FuzzPlan, { signId, password }: OwnLogin): Promise<FramedResponse> =>
  create(plan, '/members', newMember(signId, password))

const create = async ({ port, access }: FuzzPlan, path: string, body: unknown): Promise<FramedResponse> => {
  const wire = reconnecting(port)
  const answer = await wire.ask(plainRequest(`POST ${path}`, access.keeper, body)).finally(wire.close)
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body}`)
  return answer
}

/** Uses one connection for as long as it lasts; an idle one may have been closed meanwhile. */
const reconnecting = (port: number) => {
  let connection: Connection | undefined
  const ask = async (request: FuzzRequest): Promise<FramedResponse> => {
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

/** The response if it comes soon: after broken HTTP, the server may wait for more up to its time limit. */
const peek = async (port: number, request: FuzzRequest): Promise<FramedResponse | undefined> => {
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

const remember = (memory: Memory, { status, headers }: FramedResponse): void => {
  if (headers.etag !== undefined) memory.tags.push(headers.etag)
  const location = /\/(todos|members)\/([0-9a-f-]{36})$/.exec(headers.location ?? '')
  if (status !== 201 || location?.[2] === undefined) return
  memory[location[1] === 'todos' ? 'todos' : 'members'].push(location[2])
}

/** Restores the service to its initial state, so that lists stay short. */
const cleanUp = ({ todos, members }: Memory, { keeper }: Access): FuzzRequest[] =>
  [...todos.map((id) => `/todos/${id}`), ...members.map((id) => `/members/${id}`)].map((path) =>
    plainRequest(`DELETE ${path}`, keeper),
  )

const count = (report: FuzzReport, route: string, status: number): void => {
  const counts = report.statuses.get(route) ?? new Map<number, number>()
  counts.set(status, (counts.get(status) ?? 0) + 1)
  report.statuses.set(route, counts)
}
