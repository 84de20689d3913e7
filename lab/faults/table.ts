import type { Outcome } from './fault.ts'
import type { FaultResult, Result } from './result.ts'

/** The campaign as a Markdown table. */
export const table = ({ tried, caught }: Result): string => {
  const held = tried.filter(isHeld).length
  const found = caught.filter(({ isCaught }) => isCaught).length
  const minutes = tried.reduce((all, { seconds }) => all + seconds, 0) / 60
  return [
    `**${held} of ${tried.length} promises held**; ${formatted(sum(tried, 'acknowledgedWrites'))} acknowledged writes in histories, ${formatted(sum(tried, 'cuts'))} power cuts, ${found} of ${caught.length} planted mistakes caught; ${speedsOf(tried)}${minutes.toFixed(0)} minutes in all.`,
    '',
    '| fault | held | what was seen | size | load | s |',
    '|---|---|---|---|---|---|',
    ...tried.map(row),
  ].join('\n')
}

const row = (one: FaultResult) => {
  const { name, engine, size, seconds, loadAverage, outcome, reason } = one
  const seen = outcome
    ? [outcome.figure, ...wrongIn(outcome).slice(0, 1)].join('; **but** ')
    : `not tried: ${reason}`
  const verdict = outcome ? (isHeld(one) ? 'yes' : '**no**') : '–'
  const cells = [
    `${name} (${engine})`,
    verdict,
    seen.replace(/[|\n]/g, ' '),
    size,
    loadAverage.toFixed(1),
    Math.round(seconds),
  ]
  return `| ${cells.join(' | ')} |`
}

export const wrongIn = ({ broken, slow = [] }: Outcome) => [...broken, ...slow]

export const isHeld = ({ outcome }: FaultResult) => outcome !== undefined && wrongIn(outcome).length === 0

/** The sum over all faults that have this figure; the controls have figures of their own. */
export const sum = (tried: readonly FaultResult[], figure: string) =>
  tried.reduce((all, { outcome }) => all + (outcome?.figures[figure] ?? 0), 0)

/** A history under 50 a second is void. */
const speedsOf = (tried: readonly FaultResult[]) => {
  const speeds = tried
    .map(({ outcome }) => outcome?.figures.operationsPerSecond ?? 0)
    .filter((one) => one > 0)
  if (speeds.length === 0) return ''
  return `${Math.min(...speeds)} to ${Math.max(...speeds)} operations a second in the histories; `
}

const formatted = (count: number) => count.toLocaleString('en')
