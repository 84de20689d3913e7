import type { Timeline } from '#lab/histories/timeline.ts'
import type { Result, Tried } from './result.ts'
import { isHeld, sum, wrongIn } from './table.ts'

const width = 1060
const rowHeight = 54
const top = 120
const plot = { x: 285, width: 265, height: 30 }
const maxLineLength = 66

/** The campaign as one picture: a row for every fault, with what callers saw and its figure. */
export const picture = ({ tried, caught }: Result): string => {
  const height = top + tried.length * rowHeight + 60
  const rows = tried.map((one, index) => row(one, top + index * rowHeight))
  const held = tried.filter((one) => isHeld(one)).length
  const found = caught.filter(({ isCaught }) => isCaught).length
  const writes = sum(tried, 'acknowledgedWrites').toLocaleString('en')
  const cuts = sum(tried, 'cuts').toLocaleString('en')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Result of the campaign of faults">
<style>
  text { fill: #1f2328 } .quiet { fill: #59636e } .paper { fill: #ffffff } .held { fill: #1a7f37 } .broken { fill: #cf222e } .open { fill: #9a6700 }
  .answered { fill: #0969da } .unknown { fill: #cf222e } .fault { fill: #ffd8b5 } .rule { stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .quiet { fill: #9198a1 } .paper { fill: #0d1117 } .held { fill: #3fb950 } .broken, .unknown { fill: #f85149 } .open { fill: #d29922 } .answered { fill: #4493f8 } .fault { fill: #5a3a1a } .rule { stroke: #3d444d } }
</style>
<rect class="paper" width="${width}" height="${height}"/>
<text x="20" y="34" font-size="20" font-weight="600">What goes wrong, and what is kept</text>
<text x="20" y="58" class="quiet">${held} of ${tried.length} promises held · ${writes} acknowledged writes in histories · ${cuts} power cuts · ${found} of ${caught.length} planted mistakes caught</text>
<rect class="answered" x="${plot.x}" y="82" width="10" height="10"/><text x="${plot.x + 16}" y="92" class="quiet">answered</text>
<rect class="unknown" x="${plot.x + 90}" y="82" width="10" height="10"/><text x="${plot.x + 106}" y="92" class="quiet">no answer, or 503</text>
<rect class="fault" x="${plot.x + 230}" y="82" width="10" height="10"/><text x="${plot.x + 246}" y="92" class="quiet">fault</text>
${rows.join('\n')}
</svg>
`
}

const row = (one: Tried, y: number) => {
  const { name, engine, outcome, reason } = one
  const mark = outcome ? (isHeld(one) ? 'held' : 'broken') : 'open'
  const words = wrapped(outcome?.figure ?? `not tried: ${reason}`)
  const wrong = (outcome ? wrongIn(outcome) : [])
    .slice(0, 1)
    .map(
      (what) =>
        `<text style="fill:#cf222e" font-size="11" x="570" y="${y + 14 + words.length * 16}">${escaped(what.slice(0, maxLineLength + 10))}</text>`,
    )
  const lines = words.map((line, index) => `<text x="570" y="${y + 14 + index * 16}">${escaped(line)}</text>`)
  return `<line class="rule" x1="20" x2="${width - 20}" y1="${y - 6}" y2="${y - 6}"/>
<circle class="${mark}" cx="28" cy="${y + 9}" r="6"><title>${mark}</title></circle>
<text x="44" y="${y + 14}">${escaped(name)}</text><text x="44" y="${y + 30}" class="quiet" font-size="11">${engine}</text>
${outcome?.timeline ? strip(outcome.timeline, y) : ''}${lines.join('')}${wrong.join('')}`
}

/** How many requests were answered over time, and how many were not. */
const strip = ({ answered, unknown, faults }: Timeline, y: number) => {
  const max = Math.max(1, ...answered.map((count, index) => count + (unknown[index] ?? 0)))
  const step = plot.width / answered.length
  const bar = (kind: string, index: number, from: number, count: number) =>
    count === 0
      ? ''
      : `<rect class="${kind}" x="${round(plot.x + index * step)}" y="${round(y + plot.height - ((from + count) / max) * plot.height)}" width="${round(step)}" height="${round((count / max) * plot.height)}"/>`
  const shades = faults.map(
    ([from, to]) =>
      `<rect class="fault" x="${round(plot.x + from * step)}" y="${y}" width="${round((to - from + 1) * step)}" height="${plot.height}"/>`,
  )
  const bars = answered.map(
    (count, index) => bar('answered', index, 0, count) + bar('unknown', index, count, unknown[index] ?? 0),
  )
  return shades.join('') + bars.join('')
}

const round = (value: number) => Math.round(value * 10) / 10

const wrapped = (text: string): string[] => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < maxLineLength)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.slice(0, 2)
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
