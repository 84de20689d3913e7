import { useEffect, useRef } from 'preact/hooks'
import { kindOf } from '#console/app/api/failure.ts'
import {
  findMembers,
  type KnownPage,
  type MemberQuery,
  maxSearchLength,
  seesOnlyNames,
  walkMembers,
} from '#console/app/api/members.ts'
import { type Loaded, useLoad } from '#console/app/state/load.ts'
import { rowCount } from '#console/app/state/preferences.ts'
import { removed } from '#console/app/state/removing.ts'
import { hrefTo, route } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Download } from '#console/app/ui/download.tsx'
import { Empty } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { focusSearch, focusTitle } from '#console/app/ui/focus.ts'
import { Page, whenUserActs } from '#console/app/ui/page.tsx'
import { Search } from '#console/app/ui/search.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { ClearFilters, Filters } from './filters.tsx'
import { Many, usePicked } from './many.tsx'
import { Pager } from './pager.tsx'
import { chooseSize, hrefOf, isFiltered, pushQuery, readQuery, rememberList, replaceQuery } from './query.ts'
import { MemberTable } from './table.tsx'

/** The members found, and what they were found by, which may no longer be what is being searched. */
interface Found {
  readonly query: MemberQuery
  readonly page: KnownPage
}

export const MembersPage = () => {
  const words = useWords()
  useStore(rowCount)
  const query = readQuery(useStore(route).query)
  const found = useLoad<Found>(
    JSON.stringify(query),
    async (options, before) => {
      const page = await findMembers(query, options, before?.page)
      return before?.page === page ? before : { query, page }
    },
    { of: ['member'] },
  )
  const ids = found.value?.page.value.content.map(({ memberId }) => memberId)
  useEffect(() => rememberList(query, ids))
  const mayAdd = !useStore(seesOnlyNames)
  const isRead = !found.isLoading && !found.failure
  const last = found.value && Math.max(0, found.value.page.value.totalPages - 1)
  useEffect(() => {
    if (isRead && last !== undefined && last < query.page) replaceQuery({ ...query, page: last })
  }, [isRead, last])
  return (
    <Page
      title={words.pages.members}
      subtitle={<span role="status">{found.value ? subtitle(found.value) : ' '}</span>}
      actions={
        <>
          <Download
            what="members"
            walk={(signal) => walkMembers(query, signal)}
            isEmpty={!found.value?.page.value.totalElements}
          />
          {mayAdd && (
            <Button icon="plus" text={words.members.add} kind="primary" href={hrefTo('members/new')} />
          )}
        </>
      }
    >
      <Search
        name={query.name}
        label={words.members.search[mayAdd ? 'all' : 'names']}
        longest={maxSearchLength}
        onSearch={(name) => replaceQuery({ ...query, name, page: 0 })}
      />
      <Filters query={query} />
      {found.failure && (
        <Failed
          failure={found.failure}
          what={found.failure.status === 400 ? words.members.unlisted : undefined}
          onRetry={found.reload}
        >
          {kindOf(found.failure) === 'refused' && (
            <Button text={words.members.reset} kind="small" href={hrefTo('members')} onClick={focusTitle} />
          )}
        </Failed>
      )}
      <Results query={query} found={found} />
    </Page>
  )

  function subtitle({ query: { name }, page }: Found) {
    const { totalElements } = page.value
    return name ? words.members.found(totalElements, isolated(name)) : words.members.subtitle(totalElements)
  }
}

const Results = ({ query, found }: { query: MemberQuery; found: Loaded<Found> }) => {
  const isShown = !found.isLoading && !found.failure
  const { part, turnedTo } = useTopOnceTurned(query.page, isShown)
  const page = useShown(found.value?.page.value)
  // In whichever order, and on whichever page.
  const picked = usePicked(hrefOf({ ...query, sort: '', page: 0, size: 0 }), page?.content)
  if (!found.value && found.failure) return null
  if (found.value && page?.totalElements === 0) return <Nobody found={found.value} />
  return (
    <div ref={part} class="sheet roll">
      <MemberTable
        members={page?.content}
        rows={query.size}
        isLoading={found.isLoading}
        sort={query.sort}
        onSort={(sort) => pushQuery({ ...query, sort, page: 0 })}
        picked={picked}
      />
      {page && picked.members.size > 0 && <Many query={query} total={page.totalElements} picked={picked} />}
      {page && (
        <Pager
          page={page}
          wanted={query.page}
          onTurn={(to) => {
            turnedTo.current = to.page
            chooseSize(to.size)
            pushQuery({ ...query, ...to })
          }}
        />
      )}
    </div>
  )
}

/** Without the members that were deleted here a moment ago. */
const useShown = (page: KnownPage['value'] | undefined) => {
  const removedIds = useStore(removed)
  if (!page) return undefined
  const content = page.content.filter(({ memberId }) => !removedIds.has(memberId))
  const missing = page.content.length - content.length
  const { numberOfElements, totalElements } = page
  return {
    ...page,
    content,
    numberOfElements: numberOfElements - missing,
    totalElements: totalElements - missing,
  }
}

const Nobody = ({ found: { query } }: { found: Found }) => {
  const { members: words, pages } = useWords()
  const { name } = query
  const scope = useStore(seesOnlyNames) ? 'names' : 'all'
  if (name || isFiltered(query))
    return (
      <Empty
        icon="search"
        {...(name
          ? { title: words.noHitsTitle(isolated(name)), text: words.noHitsText[scope] }
          : words.noFits)}
      >
        {name && <Button text={words.clear} href={hrefOf({ ...query, name: '' })} onClick={focusSearch} />}
        <ClearFilters query={query} />
      </Empty>
    )
  return (
    <Empty icon="members" title={words.emptyTitle} text={words.emptyText}>
      <Button text={words.add} kind="primary" href={hrefTo('members/new')} />
      <Button text={pages.import} href={hrefTo('import')} />
    </Empty>
  )
}

/** Longer than the pause between two quick presses: the button must not move from under the pointer. */
const settledMs = 500

/** Scrolls to the top of the part once the page that was turned to is shown, unless the user has gone on since. */
const useTopOnceTurned = (page: number, isShown: boolean) => {
  const part = useRef<HTMLDivElement>(null)
  const turnedTo = useRef<number | undefined>(undefined)
  const forget = () => {
    turnedTo.current = undefined
  }
  useEffect(() => whenUserActs(forget), [])
  useEffect(() => {
    if (page !== turnedTo.current) forget()
  }, [page])
  useEffect(() => {
    if (!isShown || turnedTo.current !== page) return
    const timer = setTimeout(() => {
      if (turnedTo.current !== page) return
      forget()
      if (part.current && part.current.getBoundingClientRect().top < 0) part.current.scrollIntoView()
    }, settledMs)
    return () => clearTimeout(timer)
  }, [page, isShown])
  return { part, turnedTo }
}
