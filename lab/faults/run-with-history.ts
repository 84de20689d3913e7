import { setTimeout as sleep } from 'node:timers/promises'
import { check, type Report } from '#lab/histories/checker.ts'
import { httpClient } from '#lab/histories/client.ts'
import { writeEnding } from '#lab/histories/final-read.ts'
import { type Load, startLoad } from '#lab/histories/load.ts'
import { type Recorder, recorder } from '#lab/histories/recorder.ts'
import { attempt, prefix } from '#lab/histories/todos.ts'
import type { Outcome } from './fault.ts'

export interface HistoryRun extends Omit<Load, 'recorder'> {
  /** Makes things go wrong during the load, one after the other, with a moment of calm after each. */
  readonly disturbances: readonly Disturbance[]
  readonly calmMs?: number
  /** The share of them that is done. */
  readonly progress: (share: number) => void
  /** Where to read everything at the end, by default the first of the URLs. */
  readonly endUrl?: () => string
  readonly orphans?: () => Promise<number> | number
}

interface Disturbance {
  readonly name: string
  /** When it returns, the service must be healthy. */
  readonly act: (history: Recorder) => Promise<unknown>
}

/** The same disturbance, round after round. */
export const inRounds = (
  count: number,
  name: (round: number) => string,
  act: (round: number, history: Recorder) => Promise<unknown>,
): readonly Disturbance[] =>
  Array.from({ length: count }, (_, round) => ({
    name: name(round),
    act: (history) => act(round, history),
  }))

const head = { ms: 500, events: 300 }
const tail = { ms: 1300, events: 2_000 }

/** Runs a load before, during and after a disturbance, and checks its history. */
export const runWithHistory = async ({
  disturbances,
  calmMs = 500,
  progress,
  endUrl,
  orphans,
  ...load
}: HistoryRun): Promise<Report> => {
  const history = recorder()
  const running = startLoad({ memberProcesses: 1, ...load, recorder: history })
  try {
    await history.goOn(head)
    for (const [index, { name, act }] of disturbances.entries()) {
      await history.fault(name, () => act(history))
      await history.goOn({ ms: calmMs })
      progress((index + 1) / disturbances.length)
    }
    await history.goOn(tail)
  } finally {
    await running.stop()
  }
  const url = endUrl?.() ?? load.urls[0] ?? ''
  await writeEnding({ url, recorder: history, ...(orphans && { orphans }) })
  return check(history.events)
}

/** Repeats a create until it succeeds, as part of the history, and returns how long that took. */
export const untilCreated = async (history: Recorder, url: string, limitMs = 60_000) => {
  const client = httpClient(url, limitMs)
  const startedAt = performance.now()
  for (let n = 0; performance.now() - startedAt < limitMs; n++) {
    const title = `healed-${Math.round(history.ns() / 1e3)}-${n}`
    const ask = { method: 'POST', path: `${prefix}/todos`, body: { todoTitle: title } }
    const invocation = { process: healer, op: 'create', value: `${title}/0` } as const
    const { type } = await history.around(invocation, async () => {
      const { type, key, error } = await attempt(client, ask)
      return { type, key, error }
    })
    if (type === 'ok') break
    await sleep(20)
  }
  client.close()
  return Math.round(performance.now() - startedAt)
}

const healer = 999_999

type Finding = Report['findings'][number]

const sentence = ({ check, key, says }: Finding) => `${check} ${key}: ${says}`

/** A search that was given up shows neither that the history is right nor that it is wrong. */
const isConclusive = ({ check }: Finding) => check !== 'undecided'

/** True if the promise held, judged by the history. */
export const outcomeOf = (
  report: Report,
  figure: string,
  figures: Readonly<Record<string, number>> = {},
): Outcome => ({ figure, broken: brokenIn(report), figures: { ...figures, ...report.figures } })

/** The problems of a history, in sentences. */
export const brokenIn = ({ findings, void: reasons }: Report) => [
  ...findings.filter(isConclusive).slice(0, 5).map(sentence),
  ...findings
    .filter((finding) => !isConclusive(finding))
    .slice(0, 5)
    .map((finding) => `void: ${sentence(finding)}`),
  ...reasons.map((reason) => `void: ${reason}`),
]

export const count = (report: Report, ...names: readonly string[]) =>
  report.findings.filter(({ check }) => names.includes(check)).length

export const orphanCredentials =
  'SELECT member_id FROM credential WHERE member_id NOT IN (SELECT member_id FROM member)'
