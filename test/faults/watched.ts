import { setTimeout as sleep } from 'node:timers/promises'
import { check, type Report } from '../histories/checker.ts'
import { writeEnding } from '../histories/ending.ts'
import { type Load, startLoad } from '../histories/load.ts'
import { type Recorder, recorder } from '../histories/recorder.ts'

export interface Watched extends Omit<Load, 'recorder'> {
  /** Makes things go wrong while the load is on; the service must be well when it returns. */
  readonly disturb: (history: Recorder) => Promise<void>
  /** Where to look at the end; the first of the urls unless another is said. */
  readonly endUrl?: () => string
  readonly orphans?: () => Promise<number> | number
  /** Keeps the history here. */
  readonly file?: string
}

const headMs = 500
const tailMs = 1300

/** A load before, amid and after what goes wrong, and what the checker says of its history. */
export const watched = async ({ disturb, endUrl, orphans, file, ...load }: Watched): Promise<Report> => {
  const history = recorder()
  const running = startLoad({ memberProcesses: 1, ...load, recorder: history })
  try {
    await sleep(headMs)
    await disturb(history)
    await sleep(tailMs)
  } finally {
    await running.stop()
  }
  const url = endUrl?.() ?? load.urls[0] ?? ''
  await writeEnding({ url, recorder: history, ...(orphans && { orphans }) })
  if (file) history.save(file)
  return check(history.events)
}

/** What is wrong with a history, in sentences. */
export const brokenIn = ({ findings, void: reasons }: Report) => [
  ...findings.slice(0, 5).map(({ check, key, says }) => `${check} ${key}: ${says}`),
  ...reasons.map((reason) => `void: ${reason}`),
]

export const count = (report: Report, ...names: readonly string[]) =>
  report.findings.filter(({ check }) => names.includes(check)).length
