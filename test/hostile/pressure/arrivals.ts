import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'

/**
 * Requests that arrive at a fixed rate, however slowly they are answered: run as a process of its own, with a plan as
 * its input. Who finds every connection busy waits for one and gives up after a while. Times count from the moment
 * a request was to arrive, so that a late one hides nobody behind it.
 */
export interface Plan {
  readonly port: number
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
  /** From how many addresses they come; from one if it is not given. */
  readonly addresses?: number
  /** Whole requests, taken in turn. */
  readonly requests: readonly string[]
}

export interface Outcome {
  /** Answers of each status in the time that was measured. */
  readonly statuses: Readonly<Record<string, number>>
  readonly gaveUp: number
  readonly broken: number
  readonly perSecond: number
  /** From arrival to answer, by the first digit of the status. */
  readonly arrivedMs: Readonly<Record<string, Spread>>
  /** From sending to answer. */
  readonly sentMs: Readonly<Record<string, Spread>>
  /** Sent and not answered, at the most. */
  readonly openAtMost: number
  /** How much of its core the load took itself: near one, the figures are its own. */
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
        // To choose the address by hand makes the kernel look for a port among those that are just given up.
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
      // Timers are a millisecond coarse: finer would only turn idly.
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

/** Tells the status of every answer. All of them say how long they are, unless they have no body at all. */
const readAnswers = (socket: Socket, told: (status: string) => void) => {
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
      told(status)
    }
  })
}

console.log(JSON.stringify(await run((await json(process.stdin)) as Plan)))
process.exit()
