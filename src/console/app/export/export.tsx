import { extensionOf } from '#console/app/api/declared.ts'
import { describedFields } from '#console/app/records/described.ts'
import type { Field } from '#console/app/records/field.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import type { ListSource } from '#console/app/ui/download.tsx'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { download, type Format, formats } from './saving.ts'
import { exportWords } from './words.ts'

/** A dialog that asks for the format in which to save a list. */
export const Export = ({ list, onClose }: { readonly list: ListSource; readonly onClose: () => void }) => {
  const { cancel } = useWords()
  const words = exportWords()
  const columns = list.columns ?? todoColumns()
  const save = (format: Format) => {
    onClose()
    void download({ ...list, columns }, format)
  }
  const labels = columns.map(({ label }) => label).join(words.comma)
  return (
    <Dialog title={words.title(list.title, list.total)} onClose={onClose}>
      {formats.map((format) => (
        <section key={format}>
          <Button icon="import" text={words.formats[format]} onClick={() => save(format)} />
          <p class="soft">{words.about[format](labels)}</p>
        </section>
      ))}
      <div class="actions">
        <Button text={cancel} onClick={onClose} />
      </div>
    </Dialog>
  )
}

/** The columns of an export of todos. (The page shows todos without a table.) */
const todoColumns = (): readonly Field[] => {
  const { fields, filters } = wordsNow().todos
  const further = extensionOf('todo')
  const states = { true: filters.finished, false: filters.open }
  return [
    { name: 'todoTitle', label: fields.todoTitle, kind: 'text' },
    { name: 'finished', label: fields.finished, kind: 'flag', texts: states },
    ...(further ? describedFields(further) : []),
    { name: 'createdAt', label: fields.createdAt, kind: 'time' },
  ]
}
