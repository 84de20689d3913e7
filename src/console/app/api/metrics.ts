import { connection } from '#console/app/state/connection.ts'
import { keepTrue } from '#console/app/state/live.ts'
import type { ReadOptions } from './ask.ts'
import { pastPath, probe } from './wire.ts'

/** The counters at a time, and the delay of the event loop before it. */
export interface Reading {
  readonly atMs: number
  readonly reads: number
  readonly writes: number
  readonly clientErrors: number
  readonly serverErrors: number
  readonly commits: number
  readonly committedWrites: number
  /** How many requests took at most each bound, and how many there were. */
  readonly durations: readonly number[]
  readonly lagMeanMs: number | null
  readonly lagMaxMs: number | null
}

/** The past hour of the service; the last reading is of now. */
export interface Past {
  readonly secondBounds: readonly number[]
  readonly readings: readonly Reading[]
}

/** Undefined if the listener does not serve it. Throws if it cannot be read. */
export const readPast = async (options: ReadOptions): Promise<Past | undefined> => {
  const response = await probe(pastPath, options)
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${pastPath}: ${response.status}`)
  return (await response.json()) as Past
}

const everyMs = 5_000

/** While the service is away, checks now and then whether it is back, and at once when the browser is online again. */
export const watchRecovery = () => {
  let checking: ReturnType<typeof keepTrue> | undefined
  connection.watch(() => {
    checking?.end()
    checking = connection.get().state === 'up' ? undefined : keepTrue(check, { everyMs })
  })
}

const check = async () => {
  await probe('/health/ready')
  return true
}
