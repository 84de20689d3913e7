import type { ComponentChildren } from 'preact'
import type { SeenMember } from '#client/index.ts'
import { ChangeLine } from '#console/app/history/line.tsx'
import { nameOf } from '#console/app/members/name.ts'
import { useLoad } from '#console/app/state/load.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { formatAgo, formatDay, formatDayOrToday, formatNumber, useWords } from '#console/app/words/index.ts'
import { FirstSteps } from './first.tsx'
import { type Days, readBirthdays, readDays, readNews } from './news.ts'
import { Tiles, useCounts } from './tiles.tsx'

/** The overview: counts, health, and what is new. */
export const HomePage = () => {
  const { pages, overview: words } = useWords()
  const counts = useCounts()
  const news = useLoad('news', readNews, { reloadOn: ['*'] })
  const { newestMembers = [], latestChanges } = news.value ?? {}
  const failed = [counts, news].find(({ value, failure }) => failure && !value)
  return (
    <Page title={pages.overview} subtitle={words.subtitle}>
      {failed?.failure && <Failed failure={failed.failure} onRetry={failed.reload} />}
      <Tiles counts={counts} />
      {latestChanges?.changes.length === 0 && newestMembers.length === 0 && <FirstSteps />}
      <div class="panels">
        {news.value && <AddedPerDay />}
        {newestMembers.length > 0 && (
          <Panel title={words.newest} allHref={hrefTo('members')}>
            {newestMembers.map((member) => (
              <MemberLine
                key={member.memberId}
                member={member}
                note={member.createdAt && formatAgo(member.createdAt)}
              />
            ))}
          </Panel>
        )}
        {news.value && <Birthdays />}
        {latestChanges && latestChanges.changes.length > 0 && (
          <Panel title={words.latest} allHref={hrefTo('activity')}>
            {latestChanges.changes.map((change) => (
              <ChangeLine
                key={change.id}
                change={change}
                names={latestChanges.names}
                imports={latestChanges.imports}
              />
            ))}
          </Panel>
        )}
      </div>
    </Page>
  )
}

/** The number of records added on each day. The chart of members is left out for users who see only the names of members. */
const AddedPerDay = () => {
  const { overview: words } = useWords()
  const { value: days, failure, reload } = useLoad('days', readDays, { pollMs: 60_000 })
  if (failure && !days) return <Failed failure={failure} onRetry={reload} />
  return (
    <>
      {days?.members && days.members.total > 0 && (
        <DaysChart title={words.membersAdded} addedPerDay={days.members} />
      )}
      {days?.todos.total !== 0 && <DaysChart title={words.todosAdded} addedPerDay={days?.todos} />}
    </>
  )
}

/** Birthdays are also read at intervals, because at midnight they change without a change in the feed. */
const birthdaysLive = { reloadOn: ['member'], pollMs: 600_000, isAlsoPolled: true }

const Birthdays = () => {
  const { overview: words } = useWords()
  const { value: birthdays, failure, reload } = useLoad('birthdays', readBirthdays, birthdaysLive)
  if (!birthdays?.length) return failure && <Failed failure={failure} onRetry={reload} />
  return (
    <Panel title={words.birthdays} note={words.nextDays}>
      {birthdays.map(({ member, dayStartMs }) => (
        <MemberLine key={member.memberId} member={member} note={formatDayOrToday(dayStartMs)} />
      ))}
    </Panel>
  )
}

interface PanelProps {
  readonly title: string
  readonly allHref?: string
  readonly note?: string
  readonly children: ComponentChildren
}

const Panel = ({ title, allHref, note, children }: PanelProps) => {
  const { overview: words } = useWords()
  return (
    <section class="sheet panel">
      <header class="row row-wide">
        <h2>{title}</h2>
        {allHref && (
          <a href={allHref}>
            {words.all}
            <span class="unseen"> {title}</span>
          </a>
        )}
        {note && <span class="soft">{note}</span>}
      </header>
      <ul>{children}</ul>
    </section>
  )
}

const MemberLine = ({ member, note }: { member: SeenMember; note: string | undefined }) => (
  <li class="past">
    <a href={hrefTo(`members/${member.memberId}`)} dir="auto">
      {nameOf(member)}
    </a>
    {note && <span class="soft">{note}</span>}
  </li>
)

const chartHeight = 40

/** The records added on each day, as bars. */
const DaysChart = ({ title, addedPerDay }: { title: string; addedPerDay: Days | undefined }) => {
  const { overview: words } = useWords()
  const { days = [], total = 0, isComplete = true } = addedPerDay ?? {}
  const maxAdded = Math.max(1, ...days.map(({ added }) => added))
  const count = isComplete ? formatNumber(total) : words.atLeast(formatNumber(total))
  return (
    <section class="sheet panel">
      <header class="row row-wide">
        <h2>{title}</h2>
        <span class="soft">{words.lastDays}</span>
        <b>{addedPerDay && count}</b>
      </header>
      <svg
        class="days"
        height={80}
        viewBox={`0 0 ${days.length * 10} ${chartHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words.onDay(`${title}, ${words.lastDays}`, count)}
      >
        {days.map(({ startMs, added }, index) => {
          const barHeight = added === 0 ? 0.5 : Math.max(2, (added / maxAdded) * chartHeight)
          return (
            <rect
              key={startMs}
              class={added === 0 ? 'days-none' : 'days-some'}
              x={index * 10 + 1}
              y={chartHeight - barHeight}
              width={8}
              height={barHeight}
            >
              <title>{words.onDay(formatDay(startMs), formatNumber(added))}</title>
            </rect>
          )
        })}
      </svg>
      <p class="row row-wide soft">
        <span>{days[0] && formatDay(days[0].startMs)}</span>
        <span>{days.length > 0 && formatDay(days.at(-1)?.startMs ?? 0)}</span>
      </p>
    </section>
  )
}
