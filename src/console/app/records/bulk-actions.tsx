import { useEffect, useState } from 'preact/hooks'
import { recordPathOf, type Task } from '#console/app/api/batch.ts'
import { shortcuts } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'
import { type BulkImport, removalQuestion, removeMany, useWholeList } from '#console/app/ui/bulk.ts'
import { Button, IconButton } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Download } from '#console/app/ui/download.tsx'
import { useTitleFocusOnUnmount } from '#console/app/ui/focus.ts'
import { useLazy } from '#console/app/ui/lazy.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { valueAt } from '#core/csv.ts'
import { useListSource } from './columns.ts'
import type { Kind } from './kind.ts'
import type { ListQuery } from './query.ts'

interface BulkActionsProps {
  readonly kind: Kind
  readonly query: ListQuery
  /** The number of records in the list. */
  readonly total: number
  readonly selection: Selection
}

/** The actions for the selected records. */
export const BulkActions = ({ kind, query, total, selection }: BulkActionsProps) => {
  const words = useWords()
  const { ask, question } = useQuestion()
  const element = useTitleFocusOnUnmount()
  const { Component: BulkChange, open, close } = useLazy('BulkChange', words.bulk.change)
  const latest = new Map(selection.shown.map((item) => [kind.idOf(item), item]))
  const items = [...selection.items].map(([id, item]) => latest.get(id) ?? item)
  const { length: count } = items
  const list = useListSource(kind, selection.shown, { total: count, readAll: () => singlePage(items) })
  const remove = () => {
    const tasks = items.map((item) => taskOf(kind, item))
    const { notRestoredText } = kind.words()
    const onYes = () => {
      selection.clear()
      void removeMany(tasks, { notRestoredText, bulkImport: bulkImportOf(kind, { existing: 'delete' }) })
    }
    ask(removalQuestion(tasks, { title: kind.words().ask(count), notRestoredText, onYes }))
  }
  return (
    <div ref={element} class="many row">
      <p aria-live="polite">{words.bulk.selected(count)}</p>
      {count < total && <SelectAll kind={kind} query={query} total={total} selection={selection} />}
      <span class="actions">
        <Download list={list} kind="small" text={words.bulk.save} />
        <Button icon="pencil" kind="small" text={words.bulk.change} onClick={open} />
        {kind.bulkActions?.(items).map(({ icon, text, question: asked }) => (
          <Button key={text} kind="small" icon={icon} text={text} onClick={() => ask(asked)} />
        ))}
        <Button icon="bin" kind="small" text={words.delete} onClick={remove} />
        <IconButton icon="close" label={words.bulk.deselect} onClick={selection.clear} />
      </span>
      {question}
      {BulkChange && <BulkChange kind={kind} items={items} onClose={close} onChange={selection.clear} />}
    </div>
  )
}

const SelectAll = ({ kind, query, total, selection }: BulkActionsProps) => {
  const buttonProps = useWholeList(
    (signal) => kind.readAll(query, signal),
    (items) => selection.select(items, true),
  )
  return <Button kind="quiet small" text={kind.words().selectAll(total)} {...buttonProps} />
}

async function* singlePage<Item>(items: readonly Item[]) {
  yield items
}

/** The import that makes a bulk change if it needs more than one batch. Undefined for records with a secret: these are neither restored nor imported. */
export const bulkImportOf = ({ plural, restore }: Kind, change: Omit<BulkImport, 'plural'>) =>
  restore && { plural, ...change }

/** A change of a record, by default its deletion. The service refuses the change if the record was modified since it was shown. */
export const taskOf = (kind: Kind, item: object, change: Partial<Task['operation']> = {}): Task => {
  const modifiedAt = valueAt(item, 'lastModifiedAt')
  return {
    id: kind.idOf(item),
    name: isolate(kind.titleOf(item)),
    row: { [`${kind.name}Id`]: kind.idOf(item), lastModifiedAt: modifiedAt },
    operation: {
      path: recordPathOf(kind.plural, kind.idOf(item)),
      method: 'DELETE',
      ...change,
      ...(modifiedAt !== undefined && {
        headers: { 'If-Unmodified-Since': new Date(String(modifiedAt)).toUTCString() },
      }),
    },
  }
}

/** The selected records of one list, on all its pages. */
export interface Selection {
  readonly items: ReadonlyMap<string, object>
  /** The records on the page, in their newest versions. */
  readonly shown: readonly object[]
  readonly select: (items: readonly object[], isSelected: boolean) => void
  readonly clear: () => void
}

/** The selection of a list. It is cleared when another list is shown. */
export const useSelection = (kind: Kind, listKey: string, shown: readonly object[] = []): Selection => {
  const [items, setItems] = useState<ReadonlyMap<string, object>>(new Map())
  const clear = () => setItems(new Map())
  useEffect(clear, [listKey])
  const select = (some: readonly object[], isSelected: boolean) =>
    setItems((now) => {
      const next = new Map(now)
      for (const item of some) {
        if (isSelected) next.set(kind.idOf(item), item)
        else next.delete(kind.idOf(item))
      }
      return next
    })
  return { items, shown, select, clear }
}

interface SelectBoxProps {
  readonly kind: Kind
  readonly selection: Selection
  readonly items: readonly object[]
  readonly label: string
  readonly isRow?: boolean
}

/**
 * A checkbox that selects or deselects these records. With Shift, it also selects the rows between the last selected row and this
 * one. If single-key shortcuts are on, `x` selects the focused row, so Tab skips the checkbox.
 */
export const SelectBox = ({ kind, selection, items, label, isRow = false }: SelectBoxProps) => {
  const hasShortcuts = useStore(shortcuts) === 'on'
  const count = items.filter((item) => selection.items.has(kind.idOf(item))).length
  const isAll = count > 0 && count === items.length
  return (
    <td class="col-pick">
      <label title={label}>
        <input
          type="checkbox"
          aria-label={label}
          {...(isRow && { 'aria-keyshortcuts': 'x', tabIndex: hasShortcuts ? -1 : 0 })}
          checked={isAll}
          indeterminate={count > 0 && !isAll}
          disabled={items.length === 0}
          onClick={({ shiftKey }) =>
            selection.select(shiftKey && isRow ? rangeTo(kind, selection, items) : items, !isAll)
          }
        />
      </label>
    </td>
  )
}

/** The rows from the last selected row to this row. Only this row if the last selected row is on another page. */
const rangeTo = (kind: Kind, selection: Selection, items: readonly object[]) => {
  const ids = selection.shown.map(kind.idOf)
  const ends = [[...selection.items.keys()].at(-1), ...items.map(kind.idOf)].map((id) =>
    ids.indexOf(id ?? ''),
  )
  return ends.includes(-1) ? items : selection.shown.slice(Math.min(...ends), Math.max(...ends) + 1)
}
