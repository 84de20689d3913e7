import { useState } from 'preact/hooks'
import { density } from '#console/app/state/preferences.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Checks, Field as LabelledField, Select } from '#console/app/ui/fields.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { Lazy } from '#console/app/ui/lazy.tsx'
import { Copy } from '#console/app/ui/message.tsx'
import { optionsOf, SegmentsField } from '#console/app/ui/segments.tsx'
import { useWords } from '#console/app/words/index.ts'
import { useColumnChoice } from './columns.ts'
import { choicesOf, type Field, type Kind } from './kind.ts'
import { hrefUnfiltered, isFiltered, type ListQuery, pushQuery, replaceQuery } from './query.ts'
import { SaveView, useViews, ViewChoice } from './views.tsx'

interface FiltersProps {
  readonly kind: Kind
  readonly query: ListQuery
}

/** The number of filters shown at first. None on a phone, where they would leave no room for the list. */
const defaultCount = () => (matchMedia('(max-width: 40rem)').matches ? 0 : 5)

/** The filters of a list, its saved views and its settings. A user who sees only the names of the records has no filters and no choice of columns. */
export const Filters = ({ kind, query }: FiltersProps) => {
  const { list: words } = useWords()
  const [showsAll, setShowsAll] = useState(false)
  const filters = kind.may('filter') ? kind.filters() : []
  const count = defaultCount()
  const views = useViews(useColumnChoice(kind).link)
  const shown = filters.filter(({ name }, at) => showsAll || at < count || query.filters[name])
  return (
    <div class="filters row">
      {shown.map((field) => (
        <Filter key={field.name} kind={kind} query={query} field={field} />
      ))}
      {shown.length < filters.length && (
        <Button
          text={count === 0 ? words.filters : words.moreFilters}
          kind="small quiet"
          onClick={() => setShowsAll(true)}
        />
      )}
      <ClearFilters kind={kind} query={query} />
      <ViewChoice {...views} />
      <ViewSettings kind={kind} views={views} hasColumns={kind.may('filter')} />
    </div>
  )
}

/** The types of the inputs for filters. Times are filtered by days. */
const inputTypes: { readonly [K in Field['kind']]?: 'date' | 'number' } = {
  day: 'date',
  time: 'date',
  whole: 'number',
}

/** One filter. `min` and `max` reject a date whose year is still being typed, such as 0002. Typing adds no history entry. */
const Filter = ({ kind, query, field }: FiltersProps & { readonly field: Field }) => {
  const { todos: words } = useWords()
  const { name, texts } = field
  const withValue = (value: string) => ({ ...query, filters: { ...query.filters, [name]: value }, page: 0 })
  const props = {
    class: 'input',
    value: query.filters[name] ?? '',
  }
  const type = inputTypes[field.kind] ?? 'text'
  const limits = type === 'date' ? { min: '1000-01-01', max: '9999-12-31' } : {}
  if (field.of)
    return (
      <Lazy
        name="Picker"
        props={{
          label: field.label,
          resource: field.of,
          value: props.value,
          isLocked: false,
          onPick: (id) => pushQuery(kind, withValue(id)),
        }}
        failureLabel={field.label}
      />
    )
  if (texts)
    return (
      <Select
        label={field.label}
        choices={[{ value: '', label: words.filters.all }, ...choicesOf(field)]}
        value={props.value}
        onChoose={(value) => pushQuery(kind, withValue(value))}
      />
    )
  return (
    <LabelledField label={field.label}>
      {({ id }) => (
        <input
          id={id}
          {...({ type } as { type: 'text' })}
          autocomplete="off"
          {...limits}
          {...props}
          onChange={({ currentTarget: { value, validity } }) =>
            validity.valid && replaceQuery(kind, withValue(value))
          }
        />
      )}
    </LabelledField>
  )
}

export const ClearFilters = ({ kind, query }: FiltersProps) => {
  const { list: words } = useWords()
  if (!isFiltered(query)) return null
  return (
    <Button text={words.clearFilters} kind="small" href={hrefUnfiltered(kind, query)} onClick={focusTitle} />
  )
}

interface ViewProps {
  readonly kind: Kind
  readonly views: ReturnType<typeof useViews>
  readonly hasColumns: boolean
}

const ViewSettings = ({ kind, views, hasColumns }: ViewProps) => {
  const { list: words } = useWords()
  const { columns, shown, show, link } = useColumnChoice(kind)
  return (
    <details class="view-menu">
      <summary class="button button-quiet button-small">
        <Icon name="eye" /> {words.view}
      </summary>
      <div class="sheet sheet-padded stack">
        {hasColumns && (
          <Checks
            label={words.shownColumns}
            groups={[['', columns.map(({ name, label }) => [name, label] as const)]]}
            chosen={shown}
            onChoose={show}
          />
        )}
        <SegmentsField
          label={words.density}
          segments={optionsOf(words.densities)}
          value={useStore(density)}
          onChoose={(value) => density.set(value)}
        />
        <p class="row soft">
          <a href={link}>{words.link}</a>
          <Copy text={new URL(link, location.href).href} label={words.link} />
        </p>
        <div class="actions">
          <SaveView {...views} />
          {kind.restore && kind.may('delete') && (
            <Button
              icon="bin"
              kind="small"
              text={words.deletedOnes}
              href={hrefTo('activity', { type: `${kind.name}.deleted` })}
            />
          )}
        </div>
      </div>
    </details>
  )
}
