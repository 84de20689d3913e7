import type { ComponentChildren } from 'preact'
import type { SeenMember } from '#client/index.ts'
import { ChangeLine } from '#console/app/activity/line.tsx'
import { nameOf } from '#console/app/members/name.ts'
import { useLoad } from '#console/app/state/load.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Page } from '#console/app/ui/page.tsx'
import { formatAgo } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { DaysChart } from './days.tsx'
import { readDays, readNews } from './news.ts'
import { Tiles } from './tiles.tsx'

/** How often what was added is counted again. */
const everyMs = 60_000

/** What there is, and what is new. */
export const HomePage = () => {
  const { pages, overview: words } = useWords()
  const { value: days } = useLoad('days', readDays, { everyMs })
  const { value: news } = useLoad('news', readNews, { of: ['member', 'todo', 'key', 'webhook'] })
  const { newest = [], latest } = news ?? {}
  return (
    <Page title={pages.overview} subtitle={words.subtitle}>
      <Tiles />
      <div class="panels">
        {days?.members && <DaysChart title={words.membersAdded} shown={days.members} />}
        <DaysChart title={words.todosAdded} shown={days?.todos} />
        {newest.length > 0 && (
          <Panel title={words.newest} all={hrefTo('members')}>
            {newest.map((member) => (
              <NewMember key={member.memberId} member={member} />
            ))}
          </Panel>
        )}
        {latest && latest.changes.length > 0 && (
          <Panel title={words.latest} all={hrefTo('activity')}>
            {latest.changes.map((change) => (
              <ChangeLine key={change.id} change={change} names={latest.names} />
            ))}
          </Panel>
        )}
      </div>
    </Page>
  )
}

interface PanelParts {
  readonly title: string
  /** Where the rest is. */
  readonly all: string
  readonly children: ComponentChildren
}

const Panel = ({ title, all, children }: PanelParts) => {
  const { overview: words } = useWords()
  return (
    <section class="sheet panel">
      <header class="row row-wide">
        <h2>{title}</h2>
        <a href={all}>
          {words.all}
          <span class="unseen"> {title}</span>
        </a>
      </header>
      <ul>{children}</ul>
    </section>
  )
}

const NewMember = ({ member }: { member: SeenMember }) => (
  <li class="past">
    <a href={hrefTo(`members/${member.memberId}`)} dir="auto">
      {nameOf(member)}
    </a>
    {member.createdAt && <span class="soft">{formatAgo(member.createdAt)}</span>}
  </li>
)
