import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import type { Listed } from '#console/app/ui/download.tsx'
import { useWords } from '#console/app/words/index.ts'
import { download, type Format, formats } from './saving.ts'
import { useExportWords } from './words.ts'

/** Asks in which form a list is saved. */
export const Export = ({ list, onClose }: { readonly list: Listed; readonly onClose: () => void }) => {
  const { cancel } = useWords()
  const words = useExportWords()
  const save = (format: Format) => {
    onClose()
    void download(list, format)
  }
  const labels = list.columns.map(({ label }) => label).join(words.comma)
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
