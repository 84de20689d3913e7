import { useState } from 'preact/hooks'
import type { Task } from '#console/app/api/batch.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notify } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { session } from '#console/app/state/session.ts'
import { useUnsaved } from '#console/app/state/unsaved.ts'
import { listNames, sendMany } from '#console/app/ui/bulk.ts'
import { FormDialog } from '#console/app/ui/dialog.tsx'
import { Select, unreadableDateMarker } from '#console/app/ui/fields.tsx'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { valueAt } from '#core/csv.ts'
import { bulkImportOf, taskOf } from './bulk-actions.tsx'
import { valuesOf } from './draft.ts'
import { Control } from './form.tsx'
import { type Field, type FieldWithOwnPath, fieldsOf, type Kind } from './kind.ts'
import { displayedText } from './value.tsx'

interface ChangeManyProps {
  readonly kind: Kind
  readonly items: readonly object[]
  readonly onClose: () => void
  /** Called once the shown versions of these records are out of date. */
  readonly onChange: () => void
}

/** A record that would be changed, and its present value. */
interface ValueChange {
  readonly item: object
  readonly from: unknown
}

/** Sets one field of many records to the same value, after a preview. Undo restores the old values. */
export const BulkChange = ({ kind, items, onClose, onChange }: ChangeManyProps) => {
  const { bulk: words } = useWords()
  const fieldsWithOwnPath = kind.fieldsWithOwnPath?.() ?? []
  const fields = [...fieldsOf(kind.form()), ...fieldsWithOwnPath]
  const [name, setName] = useState(fields[0]?.name)
  const [typed, setTyped] = useState('')
  const sending = useSending([])
  const field = fields.find((one) => one.name === name) ?? fields[0]
  const ownPathField = fieldsWithOwnPath.find((one) => one.name === name)
  const values = useLoad(name ?? '', async (options) => ownPathField?.read(options)).value
  useUnsaved(typed !== '')
  if (!field) return null
  const choose = (chosen: string) => {
    setName(chosen)
    const isFlag = fields.some((one) => one.name === chosen && one.kind === 'flag')
    setTyped(isFlag ? 'false' : '')
  }
  const to = valuesOf([field], { [field.name]: typed })[field.name]
  const valueBefore = (item: object) =>
    ownPathField ? (values?.get(kind.idOf(item)) ?? ownPathField.defaultValue) : valueAt(item, field.name)
  const changes = items.map((item) => ({ item, from: valueBefore(item) })).filter(({ from }) => from !== to)
  const isLoaded = !ownPathField || values !== undefined
  const isReady =
    isLoaded &&
    typed !== unreadableDateMarker &&
    changes.length > 0 &&
    (typed !== '' || (field.isOptional ?? field.canBeEmpty ?? false))
  const submit = () => {
    if (!isReady) return
    onClose()
    onChange()
    void changeAll(kind, { field, ownPathField, to, changes })
  }
  return (
    <FormDialog
      title={words.changeTitle(items.length)}
      submit={words.apply(isReady ? changes.length : 0)}
      isReady={isReady}
      sending={sending}
      unansweredText={undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label={words.field}
        value={field.name}
        choices={fields.map(({ name, label }) => ({ value: name, label }))}
        onChoose={choose}
      />
      <Control key={field.name} field={field} value={typed} isLocked={sending.isSending} onType={setTyped} />
      {isReady && <Preview kind={kind} field={field} ownPathField={ownPathField} to={to} changes={changes} />}
      <p class="faint" role="status">
        {isReady && changes.length < items.length && words.same(items.length - changes.length)}
      </p>
    </FormDialog>
  )
}

const maxShownValues = 6
const maxShownNames = 3

const Preview = ({ kind, field, ownPathField, to, changes }: FieldChange & Pick<ChangeManyProps, 'kind'>) => {
  const words = useWords()
  const { bulk } = words
  const byValue = [...Map.groupBy(changes, ({ from }) => displayedText(field, from, words))].toSorted(
    ([, one], [, other]) => other.length - one.length,
  )
  const others = byValue.slice(maxShownValues).reduce((sum, [, some]) => sum + some.length, 0)
  const includesUser = ownPathField && changes.some(({ item }) => kind.idOf(item) === session.get().memberId)
  const after = isolate(displayedText(field, to, words))
  return (
    <ul class="preview soft">
      {byValue.slice(0, maxShownValues).map(([before, some]) => (
        <li key={before}>{bulk.willChange(isolate(before), after, some.length, namesIn(kind, some))}</li>
      ))}
      {others > 0 && <li>{bulk.otherValues(others)}</li>}
      {includesUser && <li class="wrong">{bulk.yourself}</li>}
    </ul>
  )
}

const namesIn = (kind: Kind, changes: readonly ValueChange[]) =>
  listNames(
    changes.map(({ item }) => ({ name: isolate(kind.titleOf(item)) })),
    maxShownNames,
  )

interface FieldChange {
  readonly field: Field
  readonly ownPathField: FieldWithOwnPath | undefined
  readonly to: unknown
  readonly changes: readonly ValueChange[]
}

const maxImportNameLength = 256

/** Changes only records not modified since they were shown. Undo changes only records not modified since this change. */
const changeAll = async (kind: Kind, { field, ownPathField, to, changes }: FieldChange) => {
  const operationOf = (id: string, value: unknown) =>
    ownPathField?.change(id, value) ?? { method: 'PATCH' as const, body: { [field.name]: value } }
  const tasks = changes.map(({ item }) => taskOf(kind, item, operationOf(kind.idOf(item), to)))
  const name = `${field.label} → ${displayedText(field, to, wordsNow())}`.slice(0, maxImportNameLength)
  const values = ownPathField?.toFile(to) ?? { [field.name]: to }
  const done = await sendMany(tasks, 'change', bulkImportOf(kind, { existing: 'change', name, values }))
  if (!done) return
  const before = new Map(changes.map(({ item, from }) => [kind.idOf(item), from]))
  const undo = async () => {
    const undoTasks = done.map(({ response, ...task }): Task => {
      const { ETag } = response.headers as { readonly ETag?: string }
      const operation = { ...task.operation, ...operationOf(task.id, before.get(task.id)) }
      return { ...task, operation: { ...operation, headers: ETag ? { 'If-Match': ETag } : {} } }
    })
    const restored = (await sendMany(undoTasks, 'change')) ?? []
    if (restored.length > 0) notify(wordsNow().bulk.putBack(restored.length))
  }
  const [first] = done
  if (first) notify(wordsNow().bulk.changedAll(done.length), { undo, focusId: first.id })
}
