import { readDeclared } from '#console/app/api/declared.ts'
import { kindAt } from '#console/app/declared/kinds.ts'
import { useLoad } from '#console/app/state/load.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import type { ListSource } from '#console/app/ui/download.tsx'
import { useWords } from '#console/app/words/index.ts'
import { download, type Format, formats } from './saving.ts'
import { exportWords } from './words.ts'

/** A dialog that asks for the format in which to save a list. */
export const Export = ({ list, onClose }: { readonly list: ListSource; readonly onClose: () => void }) => {
  const { cancel } = useWords()
  const words = exportWords()
  // The list of todos is not a table, so its columns come from the kind of todos, which needs the declared resources.
  const { value: isReady } = useLoad('resources', readDeclared)
  if (!isReady) return null
  const columns = list.columns ?? kindAt(list.plural).columns()
  const save = (format: Format) => {
    onClose()
    void download({ ...list, columns }, format)
  }
  const labels = columns.map(({ label }) => label).join(words.comma)
  return (
    <Dialog title={words.title(list.title, list.total)} onClose={onClose}>
      {formats.map((format) => (
        <section key={format}>
          <Button icon="down" text={words.formats[format]} onClick={() => save(format)} />
          <p class="soft">{words.about[format](labels)}</p>
        </section>
      ))}
      <div class="actions">
        <Button text={cancel} onClick={onClose} />
      </div>
    </Dialog>
  )
}
