import { useEffect } from 'preact/hooks'
import type { Done, PageOf } from '#client/index.ts'
import { kindOf } from '#console/app/api/failure.ts'
import { type LoadedValue, useLoad } from '#console/app/state/load.ts'
import { rowsPerPage } from '#console/app/state/preferences.ts'
import { removedIds } from '#console/app/state/removal.ts'
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
import { BulkActions, useSelection } from './bulk-actions.tsx'
import { useListSource } from './columns.ts'
import { ClearFilters, Filters } from './filters.tsx'
import type { Kind } from './kind.ts'
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
import type { RecordProps } from './record-page.tsx'
import { useScrollToTop } from './scroll-to-top.ts'
import { RecordTable, type TableProps } from './table.tsx'

/** A page of results, and the query that found them, which may be older than the query in the address. */
interface FoundPage {
  readonly query: ListQuery
  readonly page: Done<PageOf<object>>
}

interface ListProps extends Pick<RecordProps, 'kind' | 'actions' | 'rows'> {
  /** A further button, shown if there is no record yet. */
  readonly emptyButton?: { readonly text: string; readonly href: string }
}

/** On wide screens, a record opens beside the list. On narrower ones, it opens as a page. */
const wide = matchMedia('(min-width: 64rem)')

export const ListPage = ({ kind, emptyButton, actions, rows }: ListProps) => {
  const { list: words } = useWords()
  const kindWords = kind.words()
  useStore(rowsPerPage)
  const { query: address } = useStore(route)
  const query = readQuery(kind, address)
  const open = address.get('open') ?? undefined
  const openRecord = (id: string) => {
    if (wide.matches) location.hash = hrefOf(kind, query, { open: id })
    else go(`${kind.plural}/${id}`)
  }
  useEffect(() => {
    if (open && !wide.matches) replace(`${kind.plural}/${open}`)
  }, [open])
  const results = useLoad<FoundPage>(
    JSON.stringify(query),
    async (options, previous) => {
      const page = await kind.find(query, options, previous?.page)
      return previous?.page === page ? previous : { query, page }
    },
    { reloadOn: [kind.name], ...kind.live },
  )
  const page = results.value?.page.value
  const ids = page?.content.map(kind.idOf)
  useEffect(() => rememberList(kind, query, ids))
  const list = useListSource(kind, page?.content, {
    total: page?.totalElements ?? 0,
    readAll: (signal) => kind.readAll(query, signal),
  })
  const isLoaded = !results.isLoading && !results.failure
  const last = page && Math.max(0, page.totalPages - 1)
  useEffect(() => {
    if (isLoaded && last !== undefined && last < query.page) replaceQuery(kind, { ...query, page: last })
  }, [isLoaded, last])
  return (
    <Page
      title={kindWords.title}
      subtitle={<span role="status">{results.value ? subtitle(results.value) : ' '}</span>}
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
        {kind.maxSearchLength > 0 && (
          <Search
            text={query.text}
            label={kindWords.search}
            maxLength={kind.maxSearchLength}
            onSearch={(text) => replaceQuery(kind, { ...query, text, page: 0 })}
          />
        )}
        <Filters kind={kind} query={query} />
      </div>
      {results.failure && (
        <Failed
          failure={results.failure}
          text={results.failure.status === 400 ? words.noSuchList : undefined}
          onRetry={results.reload}
        >
          {kindOf(results.failure) === 'refused' && (
            <Button text={words.reset} kind="small" href={hrefTo(kind.plural)} onClick={focusTitle} />
          )}
        </Failed>
      )}
      <Results
        kind={kind}
        query={query}
        found={results}
        emptyButton={emptyButton}
        opened={open}
        onOpen={openRecord}
      />
      {open && (
        <Lazy
          key={open}
          name="Panel"
          props={{
            kind,
            query,
            actions,
            rows,
            opened: { open, ...(address.has('edit') && { edit: 'yes' }) },
          }}
          failureLabel={kindWords.title}
        />
      )}
    </Page>
  )

  function subtitle({ query: { text }, page }: FoundPage) {
    const { totalElements } = page.value
    return text ? kindWords.found(totalElements, isolate(text)) : kindWords.subtitle(totalElements)
  }
}

interface ResultsProps extends Pick<ListProps, 'kind'>, Pick<TableProps, 'opened' | 'onOpen'> {
  readonly query: ListQuery
  readonly found: LoadedValue<FoundPage>
  readonly emptyButton: ListProps['emptyButton']
}

const Results = ({ kind, query, found, emptyButton, opened, onOpen }: ResultsProps) => {
  const isShown = !found.isLoading && !found.failure
  const { list, requestedPage } = useScrollToTop(query.page, isShown)
  const page = useWithoutRemoved(kind, found.value?.page.value)
  // The selection stays when the user changes the order or the page.
  const selection = useSelection(kind, hrefOf(kind, { ...query, sort: '', page: 0, size: 0 }), page?.content)
  if (!found.value && found.failure) return null
  if (found.value && page?.totalElements === 0)
    return <NoRecords kind={kind} query={found.value.query} emptyButton={emptyButton} />
  return (
    <div ref={list} class="sheet roll">
      <RecordTable
        kind={kind}
        items={page?.content}
        skeletonRows={query.size}
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
          chosenPage={query.page}
          onTurn={(to) => {
            requestedPage.current = to.page
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

/** The page of results without the records that the user has just deleted. */
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

const NoRecords = ({ kind, query, emptyButton }: Pick<ResultsProps, 'kind' | 'query' | 'emptyButton'>) => {
  const { list: words } = useWords()
  const texts = kind.words()
  const { text } = query
  if (text || isFiltered(query))
    return (
      <Empty
        icon="search"
        {...(text ? { title: texts.noHitsTitle(isolate(text)), text: texts.noHitsText } : texts.noMatches)}
      >
        {text && (
          <Button text={words.clear} href={hrefOf(kind, { ...query, text: '' })} onClick={focusSearch} />
        )}
        <ClearFilters kind={kind} query={query} />
      </Empty>
    )
  return (
    <Empty icon={kind.icon} title={texts.emptyTitle} text={texts.emptyText}>
      {kind.may('create') && <Button text={texts.add} kind="primary" href={hrefTo(`${kind.plural}/new`)} />}
      {emptyButton && <Button {...emptyButton} />}
    </Empty>
  )
}
