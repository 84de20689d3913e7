import type { Change } from '#client/index.ts'
import type { Names } from '#console/app/api/changes.ts'
import { Line, nameText } from '#console/app/history/line.tsx'
import { inPageOrder, labelOf } from '#console/app/history/rooms.ts'
import { useHistoryWords } from '#console/app/history/words.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useWords } from '#console/app/words/index.ts'

/** A change of some record, with ways to the record and to its other changes. */
export const ChangeLine = ({ change, names }: { change: Change; names: Names }) => {
  const words = useWords()
  const past = useHistoryWords()
  const { type, subject, data } = change
  const [kind] = type.split('.')
  const named = names.get(subject)
  const name = nameText(subject, named, words, past)
  const pages: Readonly<Record<string, string>> = { key: 'keys', webhook: `webhooks/${subject}` }
  const history = pages[kind ?? ''] ?? `${kind}s/${subject}/history`
  const isRecord = kind === 'member' && !named?.isGone
  const links = [
    ...(isRecord ? [[words.members.history, hrefTo(history)] as const] : []),
    [past.onlyThis, hrefTo('activity', { id: subject })] as const,
  ]
  return (
    <Line
      change={change}
      names={names}
      about={
        <a href={hrefTo(isRecord ? `members/${subject}` : history)} dir="auto">
          {name}
        </a>
      }
      links={links.map(([text, href]) => (
        <a key={text} href={href}>
          {text}
          <span class="unseen"> {name}</span>
        </a>
      ))}
    >
      {type.endsWith('.updated') && (
        <p>
          {inPageOrder(data.changed)
            .map((field) => labelOf(field, words, past))
            .join(' · ')}
        </p>
      )}
    </Line>
  )
}
