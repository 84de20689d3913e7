import { useEffect } from 'preact/hooks'
import type { Done, PageOf } from '#client/index.ts'
import { kindOf } from '#console/app/api/failure.ts'
import { type LoadedValue, useLoad } from '#console/app/state/load.ts'
import { rowCount } from '#console/app/state/preferences.ts'
import { removedIds } from '#console/app/state/removing.ts'
import { go, hrefTo, replace, route } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Download } from '#console/app/ui/download.tsx'
import { focusSearch, focusTitle } from '#console/app/ui/focus.ts'
import { Lazy } from '#console/app/ui/lazy.tsx'
import { Empty, Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { Search } from '#console/app/ui/search.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { useListSource } from './columns.ts'
import { ClearFilters, Filters } from './filters.tsx'
import type { Kind } from './kind.ts'
import { BulkActions, useSelection } from './many.tsx'
import { useScrollToTopAfterTurn } from './page-turn.ts'
import { Pager } from './pager.tsx'
import {
  chooseSize,
  hrefOf,
  isFiltered,
  type ListQuery,
  pushQuery,
  readQuery,
  rememberList,
  replaceQuery,
} from './query.ts'
import type { RecordParts } from './record-page.tsx'
import { RecordTable, type TableParts } from './table.tsx'

/** The records found, and the query that found them, which may be older than that of the address. */
interface FoundPage {
  readonly query: ListQuery
  readonly page: Done<PageOf<object>>
}

interface ListParts extends Pick<RecordParts, 'kind' | 'actions' | 'rows'> {
  /** Further buttons, shown if there is no record yet. */
  readonly begin?: { readonly text: string; readonly href: string }
}

/** On narrower screens a record opens as a page. */
const wide = matchMedia('(min-width: 64rem)')

export const ListPage = ({ kind, begin, actions, rows }: ListParts) => {
  const { list: words } = useWords()
  const kindWords = kind.words()
  useStore(rowCount)
  const { query: address } = useStore(route)
  const query = readQuery(kind, address)
  const open = address.get('open') ?? undefined
  const show = (id: string) => {
    if (wide.matches) location.hash = hrefOf(kind, query, { open: id })
    else go(`${kind.plural}/${id}`)
  }
  useEffect(() => {
    if (open && !wide.matches) replace(`${kind.plural}/${open}`)
  }, [open])
  const found = useLoad<FoundPage>(
    JSON.stringify(query),
    async (options, before) => {
      const page = await kind.find(query, options, before?.page)
      return before?.page === page ? before : { query, page }
    },
    { reloadOn: [kind.name], ...kind.live },
  )
  const page = found.value?.page.value
  const ids = page?.content.map(kind.idOf)
  useEffect(() => rememberList(kind, query, ids))
  const list = useListSource(kind, page?.content, {
    total: page?.totalElements ?? 0,
    walk: (signal) => kind.walk(query, signal),
  })
  const isRead = !found.isLoading && !found.failure
  const last = page && Math.max(0, page.totalPages - 1)
  useEffect(() => {
    if (isRead && last !== undefined && last < query.page) replaceQuery(kind, { ...query, page: last })
  }, [isRead, last])
  return (
    <Page
      title={kindWords.title}
      subtitle={<span role="status">{found.value ? subtitle(found.value) : ' '}</span>}
      actions={
        <>
          {kind.restore && <Download list={list} />}
          {kind.may('create') && (
            <Button icon="plus" text={kindWords.add} kind="primary" href={hrefTo(`${kind.plural}/new`)} />
          )}
        </>
      }
    >
      <div class="seek">
        {kind.longest > 0 && (
          <Search
            name={query.text}
            label={kindWords.search}
            longest={kind.longest}
            onSearch={(text) => replaceQuery(kind, { ...query, text, page: 0 })}
          />
        )}
        <Filters kind={kind} query={query} />
      </div>
      {found.failure && (
        <Failed
          failure={found.failure}
          text={found.failure.status === 400 ? words.unlisted : undefined}
          onRetry={found.reload}
        >
          {kindOf(found.failure) === 'refused' && (
            <Button text={words.reset} kind="small" href={hrefTo(kind.plural)} onClick={focusTitle} />
          )}
        </Failed>
      )}
      <Results {...{ kind, query, found, begin, opened: open, onOpen: show }} />
      {open && (
        <Lazy
          key={open}
          part="Panel"
          parts={{
            kind,
            query,
            actions,
            rows,
            opened: { open, ...(address.has('edit') && { edit: 'yes' }) },
          }}
          label={kindWords.title}
        />
      )}
    </Page>
  )

  function subtitle({ query: { text }, page }: FoundPage) {
    const { totalElements } = page.value
    return text ? kindWords.found(totalElements, isolate(text)) : kindWords.subtitle(totalElements)
  }
}

interface ResultsParts extends Pick<ListParts, 'kind'>, Pick<TableParts, 'opened' | 'onOpen'> {
  readonly query: ListQuery
  readonly found: LoadedValue<FoundPage>
  readonly begin: ListParts['begin']
}

const Results = ({ kind, query, found, begin, opened, onOpen }: ResultsParts) => {
  const isShown = !found.isLoading && !found.failure
  const { part, turnedTo } = useScrollToTopAfterTurn(query.page, isShown)
  const page = useWithoutRemoved(kind, found.value?.page.value)
  // The selection survives another order or page.
  const selection = useSelection(kind, hrefOf(kind, { ...query, sort: '', page: 0, size: 0 }), page?.content)
  if (!found.value && found.failure) return null
  if (found.value && page?.totalElements === 0)
    return <NoRecords kind={kind} query={found.value.query} begin={begin} />
  return (
    <div ref={part} class="sheet roll">
      <RecordTable
        kind={kind}
        items={page?.content}
        rows={query.size}
        isLoading={found.isLoading}
        sort={query.sort}
        onSort={(sort) => pushQuery(kind, { ...query, sort, page: 0 })}
        selection={selection}
        opened={opened}
        onOpen={onOpen}
        onSaved={(saved) => found.show((now) => ({ ...now, page: withSaved(kind, now.page, saved) }))}
      />
      {page && selection.items.size > 0 && (
        <BulkActions kind={kind} query={query} total={page.totalElements} selection={selection} />
      )}
      {page && (
        <Pager
          page={page}
          wanted={query.page}
          onTurn={(to) => {
            turnedTo.current = to.page
            chooseSize(to.size)
            pushQuery(kind, { ...query, ...to })
          }}
        />
      )}
    </div>
  )
}

const withSaved = (kind: Kind, page: Done<PageOf<object>>, saved: object): Done<PageOf<object>> => {
  const isSaved = (item: object) => kind.idOf(item) === kind.idOf(saved)
  const content = page.value.content.map((item) => (isSaved(item) ? saved : item))
  return { ...page, value: { ...page.value, content } }
}

/** The page without the records that were just deleted here. */
const useWithoutRemoved = (kind: Kind, page: PageOf<object> | undefined) => {
  const removed = useStore(removedIds)
  if (!page) return undefined
  const content = page.content.filter((item) => !removed.has(kind.idOf(item)))
  const missing = page.content.length - content.length
  const { numberOfElements, totalElements } = page
  return {
    ...page,
    content,
    numberOfElements: numberOfElements - missing,
    totalElements: totalElements - missing,
  }
}

const NoRecords = ({ kind, query, begin }: Pick<ResultsParts, 'kind' | 'query' | 'begin'>) => {
  const { list: words } = useWords()
  const own = kind.words()
  const { text } = query
  if (text || isFiltered(query))
    return (
      <Empty
        icon="search"
        {...(text ? { title: own.noHitsTitle(isolate(text)), text: own.noHitsText } : own.noFits)}
      >
        {text && (
          <Button text={words.clear} href={hrefOf(kind, { ...query, text: '' })} onClick={focusSearch} />
        )}
        <ClearFilters kind={kind} query={query} />
      </Empty>
    )
  return (
    <Empty icon={kind.icon} title={own.emptyTitle} text={own.emptyText}>
      {kind.may('create') && <Button text={own.add} kind="primary" href={hrefTo(`${kind.plural}/new`)} />}
      {begin && <Button {...begin} />}
    </Empty>
  )
}
