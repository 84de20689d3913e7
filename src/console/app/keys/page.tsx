import { useState } from 'preact/hooks'
import type { Key } from '#client/index.ts'
import { ask, askForRead, keys } from '#console/app/api/ask.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { RecordSkeleton } from '#console/app/members/member.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { Button, IconButton } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Empty } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { formatAgo, formatDate, formatDateTime } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { displayText, quotedText } from '#console/app/words/visible.ts'
import { groups, MakeKey, scopesIn, verbOf } from './make.tsx'
import { useKeyWords } from './words.ts'

/** The keys of programs, newest first. */
export const KeysPage = () => {
  const { pages } = useWords()
  const words = useKeyWords()
  const [isMaking, setMaking] = useState(false)
  const { value, failure, reload } = useLoad<readonly Key[]>(
    'keys',
    async (options) =>
      (await askForRead(() => keys.list({}, { signal: options.signal }), options)).value.toReversed(),
    { of: ['key'] },
  )
  return (
    <Page
      title={pages.keys}
      subtitle={words.subtitle}
      actions={
        value && <Button icon="plus" text={words.make} kind="primary" onClick={() => setMaking(true)} />
      }
      isNarrow
    >
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {value && (
        <ul class="sheet" aria-label={pages.keys}>
          {value.length === 0 && (
            <li>
              <Empty icon="key" title={words.none} text={words.noneText} />
            </li>
          )}
          {value.map((key) => (
            <KeyRow key={key.keyId} shown={key} onRemoved={reload} />
          ))}
        </ul>
      )}
      {isMaking && <MakeKey onClose={() => setMaking(false)} onMade={reload} />}
    </Page>
  )
}

const KeyRow = ({ shown, onRemoved }: { shown: Key; onRemoved: () => void }) => {
  const allWords = useWords()
  const words = useKeyWords()
  const { ask: askFirst, question } = useQuestion()
  const { scopes, lastUsedAt } = shown
  const name = quotedText(shown.name, allWords)
  const remove = () =>
    ask(() => keys.remove(shown.keyId)).then(onRemoved, (error) =>
      notifyFailure(words.failedRemove(name), failureOf(error)),
    )
  const title = words.remove(name)
  const permitted = groups.flatMap((group) => {
    const held = scopesIn(group).filter((scope) => scopes.includes(scope))
    return held.length > 0
      ? `${words.groups[group]}: ${held.map((scope) => verbOf(scope, words)).join(' · ')}`
      : []
  })
  return (
    <li class="past">
      <div>
        <p>
          <strong dir="auto">{displayText(shown.name, allWords)}</strong>
        </p>
        {permitted.map((text) => (
          <p key={text}>{text}</p>
        ))}
        <p class="past-meta">
          <Expiry shown={shown} />
          <span>{lastUsedAt ? words.used(formatDateTime(lastUsedAt)) : words.unused}</span>
        </p>
      </div>
      <IconButton
        icon="bin"
        label={title}
        onClick={() => askFirst({ title, text: words.removeText, yes: allWords.delete, onYes: remove })}
      />
      {question}
    </li>
  )
}

/** How long before its end a key is marked. */
const soonMs = 14 * 86_400_000

const Expiry = ({ shown: { expiresAt } }: { shown: Key }) => {
  const words = useKeyWords()
  if (expiresAt === null) return <span>{words.lasts}</span>
  const leftMs = new Date(expiresAt).getTime() - Date.now()
  const date = formatDate(expiresAt)
  if (leftMs <= 0) return <span class="expired">{words.expired(date)}</span>
  if (leftMs > soonMs) return <span>{words.expires(date)}</span>
  return <span class="ending">{words.expiresSoon(formatAgo(expiresAt), date)}</span>
}
