import { useState } from 'preact/hooks'
import { notify } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { useUnsaved } from '#console/app/state/unsaved.ts'
import { FormDialog } from '#console/app/ui/dialog.tsx'
import { changeMany } from '#console/app/ui/many.ts'
import { Field as LabelledField } from '#console/app/ui/text-field.tsx'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { valuesOf } from './draft.ts'
import { fieldsOf, valueAt } from './field.ts'
import { Control } from './form.tsx'
import type { Kind } from './kind.ts'
import { taskOf } from './many.tsx'

interface ChangeManyParts {
  readonly kind: Kind
  readonly items: readonly object[]
  readonly onClose: () => void
}

/** Gives one field of many records the same value. Undo gives each record its old value back. */
export const ChangeMany = ({ kind, items, onClose }: ChangeManyParts) => {
  const { many: words, save } = useWords()
  const fields = fieldsOf(kind.form())
  const [name, setName] = useState(fields[0]?.name)
  const [typed, setTyped] = useState('')
  const sending = useSending([])
  const field = fields.find((one) => one.name === name) ?? fields[0]
  useUnsaved(typed !== '')
  if (!field) return null
  const choose = (chosen: string) => {
    setName(chosen)
    const isFlag = fields.some((one) => one.name === chosen && one.kind === 'flag')
    setTyped(isFlag ? 'false' : '')
  }
  const submit = () =>
    sending.send(async () => {
      await change(kind, items, valuesOf([field], { [field.name]: typed }))
      onClose()
    })
  return (
    <FormDialog
      title={words.changeTitle(items.length)}
      submit={save}
      sending={sending}
      what={undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <LabelledField label={words.field}>
        {(attached) => (
          <select
            {...attached}
            class="input"
            value={field.name}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            {fields.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        )}
      </LabelledField>
      <Control key={field.name} field={field} value={typed} isLocked={sending.isSending} onType={setTyped} />
    </FormDialog>
  )
}

const change = async (kind: Kind, items: readonly object[], values: Readonly<Record<string, unknown>>) => {
  const tasks = items.map((item) => taskOf(kind, item, { method: 'PATCH', body: values }))
  const changed = await changeMany(tasks, 'change')
  const [first] = changed
  if (!first) return
  const undo = async () => {
    const ids = new Set(changed.map(({ id }) => id))
    const back = items
      .filter((item) => ids.has(kind.idOf(item)))
      .map((item) => {
        const before = Object.fromEntries(Object.keys(values).map((name) => [name, valueAt(item, name)]))
        const { operation, ...task } = taskOf(kind, item, { method: 'PATCH', body: before })
        // Without conditions, because the change has made new versions.
        return { ...task, operation: { ...operation, headers: {} } }
      })
    const restored = await changeMany(back, 'change')
    if (restored.length > 0) notify(wordsNow().many.putBack(restored.length))
  }
  notify(wordsNow().many.changedAll(changed.length), { undo: () => void undo(), about: first.id })
}
