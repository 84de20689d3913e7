import type { ComponentChildren, TargetedKeyboardEvent, TargetedMouseEvent } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useLoad } from '#console/app/state/load.ts'
import { density } from '#console/app/state/preferences.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { Lazy } from '#console/app/ui/lazy.tsx'
import { useWords } from '#console/app/words/index.ts'
import { valueAt } from '#core/csv.ts'
import { isText } from '#core/display.ts'
import { SelectBox, type Selection } from './bulk-actions.tsx'
import type { Move } from './cell.tsx'
import { useColumnChoice, useColumns } from './columns.ts'
import { type Column, type Field, fieldsOf, type Kind } from './kind.ts'
import { Value } from './value.tsx'

export interface TableProps {
  readonly kind: Kind
  /** Undefined during the first load. */
  readonly items: readonly object[] | undefined
  readonly skeletonRows: number
  readonly isLoading: boolean
  readonly sort: string
  readonly onSort: (sort: string) => void
  readonly selection: Selection
  /** The id of the record that is open beside the list. */
  readonly opened: string | undefined
  readonly onOpen: (id: string) => void
  readonly onSaved: (saved: object) => void
}

/** A table of records. If the service shows only names, the table has only the first column. */
export const RecordTable = (props: TableProps) => {
  const { kind, skeletonRows, isLoading, sort, onSort, selection } = props
  const { list: words, bulk } = useWords()
  const [sortedField, direction = 'asc'] = sort.split(',')
  const orderOf = (field: string) =>
    sortedField !== field ? 'none' : direction === 'asc' ? 'ascending' : 'descending'
  const changeOrder = (field: string) => onSort(`${field},${orderOf(field) === 'ascending' ? 'desc' : 'asc'}`)
  const items = useOwnPathValues(kind, props.items)
  const canSelect = kind.restore !== undefined && !items?.some((item) => !kind.may('delete', item))
  const { columns, isChosen } = useColumns(kind, items)
  const chosen = isChosen ? 'table-chosen' : ''
  return (
    <table class={`table table-of-${kind.plural} table-${useStore(density)} ${chosen}`} aria-busy={isLoading}>
      <caption class="unseen">{kind.words().table}</caption>
      <thead>
        <tr>
          {canSelect && (
            <SelectBox kind={kind} selection={selection} items={items ?? []} label={bulk.selectPage} />
          )}
          {columns.map(({ name, label, sortField = name, sortLabel = label, isUnsortable }) =>
            isUnsortable ? (
              <th key={name} scope="col">
                <span class="unsorted">{label}</span>
              </th>
            ) : (
              <th key={name} scope="col" aria-sort={orderOf(sortField)} class={`col-${name}`}>
                <button type="button" title={words.sortBy(sortLabel)} onClick={() => changeOrder(sortField)}>
                  {orderOf(sortField) === 'none' ? label : sortLabel}
                  <span class={`order order-${orderOf(sortField)}`}>
                    <Icon name="up" />
                  </span>
                </button>
              </th>
            ),
          )}
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
                selection={canSelect ? selection : undefined}
                isOpened={props.opened === kind.idOf(item)}
                onOpen={props.onOpen}
                onSaved={props.onSaved}
              />
            ))
          : Array.from({ length: Math.min(skeletonRows, 8) }, (_, index) => (
              <SkeletonRow key={index} columns={columns} />
            ))}
      </tbody>
    </table>
  )
}

/** Adds the values of the shown columns that are read by separate requests, once they have arrived. */
const useOwnPathValues = (kind: Kind, items: TableProps['items']) => {
  const { hidden } = useColumnChoice(kind)
  const fields = (kind.fieldsWithOwnPath?.() ?? []).filter(({ name }) => !hidden.includes(name))
  const { value: read } = useLoad(
    fields.map(({ name }) => name).join(' '),
    (options) => Promise.all(fields.map((field) => field.read(options))),
    { reloadOn: [kind.name] },
  )
  return items?.map((item) => ({
    ...item,
    ...Object.fromEntries(
      fields.flatMap(({ name, defaultValue }, at) => {
        const values = read?.[at]
        return values ? [[name, values.get(kind.idOf(item)) ?? defaultValue]] : []
      }),
    ),
  }))
}

interface RowProps extends Pick<TableProps, 'kind' | 'onOpen' | 'onSaved'> {
  readonly item: object
  readonly columns: readonly Column[]
  readonly selection: Selection | undefined
  readonly isOpened: boolean
}

const Row = ({ kind, item, columns, selection, isOpened, onOpen, onSaved }: RowProps) => {
  const { bulk, list } = useWords()
  const [editing, setEditing] = useState<string>()
  const link = useRef<HTMLAnchorElement>(null)
  const id = kind.idOf(item)
  const title = kind.titleOf(item)
  const fields = kind.may('update', item) ? fieldsOf(kind.form()) : []
  const isEditable = (name: string) => (field: Field) => field.name === name && field.kind !== 'codes'
  const editable = columns.flatMap(({ name }) => fields.find(isEditable(name)) ?? [])
  const leaveCell = (from: Field, move: Move) => {
    const at =
      editable.indexOf(from) + { next: 1, previous: -1, end: editable.length, stay: editable.length }[move]
    setEditing((now) => (now === from.name ? editable[at]?.name : now))
    if (move !== 'stay' && !editable[at]) link.current?.focus()
  }
  const handleKey = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.target !== link.current || !(event.key === ' ' || event.key === 'F2')) return
    event.preventDefault()
    if (event.key === ' ') onOpen(id)
    else setEditing(editable[0]?.name)
  }
  const cellOf = (column: Column, shown: ComponentChildren) => {
    const field = editable.find(({ name }) => name === column.name)
    if (!field) return shown
    if (editing === field.name)
      return (
        <Lazy
          name="CellEdit"
          props={{ kind, item, field, onSaved, onLeave: (move) => leaveCell(field, move) }}
          failureLabel={field.label}
        />
      )
    return (
      <>
        {shown}
        <button
          type="button"
          class="icon-button cell-pencil"
          title={list.editCell(field.label)}
          tabIndex={-1}
          aria-hidden="true"
          aria-keyshortcuts={field === editable[0] ? 'e' : undefined}
          onClick={() => setEditing(field.name)}
        >
          <Icon name="pencil" />
        </button>
      </>
    )
  }
  const [first, ...others] = columns
  return (
    <tr
      onClick={(event) => isRowClick(event) && onOpen(id)}
      onKeyDown={handleKey}
      aria-current={isOpened ? 'true' : undefined}
    >
      {selection && (
        <SelectBox kind={kind} selection={selection} items={[item]} label={bulk.select(title)} isRow />
      )}
      <th scope="row" class={`col-${first?.name}`} dir="auto" title={title}>
        {first &&
          cellOf(
            first,
            <a ref={link} id={id} href={hrefTo(`${kind.plural}/${id}`)} data-row>
              {title}
            </a>,
          )}
        {first?.show?.(item)}
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
            {cellOf(column, <Value field={column} item={item} isInTable />)}
          </td>
        )
      })}
    </tr>
  )
}

/** True if a click opens the record of the row: not on a link or a control, and not if text is selected. */
const isRowClick = ({ target }: TargetedMouseEvent<HTMLElement>) =>
  getSelection()?.isCollapsed !== false && !(target as Element).closest('a, label, button, form, dialog')

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
