import { formatDay, formatNumber } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import type { Days } from './news.ts'

const height = 40

/** What was added on each day, as bars. */
export const DaysChart = ({ title, shown }: { title: string; shown: Days | undefined }) => {
  const { overview: words } = useWords()
  const { days = [], total = 0, isAll = true } = shown ?? {}
  const most = Math.max(1, ...days.map(({ added }) => added))
  const count = isAll ? formatNumber(total) : words.atLeast(formatNumber(total))
  return (
    <section class="sheet panel">
      <header class="row row-wide">
        <h2>{title}</h2>
        <span class="soft">{words.lastDays}</span>
        <b>{shown && count}</b>
      </header>
      <svg
        class="days"
        height={80}
        viewBox={`0 0 ${days.length * 10} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words.onDay(`${title}, ${words.lastDays}`, count)}
      >
        {days.map(({ atMs, added }, index) => {
          const tall = added === 0 ? 0.5 : Math.max(2, (added / most) * height)
          return (
            <rect
              key={atMs}
              class={added === 0 ? 'days-none' : 'days-some'}
              x={index * 10 + 1}
              y={height - tall}
              width={8}
              height={tall}
            >
              <title>{words.onDay(formatDay(atMs), formatNumber(added))}</title>
            </rect>
          )
        })}
      </svg>
      <p class="row row-wide soft">
        <span>{days[0] && formatDay(days[0].atMs)}</span>
        <span>{days.length > 0 && formatDay(days.at(-1)?.atMs ?? 0)}</span>
      </p>
    </section>
  )
}
