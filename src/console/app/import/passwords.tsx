import { walk, walkSize } from '#console/app/api/call.ts'
import { download } from '#console/app/export/saving.ts'
import { useLoad } from '#console/app/state/load.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useWords } from '#console/app/words/index.ts'
import { countPasswords, type Import, passwordPages } from './imports.ts'
import { importWords } from './words.ts'

/** Saves the generated passwords of new members, if there are any. */
export const Passwords = ({ job: { importId, state } }: { job: Import }) => {
  const words = importWords()
  const { fields } = useWords().members
  const { value } = useLoad(`passwords ${importId} ${state}`, (options) => countPasswords(importId, options))
  const total = value?.value.totalElements ?? 0
  if (total === 0) return null
  const labels = {
    signId: fields['credential.signId'],
    lastName: fields.lastName,
    firstName: fields.firstName,
    password: fields['credential.password'],
  }
  const list = {
    plural: 'passwords',
    title: labels.password,
    total,
    columns: Object.entries(labels).map(([name, label]) => ({ name, label, kind: 'text' })),
    readAll: (signal: AbortSignal) =>
      walk((cursor) => passwordPages(importId, { size: walkSize, cursor }, { signal })),
  }
  return (
    <section class="sheet sheet-padded import-part stack">
      <p>{words.passwordsNote}</p>
      <div class="actions">
        <Button icon="down" text={words.savePasswords(total)} onClick={() => download(list, 'csv')} />
      </div>
    </section>
  )
}
