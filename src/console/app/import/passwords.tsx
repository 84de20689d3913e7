import { walk, walkSize } from '#console/app/api/ask.ts'
import { useLoad } from '#console/app/state/load.ts'
import { Button } from '#console/app/ui/button.tsx'
import { download } from '#console/app/ui/download.tsx'
import { wordsNow } from '#console/app/words/index.ts'
import { countPasswords, type Import, passwordPages } from './imports.ts'
import { useImportWords } from './words.ts'

/** Saves the generated passwords of new members, if there are any. */
export const Passwords = ({ one: { importId, state } }: { one: Import }) => {
  const words = useImportWords()
  const { value } = useLoad(`passwords ${importId} ${state}`, (options) => countPasswords(importId, options))
  const total = value?.value.totalElements ?? 0
  if (total === 0) return null
  return (
    <section class="sheet sheet-padded import-part stack">
      <p>{words.passwordsNote}</p>
      <div class="actions">
        <Button
          icon="import"
          text={words.savePasswords(total)}
          onClick={() => download('passwords', (signal) => labelled(importId, signal))}
        />
      </div>
    </section>
  )
}

/** The columns of the file, in the language of the page. */
async function* labelled(importId: string, signal: AbortSignal) {
  const { fields } = wordsNow().members
  const pages = walk((cursor) => passwordPages(importId, { size: walkSize, cursor }, { signal }))
  for await (const page of pages)
    yield page.map(({ signId, lastName, firstName, password }) => ({
      [fields['credential.signId']]: signId,
      [fields.lastName]: lastName,
      [fields.firstName]: firstName,
      [fields['credential.password']]: password,
    }))
}
