import { connection } from '#console/app/state/connection.ts'
import { keepTrue } from '#console/app/state/live.ts'
import type { ReadOptions } from './ask.ts'
import { metricsPath, probe } from './wire.ts'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The current metrics; undefined if the listener does not serve them. Throws if they cannot be read. */
export const readMetrics = async (options: ReadOptions): Promise<readonly Sample[] | undefined> => {
  const response = await probe(metricsPath, options)
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${metricsPath}: ${response.status}`)
  return parseMetrics(await response.text())
}

/** Lines in the Prometheus text format: `name{label="value"} 1.5`. */
const parseMetrics = (text: string): readonly Sample[] =>
  text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = lineShape.exec(line) ?? []
    return name === undefined ? [] : [{ name, labels: labelsOf(labels), value: Number(value) }]
  })

const lineShape = /^([a-z_:][\w:]*)(?:\{(.*)\})? ([^ ]+)/i

const labelsOf = (text: string) =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]))

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
