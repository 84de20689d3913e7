import { type MemberFilters, type MemberQuery, seesOnlyNames } from '#console/app/api/members.ts'
import { columnNames, density, hiddenColumns } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Checks } from '#console/app/ui/checks.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { SegmentsField, segmentsOf } from '#console/app/ui/segments.tsx'
import { Field } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'
import { hrefUnfiltered, isFiltered, isServed, pushQuery, replaceQuery } from './query.ts'

/** What the list is narrowed to, and how it is shown. Whoever sees only names cannot narrow it. */
export const Filters = ({ query }: { query: MemberQuery }) => {
  const { members: words } = useWords()
  const { member: _, ...roles } = words.roles
  const mayFilter = !useStore(seesOnlyNames)
  return (
    <div class="filters row">
      {mayFilter && (
        <>
          <Filter query={query} name="genderCode" label={words.fields.genderCode} texts={words.genders} />
          <Filter query={query} name="role" label={words.role} texts={roles} />
          <Filter query={query} name="bornFrom" label={words.bornFrom} />
          <Filter query={query} name="bornTo" label={words.bornTo} />
          <ClearFilters query={query} />
        </>
      )}
      <View hasColumns={mayFilter} />
      {mayFilter && query.name !== '' && <p class="faint">{words.besideText}</p>}
    </div>
  )
}

interface FilterParts {
  readonly query: MemberQuery
  readonly name: keyof MemberFilters
  readonly label: string
  /** What can be chosen; without it, a date. */
  readonly texts?: Readonly<Record<string, string>>
}

/** While a date is typed, its year has too few digits. Dates that are typed step by step are no steps of the history. */
const Filter = ({ query, name, label, texts }: FilterParts) => {
  const { todos: words } = useWords()
  const chosen = (value: string) => ({ ...query, [name]: value || undefined, page: 0 })
  const parts = { class: 'input', value: query[name] ?? '', disabled: !isServed(name, query.name) }
  return (
    <Field label={label}>
      {({ id }) =>
        texts ? (
          <select id={id} {...parts} onChange={({ currentTarget: { value } }) => pushQuery(chosen(value))}>
            <option value="">{words.filters.all}</option>
            {Object.entries(texts).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        ) : (
          <input
            id={id}
            type="date"
            min="1000-01-01"
            max="9999-12-31"
            {...parts}
            onChange={({ currentTarget: { value, validity } }) =>
              validity.valid && replaceQuery(chosen(value))
            }
          />
        )
      }
    </Field>
  )
}

export const ClearFilters = ({ query }: { query: MemberQuery }) => {
  const { members: words } = useWords()
  if (!isFiltered(query)) return null
  return <Button text={words.clearFilters} kind="small" href={hrefUnfiltered(query)} onClick={focusTitle} />
}

const View = ({ hasColumns }: { hasColumns: boolean }) => {
  const { members: words } = useWords()
  const hidden = useStore(hiddenColumns).split(' ')
  return (
    <details class="view">
      <summary class="button button-quiet button-small">
        <Icon name="eye" /> {words.view}
      </summary>
      <div class="sheet sheet-padded stack">
        {hasColumns && (
          <Checks
            label={words.shownColumns}
            groups={[['', columnNames.map((name) => [name, words.columns[name]] as const)]]}
            chosen={columnNames.filter((name) => !hidden.includes(name))}
            isRefused={false}
            onChoose={(some) =>
              hiddenColumns.set(columnNames.filter((name) => !some.includes(name)).join(' '))
            }
          />
        )}
        <SegmentsField
          label={words.density}
          segments={segmentsOf(words.densities)}
          value={useStore(density)}
          onChoose={(value) => density.set(value)}
        />
      </div>
    </details>
  )
}
