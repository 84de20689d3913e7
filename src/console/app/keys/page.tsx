import { useState } from 'preact/hooks'
import type { Key } from '#client/index.ts'
import { ask, askForRead, keys } from '#console/app/api/ask.ts'
import { failureOf, isGone } from '#console/app/api/failure.ts'
import { RecordSkeleton } from '#console/app/members/member.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { Button, IconButton } from '#console/app/ui/button.tsx'
import { Confirm } from '#console/app/ui/dialog.tsx'
import { Empty } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { formatAgo, formatDate, formatDateTime } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { displayText, quotedText } from '#console/app/words/visible.ts'
import { MakeKey } from './make.tsx'
import { permitted } from './scopes.ts'
import { useKeyWords } from './words.ts'

/** The keys of programs, newest first. */
export const KeysPage = () => {
  const { pages } = useWords()
  const words = useKeyWords()
  const [isMaking, setMaking] = useState(false)
  const { value, failure, reload } = useLoad<readonly Key[]>(
    'keys',
    async (options) => {
      const { value } = await askForRead(() => keys.list({}, { signal: options.signal }), options)
      return value.toReversed()
    },
    { of: ['key'] },
  )
  const make = <Button icon="plus" text={words.make} kind="primary" onClick={() => setMaking(true)} />
  return (
    <Page title={pages.keys} subtitle={words.subtitle} actions={value && value.length > 0 && make} isNarrow>
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {value?.length === 0 && (
        <div class="sheet">
          <Empty icon="key" title={words.none} text={words.noneText}>
            {make}
          </Empty>
        </div>
      )}
      {value && value.length > 0 && (
        <ul class="sheet" aria-label={words.list}>
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
  const [isAsked, setAsked] = useState(false)
  const { keyId, scopes, createdAt, lastUsedAt } = shown
  const name = quotedText(shown.name, allWords)
  const remove = async () => {
    setAsked(false)
    try {
      await ask(() => keys.remove(keyId))
      notify(words.removed(name))
    } catch (error) {
      const failure = failureOf(error)
      if (!isGone(failure)) notifyFailure(words.failedRemove(name), failure)
    }
    focusTitle()
    onRemoved()
  }
  return (
    <li class="past">
      <span class="past-icon">
        <Icon name="key" />
      </span>
      <div class="past-body">
        <p>
          <strong dir="auto">{displayText(shown.name, allWords)}</strong>
        </p>
        {permitted(scopes, words).map((text) => (
          <p key={text}>{text}</p>
        ))}
        <p class="past-meta">
          <Expiry shown={shown} />
          <span>{lastUsedAt ? words.used(formatDateTime(lastUsedAt)) : words.unused}</span>
          <span>{words.made(formatDate(createdAt))}</span>
        </p>
      </div>
      <IconButton icon="bin" label={words.remove(name)} onClick={() => setAsked(true)} />
      {isAsked && (
        <Confirm
          title={words.removeTitle(name)}
          text={words.removeText}
          no={allWords.cancel}
          yes={allWords.delete}
          onNo={() => setAsked(false)}
          onYes={() => void remove()}
        />
      )}
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
  if (leftMs <= 0) return <span class="key-expired">{words.expired(date)}</span>
  if (leftMs > soonMs) return <span>{words.expires(date)}</span>
  return <span class="key-ending">{words.expiresSoon(formatAgo(expiresAt), date)}</span>
}
