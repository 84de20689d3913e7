import type { MemberView } from '#client/index.ts'
import { useWords } from '#console/app/words/index.ts'
import { differencesOf } from './record.tsx'

/** What somebody else changed. The view may not show it. */
export const Changes = ({ before, now }: { before: MemberView; now: MemberView }) => {
  const words = useWords()
  const changes = differencesOf(before, now, words)
  return (
    <div role="alert">
      <p>{words.members.changedBeforeRemove}</p>
      {changes.length > 0 && (
        <table class="versions versions-shown">
          <thead>
            <tr>
              <th scope="col">{words.conflict.field}</th>
              <th scope="col">{words.conflict.before}</th>
              <th scope="col">{words.conflict.theirs}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ label, before, now }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td data-heading={words.conflict.before} dir="auto">
                  {before}
                </td>
                <td data-heading={words.conflict.theirs} dir="auto">
                  {now}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}
