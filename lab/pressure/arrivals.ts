import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'

/**
 * Requests that arrive at a fixed rate, however slowly they are answered: runs as a process of its own that reads a plan
 * from its input. A request that finds every connection busy waits for one and gives up after a while. Times count from
 * the scheduled arrival, so that a slow response does not hide the delay of the requests behind it.
 */
export interface Plan {
  readonly port: number
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
  /** How many addresses they come from, by default one. */
  readonly addresses?: number
  /** Complete requests, taken in turn. */
  readonly requests: readonly string[]
}

export interface Outcome {
  /** The count of each status during the measurement. */
  readonly statuses: Readonly<Record<string, number>>
  readonly gaveUp: number
  readonly broken: number
  readonly perSecond: number
  /** From arrival to response, by the first digit of the status. */
  readonly arrivedMs: Readonly<Record<string, Spread>>
  /** From sending to response. */
  readonly sentMs: Readonly<Record<string, Spread>>
  /** The most requests in flight at once. */
  readonly openAtMost: number
  /** The share of its core that this process used: near one, it is what limits the figures. */
  readonly busy: number
}

export interface Spread {
  readonly median: number
  readonly p99: number
  readonly max: number
}

const patienceMs = 1_000
const warmUpMs = 1_000

const run = async (plan: Plan): Promise<Outcome> => {
  const times = { arrived: new Map<string, number[]>(), sent: new Map<string, number[]>() }
  const statuses: Record<string, number> = {}
  const idle: Line[] = []
  const waiting: number[] = []
  let firstWaiting = 0
  const { addresses = 1 } = plan
  let lines = 0
  let opened = 0
  let next = 0
  let gaveUp = 0
  let broken = 0
  let isMeasured = false
  let openAtMost = 0

  const give = (line: Line, arrivedAtMs: number) => {
    line.arrivedAtMs = arrivedAtMs
    line.sentAtMs = performance.now()
    line.isBusy = true
    line.socket.write(plan.requests[next++ % plan.requests.length] ?? '', 'latin1')
  }
  const take = (line: Line) => {
    const now = performance.now()
    while (firstWaiting < waiting.length) {
      const arrivedAtMs = waiting[firstWaiting++] ?? 0
      if (now - arrivedAtMs <= patienceMs) return give(line, arrivedAtMs)
      if (isMeasured) gaveUp++
    }
    waiting.length = 0
    firstWaiting = 0
    idle.push(line)
  }
  const answered = (line: Line, status: string) => {
    const now = performance.now()
    line.isBusy = false
    if (isMeasured) {
      statuses[status] = (statuses[status] ?? 0) + 1
      const digit = status.slice(0, 1)
      note(times.arrived, digit, now - line.arrivedAtMs)
      note(times.sent, digit, now - line.sentAtMs)
    }
    take(line)
  }
  const open = () => {
    lines++
    const line: Line = {
      socket: connect({
        port: plan.port,
        host: '127.0.0.1',
        // Only if needed: binding an explicit address makes the kernel search among ports just released.
        ...(addresses > 1 && { localAddress: `127.0.0.${1 + (opened++ % addresses)}` }),
      }),
      isBusy: false,
      arrivedAtMs: 0,
      sentAtMs: 0,
    }
    line.socket.setNoDelay(true)
    readAnswers(line.socket, (status) => answered(line, status))
    line.socket.on('error', () => undefined)
    line.socket.on('close', () => {
      lines--
      if (line.isBusy && isMeasured) broken++
      const at = idle.indexOf(line)
      if (at >= 0) idle.splice(at, 1)
    })
    return line
  }
  const arrive = (atMs: number) => {
    const line = idle.pop()
    openAtMost = Math.max(openAtMost, lines - idle.length)
    if (line) give(line, atMs)
    else if (lines < plan.connections) give(open(), atMs)
    else waiting.push(atMs)
  }

  const begunMs = performance.now()
  const endMs = begunMs + warmUpMs + plan.seconds * 1000
  let arrived = 0
  let used = process.cpuUsage()
  let measuredFromMs = 0
  await new Promise<void>((resolve) => {
    const turn = () => {
      const now = performance.now()
      if (!isMeasured && now > begunMs + warmUpMs) {
        isMeasured = true
        measuredFromMs = now
        used = process.cpuUsage()
      }
      if (now > endMs) return resolve()
      const due = Math.floor(((now - begunMs) * plan.perSecond) / 1000)
      for (let count = 0; arrived < due && count < 500; count++)
        arrive(begunMs + (arrived++ * 1000) / plan.perSecond)
      // Timers have a resolution of a millisecond; polling more often would only spin.
      if (arrived < due) setImmediate(turn)
      else setTimeout(turn, 1)
    }
    turn()
  })
  const ms = performance.now() - measuredFromMs
  const { user, system } = process.cpuUsage(used)
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  return {
    statuses,
    gaveUp,
    broken,
    perSecond: (all * 1000) / ms,
    arrivedMs: spreads(times.arrived),
    sentMs: spreads(times.sent),
    openAtMost,
    busy: (user + system) / 1000 / ms,
  }
}

interface Line {
  readonly socket: Socket
  isBusy: boolean
  arrivedAtMs: number
  sentAtMs: number
}

const note = (times: Map<string, number[]>, digit: string, ms: number) => {
  const known = times.get(digit)
  if (known) known.push(ms)
  else times.set(digit, [ms])
}

const spreads = (times: ReadonlyMap<string, number[]>) =>
  Object.fromEntries([...times].map(([digit, list]) => [digit, spreadOf(list)]))

const spreadOf = (list: number[]): Spread => {
  const sorted = Float64Array.from(list).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { median: at(0.5), p99: at(0.99), max: at(1) }
}

const lengthField = '\r\nContent-Length: '

/** Reports the status of every response. Each has a Content-Length, unless it has no body. */
const readAnswers = (socket: Socket, onStatus: (status: string) => void) => {
  let held = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    held += chunk
    for (;;) {
      const end = held.indexOf('\r\n\r\n')
      if (end < 0) return
      const field = held.indexOf(lengthField)
      const length =
        field >= 0 && field < end ? Number.parseInt(held.slice(field + lengthField.length), 10) : 0
      const whole = end + 4 + length
      if (held.length < whole) return
      const status = held.slice(9, 12)
      held = held.length === whole ? '' : held.slice(whole)
      onStatus(status)
    }
  })
}

console.log(JSON.stringify(await run((await json(process.stdin)) as Plan)))
process.exit()
