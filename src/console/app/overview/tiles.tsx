import { useEffect } from 'preact/hooks'
import { readHealth } from '#console/app/api/health.ts'
import { countMembers } from '#console/app/api/members.ts'
import { countTodos } from '#console/app/api/todos.ts'
import { useLoad } from '#console/app/state/load.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Failed } from '#console/app/ui/failed.tsx'
import { formatNumber } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'

const everyMs = 15_000

const readTiles = async (signal: AbortSignal) => {
  const [members, open, finished, health] = await Promise.all([
    countMembers(signal),
    countTodos(false, signal),
    countTodos(true, signal),
    readHealth(signal),
  ])
  return { members, open, finished, health }
}

/** How much there is, and whether all is well. */
export const Tiles = () => {
  const { overview: words } = useWords()
  const { value, failure, reload } = useLoad('tiles', readTiles)
  useEffect(() => {
    const timer = setInterval(reload, everyMs)
    return () => clearInterval(timer)
  }, [reload])
  const health = value?.health
  return (
    <>
      {failure && !value && <Failed failure={failure} onRetry={reload} />}
      <ul class="sheet tiles">
        <Tile label={words.members} value={value?.members} href={hrefTo('members')} />
        <Tile label={words.openTodos} value={value?.open} href={hrefTo('todos', { show: 'open' })} />
        <Tile
          label={words.finishedTodos}
          value={value?.finished}
          href={hrefTo('todos', { show: 'finished' })}
        />
        <li class="tile">
          <span class="tile-label">{words.health}</span>
          <span class={`tile-value health ${health?.isReady === false ? 'health-down' : ''}`}>
            {health ? health.isReady ? words.up : words.down : <span class="skeleton skeleton-7" />}
          </span>
          {health && health.reasons.length > 0 && (
            <span>{health.reasons.map((reason) => words.reasons[reason] ?? reason).join(', ')}</span>
          )}
        </li>
      </ul>
    </>
  )
}

interface TileParts {
  readonly label: string
  readonly value: number | undefined
  readonly href: string
}

const Tile = ({ label, value, href }: TileParts) => (
  <li class="tile">
    <a href={href}>
      <span class="tile-label">{label}</span>
      <span class="tile-value">
        {value === undefined ? <span class="skeleton skeleton-7" /> : formatNumber(value)}
      </span>
    </a>
  </li>
)
