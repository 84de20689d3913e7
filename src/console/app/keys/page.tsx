import { useState } from 'preact/hooks'
import type { CreatedKey, Key } from '#client/index.ts'
import { ask, askForRead, keys } from '#console/app/api/ask.ts'
import { isMemberId } from '#console/app/api/changes.ts'
import { declared, declaredAt, labelsNow } from '#console/app/api/declared.ts'
import { failureOf, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { authorText } from '#console/app/history/line.tsx'
import { useHistoryWords } from '#console/app/history/words.ts'
import { RecordSkeleton } from '#console/app/records/record.tsx'
import { useName } from '#console/app/records/value.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { notifyFailure, notifyFinal } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Button, IconButton } from '#console/app/ui/button.tsx'
import { Checks } from '#console/app/ui/checks.tsx'
import { FormDialog, Secret, useQuestion } from '#console/app/ui/dialog.tsx'
import { Empty } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { SegmentsField, segmentsOf } from '#console/app/ui/segments.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { formatAgo, formatDate, formatDateTime } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { displayText, isolated, quotedText } from '#console/app/words/visible.ts'
import { keyScopes } from '#resources/key/declaration.ts'
import { type KeyWords, useKeyWords } from './words.ts'

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
  const changed = () => {
    notifyFinal()
    reload()
  }
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
      {value?.length === 0 && <Empty icon="key" title={words.none} text={words.noneText} />}
      {value && value.length > 0 && (
        <ul class="sheet" aria-label={pages.keys}>
          {value.map((key) => (
            <KeyRow key={key.keyId} shown={key} onChanged={changed} />
          ))}
        </ul>
      )}
      {isMaking && <MakeKey onClose={() => setMaking(false)} onMade={changed} />}
    </Page>
  )
}

const KeyRow = ({ shown, onChanged }: { shown: Key; onChanged: () => void }) => {
  const allWords = useWords()
  const words = useKeyWords()
  const { ask: askFirst, question } = useQuestion()
  const [renewed, setRenewed] = useState<CreatedKey>()
  const { scopes, lastUsedAt, orphaned, createdBy, hint } = shown
  const name = quotedText(shown.name, allWords)
  const remove = () =>
    ask(() => keys.remove(shown.keyId)).then(onChanged, (error) =>
      notifyFailure(words.failedRemove(name), failureOf(error)),
    )
  const renew = () =>
    ask(() => keys.renewSecret(shown.keyId)).then(
      ({ value }) => {
        setRenewed(value)
        onChanged()
      },
      (error) => notifyFailure(words.failedRenew(name), failureOf(error)),
    )
  const title = words.remove(name)
  const permitted = scopeGroups(words, scopes).map(
    ([group, held]) => `${group}: ${held.map(([, verb]) => verb).join(' · ')}`,
  )
  return (
    <li class="past">
      <div>
        <p>
          <strong dir="auto">{displayText(shown.name, allWords)}</strong>{' '}
          {hint && <code class="faint">{hint}…</code>}
        </p>
        {permitted.map((text) => (
          <p key={text}>{text}</p>
        ))}
        <p class="past-meta">
          <Expiry shown={shown} />
          {createdBy && <Maker by={createdBy} />}
          {orphaned && <span class="wrong">{words.orphaned[orphaned]}</span>}
          <span>{lastUsedAt ? words.used(formatDateTime(lastUsedAt)) : words.unused}</span>
        </p>
      </div>
      <Button
        kind="small"
        text={words.renew}
        onClick={() =>
          askFirst({
            title: words.renewTitle(name),
            text: words.renewText,
            yes: words.renew,
            kind: 'primary',
            onYes: renew,
          })
        }
      />
      <IconButton
        icon="bin"
        label={title}
        onClick={() => askFirst({ title, text: words.removeText, yes: allWords.delete, onYes: remove })}
      />
      {question}
      {renewed && <KeySecret made={renewed} onClose={() => setRenewed(undefined)} />}
    </li>
  )
}

/** The maker of a key. */
const Maker = ({ by }: { by: string }) => {
  const words = useKeyWords()
  const past = useHistoryWords()
  const { value } = useName('member', isMemberId(by) ? by : '')
  return <span>{words.madeBy(authorText(by, new Map(value && [[by, value]]), past))}</span>
}

const KeySecret = ({ made, onClose }: { made: CreatedKey; onClose: () => void }) => {
  const words = useKeyWords()
  const title = words.madeTitle(isolated(made.name))
  return <Secret {...{ title, onClose }} text={words.madeText} secret={made.secret} what={words.secret} />
}

/** How long before its end a key is marked. */
const soonMs = 14 * 86_400_000

const Expiry = ({ shown: { expiresAt } }: { shown: Key }) => {
  const words = useKeyWords()
  if (expiresAt === null) return <span>{words.lasts}</span>
  const leftMs = new Date(expiresAt).getTime() - Date.now()
  const date = formatDate(expiresAt)
  if (leftMs <= 0) return <span class="wrong">{words.expired(date)}</span>
  if (leftMs > soonMs) return <span>{words.expires(date)}</span>
  return <span class="soon">{words.expiresSoon(formatAgo(expiresAt), date)}</span>
}

type Scope = CreatedKey['scopes'][number]

/** The scopes of this service, or the given ones, with their texts, grouped by resource. */
const scopeGroups = ({ groups, verbs }: KeyWords, some?: readonly Scope[]) => {
  const own = (declared.get() ?? []).flatMap((resource) => resource.scopes as readonly Scope[])
  const shown = [...keyScopes, ...own].filter((scope) => some?.includes(scope) ?? true)
  const byPlural = Object.groupBy(shown, (scope) => scope.split(':')[0] ?? '')
  return Object.entries(byPlural).map(([plural, scopes = []]) => {
    const resource = declaredAt(plural)
    const about = resource ? labelsNow(resource).many : groups[plural as 'todos']
    return [about, scopes.map((scope) => [scope, verbs[scope.split(':')[1] as 'read']] as const)] as const
  })
}

const dayMs = 86_400_000

interface MakeKeyParts {
  readonly onClose: () => void
  readonly onMade: () => void
}

/** First the form, then the key, which is never shown again. */
const MakeKey = ({ onClose, onMade }: MakeKeyParts) => {
  const words = useKeyWords()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>([])
  const [days, setDays] = useState<keyof typeof words.terms>('90')
  const [made, setMade] = useState<CreatedKey>()
  const sending = useSending(['name', 'scopes'])
  const { send, isSending, failure, errors } = sending
  if (made) return <KeySecret made={made} onClose={onClose} />
  const submit = () =>
    send(async () => {
      const expiresAt = days === '0' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString()
      const key = { name: name.trim(), scopes: chosen, expiresAt }
      setMade((await ask(() => keys.create(key))).value)
      onMade()
    })
  return (
    <FormDialog
      title={words.make}
      submit={words.make}
      sending={sending}
      what={failure && isOutcomeUnknown(failure) ? words.unanswered : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={name}
        error={errors.get('name')}
        isRequired
        isLocked={isSending}
        onType={setName}
      />
      <Checks
        label={words.scopes}
        groups={scopeGroups(words)}
        chosen={chosen}
        isRefused={errors.has('scopes')}
        onChoose={setChosen}
      />
      <SegmentsField
        label={words.expiry}
        segments={segmentsOf(words.terms, ['30', '90', '365', '0'])}
        value={days}
        onChoose={setDays}
      />
    </FormDialog>
  )
}
