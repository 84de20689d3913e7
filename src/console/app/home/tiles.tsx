import type { ReadOptions } from '#console/app/api/call.ts'
import { probe } from '#console/app/api/fetch.ts'
import { countMembers, type PageAnswer } from '#console/app/api/members.ts'
import { countTodos, type TodosAnswer } from '#console/app/api/todos.ts'
import { connection } from '#console/app/state/connection.ts'
import { type LoadedValue, useLoad } from '#console/app/state/load.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { isSessionActive, session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { formatNumber, formatTime, useWords } from '#console/app/words/index.ts'

const pollMs = 5_000

interface Counts {
  readonly members: PageAnswer
  readonly open: TodosAnswer
  readonly finished: TodosAnswer
  readonly countedAtMs: number
}

const readCounts = async (options: ReadOptions, previous: Counts | undefined): Promise<Counts> => {
  const [members, open, finished] = await Promise.all([
    countMembers(options, previous?.members),
    countTodos({ filter: 'open', title: '' }, options, previous?.open),
    countTodos({ filter: 'finished', title: '' }, options, previous?.finished),
  ])
  return { members, open, finished, countedAtMs: Date.now() }
}

export const useCounts = () => useLoad('counts', readCounts, { reloadOn: ['member', 'todo'], pollMs })

/** The counts and the health of the service. Values that may be out of date are marked. */
export const Tiles = ({ counts: { value, failure } }: { counts: LoadedValue<Counts> }) => {
  const { overview: words, pages } = useWords()
  const health = useLoad('health', readHealth, { pollMs })
  const isAway = useStore(connection).state === 'unreachable'
  const isSignedOut = !isSessionActive(useStore(session))
  const isOutdated = value && (isAway || isSignedOut || failure)
  const tiles = [
    [pages.members, value?.members, hrefTo('members')],
    [words.openTodos, value?.open, hrefTo('todos', { show: 'open' })],
    [words.finishedTodos, value?.finished, hrefTo('todos', { show: 'finished' })],
  ] as const
  return (
    <ul class={`sheet tiles ${isOutdated ? 'tiles-old' : ''}`}>
      {tiles.map(([label, count, href]) => (
        <li key={label}>
          <a class="tile" href={href}>
            <span class="soft">{label}</span>
            {count ? <span class="tile-value">{formatNumber(count.value.totalElements)}</span> : <Skeleton />}
          </a>
        </li>
      ))}
      <li class="tile">
        <span class="soft">{words.health}</span>
        <HealthWord health={isAway ? 'away' : health.value} />
        {isOutdated && <span class="soft">{words.countedAt(formatTime(value.countedAtMs))}</span>}
      </li>
    </ul>
  )
}

const Skeleton = () => (
  <span class="tile-value">
    <span class="skeleton" />
  </span>
)

const HealthWord = ({ health }: { health: Health | 'away' | undefined }) => {
  const { overview: words } = useWords()
  if (health === 'away') return <span class="tile-value health health-away warning">{words.away}</span>
  if (!health) return <Skeleton />
  const { isReady, reasons } = health
  return (
    <>
      <span class={`tile-value health ${isReady ? 'well' : 'wrong'}`}>{words[isReady ? 'up' : 'down']}</span>
      {reasons.length > 0 && (
        <span>{reasons.map((reason) => words.reasons[reason as 'storage'] ?? reason).join(', ')}</span>
      )}
    </>
  )
}

interface Health {
  readonly isReady: boolean
  readonly reasons: readonly string[]
}

const readHealth = async (options: ReadOptions): Promise<Health> => {
  const response = await probe('/health/ready', options)
  const { reasons = [] } = (await response.json()) as { readonly reasons?: readonly string[] }
  return { isReady: response.ok, reasons }
}
