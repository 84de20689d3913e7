import type { TargetedMouseEvent } from 'preact'
import { density } from '#console/app/state/preferences.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'
import { useHidden } from './columns.ts'
import { type Column, isText, valueAt } from './field.ts'
import type { Kind } from './kind.ts'
import { Pick, type Picked } from './many.tsx'
import { Value } from './value.tsx'

interface TableParts {
  readonly kind: Kind
  /** Undefined during the first load. */
  readonly items: readonly object[] | undefined
  readonly rows: number
  readonly isLoading: boolean
  readonly sort: string
  readonly onSort: (sort: string) => void
  readonly picked: Picked
}

/** If the service shows only the names of records, the table has only the first column. */
export const RecordTable = ({ kind, items, rows, isLoading, sort, onSort, picked }: TableParts) => {
  const { list: words, many } = useWords()
  const [sorted, direction = 'asc'] = sort.split(',')
  const orderOf = (property: string) =>
    sorted !== property ? 'none' : direction === 'asc' ? 'ascending' : 'descending'
  const turn = (property: string) =>
    onSort(`${property},${orderOf(property) === 'ascending' ? 'desc' : 'asc'}`)
  const isPicking = !items?.some((item) => !kind.may('delete', item))
  const { hidden, isChosen } = useHidden(kind)
  const [first, ...others] = kind.columns()
  const isShown = ({ name }: Column) =>
    !hidden.includes(name) && !items?.some((item) => valueAt(item, name) === undefined)
  const columns = first ? [first, ...others.filter(isShown)] : []
  const chosen = isChosen ? 'table-chosen' : ''
  return (
    <table class={`table table-of-${kind.plural} table-${useStore(density)} ${chosen}`} aria-busy={isLoading}>
      <caption class="unseen">{kind.words().table}</caption>
      <thead>
        <tr>
          {isPicking && <Pick kind={kind} picked={picked} items={items ?? []} label={many.pickPage} />}
          {columns.map(({ name, label, property = name }) => (
            <th key={name} scope="col" aria-sort={orderOf(property)} class={`col-${name}`}>
              <button type="button" title={words.sortBy(label)} onClick={() => turn(property)}>
                {label}
                <span class={`order order-${orderOf(property)}`}>
                  <Icon name="up" />
                </span>
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items
          ? items.map((item) => (
              <Row
                key={kind.idOf(item)}
                kind={kind}
                item={item}
                columns={columns}
                picked={isPicking ? picked : undefined}
              />
            ))
          : Array.from({ length: Math.min(rows, 8) }, (_, index) => (
              <SkeletonRow key={index} columns={columns} />
            ))}
      </tbody>
    </table>
  )
}

interface RowParts {
  readonly kind: Kind
  readonly item: object
  readonly columns: readonly Column[]
  readonly picked: Picked | undefined
}

const Row = ({ kind, item, columns: [first, ...others], picked }: RowParts) => {
  const { many } = useWords()
  const id = kind.idOf(item)
  const title = kind.titleOf(item)
  return (
    <tr onClick={open}>
      {picked && <Pick kind={kind} picked={picked} items={[item]} label={many.pick(title)} isRow />}
      <th scope="row" class={`col-${first?.name}`} dir="auto" title={title}>
        <a id={id} href={hrefTo(`${kind.plural}/${id}`)} data-row>
          {title}
        </a>
      </th>
      {others.map((column) => {
        const value = valueAt(item, column.name)
        return (
          <td
            key={column.name}
            class={`col-${column.name}`}
            data-heading={column.label}
            dir="auto"
            title={isText(column) ? String(value ?? '') : undefined}
          >
            <Value field={column} value={value} isBrief />
          </td>
        )
      })}
    </tr>
  )
}

/** A press anywhere in the row leads to the record; but its text can be selected, and its other links lead elsewhere. */
const open = ({ currentTarget, target }: TargetedMouseEvent<HTMLTableRowElement>) => {
  if (getSelection()?.isCollapsed === false || (target as Element).closest('a, label')) return
  currentTarget.querySelector('a')?.click()
}

const SkeletonRow = ({ columns }: { columns: readonly Column[] }) => (
  <tr>
    <td class="col-pick" />
    {columns.map(({ name }) => (
      <td key={name} class={`col-${name}`}>
        <span class="skeleton" />
      </td>
    ))}
  </tr>
)
