import { useState } from 'preact/hooks'
import type { Version } from '#client/index.ts'
import { changesSize, type Names, readHistory, readNames } from '#console/app/api/changes.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { RecordSkeleton } from '#console/app/members/member.tsx'
import { failedTitle } from '#console/app/members/name.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Empty } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { Erase } from './erase.tsx'
import { Line, nameText, partsOf } from './line.tsx'
import { PutBack } from './put-back.tsx'
import {
  createAgain,
  differences,
  hrefOf,
  inPageOrder,
  isTodo,
  labelOf,
  type Room,
  textOf,
  type Value,
} from './rooms.ts'
import { useHistoryWords } from './words.ts'

interface Past {
  readonly versions: readonly Version<Value>[]
  readonly names: Names
}

/** What a record was, version by version, also after it was deleted. */
export const HistoryPage = ({ room, id }: { room: Room; id: string }) => {
  const words = useWords()
  const past = useHistoryWords()
  const [count, setCount] = useState(changesSize)
  const { value, failure, isLoading, reload } = useLoad<Past>(
    `${id} ${count}`,
    async (options) => {
      const versions = await readHistory(room, id, count + 1, options)
      return {
        versions,
        names: await readNames(
          versions.map(({ change }) => change),
          options,
        ),
      }
    },
    { of: [id] },
  )
  const [isErasing, setErasing] = useState(false)
  const mayErase = !useStore(seesOnlyNames) && room === 'members'
  const named = value?.names.get(id)
  const isNameless = room === 'members' && named?.isGone && !named.value
  const name = isNameless ? past.erased : isolated(nameText(named, id, { words, past }))
  const hasMore = value && value.versions.length > count
  return (
    <Page
      title={value ? (named ? past.historyOf(name) : past.history) : failure && failedTitle(failure, words)}
      above={
        named?.isGone
          ? { title: words.pages.activity, href: hrefTo('activity') }
          : { title: named ? name : words.pages[room], href: hrefOf(room, id) }
      }
      actions={mayErase && value && <Button icon="bin" text={past.erase} onClick={() => setErasing(true)} />}
      isNarrow
    >
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {value?.versions.length === 0 && (
        <div class="sheet">
          <Empty icon="clock" title={past.noHistory} text={past.noHistoryText} />
        </div>
      )}
      {value && value.versions.length > 0 && (
        <ol class="sheet" aria-label={past.list} aria-busy={isLoading}>
          {value.versions.slice(0, count).map((version, index) => (
            <VersionLine key={version.change.id} room={room} past={value} index={index} onChange={reload} />
          ))}
        </ol>
      )}
      {hasMore && (
        <div class="actions">
          <Button
            text={past.older}
            kind="small"
            isLocked={isLoading}
            onClick={() => setCount(count + changesSize)}
          />
        </div>
      )}
      {isErasing && <Erase memberId={id} name={name} onClose={() => setErasing(false)} onErased={reload} />}
    </Page>
  )
}

interface VersionParts {
  readonly room: Room
  readonly past: Past
  readonly index: number
  readonly onChange: () => void
}

const VersionLine = ({ room, past: { versions, names }, index, onChange }: VersionParts) => {
  const past = useHistoryWords()
  const [isPuttingBack, setPuttingBack] = useState(false)
  const version = versions[index]
  const latest = versions.find(({ value }) => value)
  if (!version) return null
  const { change, value } = version
  const isGone = versions[0]?.change.type.endsWith('.deleted')
  const isDeletion = partsOf(change)[1] === 'deleted'
  const isOther = latest?.value && value && differences(room, latest.value, value).length > 0
  const wanted = isDeletion ? latest : isOther ? version : undefined
  return (
    <Line
      change={change}
      names={names}
      about={index === 0 && !isGone && <span class="past-present">{past.present}</span>}
      actions={
        wanted?.value && (
          <Button
            text={isGone ? past.again : past.putBack}
            kind="small"
            onClick={() => (isGone ? addAgain(wanted, past) : setPuttingBack(true))}
          />
        )
      }
    >
      <Fields version={version} before={versions[index + 1]?.value ?? undefined} />
      {isPuttingBack && value && (
        <PutBack
          room={room}
          id={change.subject}
          past={value}
          onClose={() => setPuttingBack(false)}
          onChange={onChange}
        />
      )}
    </Line>
  )
}

const addAgain = async ({ value, change }: Version<Value>, past: ReturnType<typeof useHistoryWords>) => {
  if (!value) return
  const title = isTodo(value) ? isolated(value.todoTitle) : ''
  try {
    await createAgain(value, change.data.version)
    if (title) notify(past.againDone(title))
  } catch (error) {
    notifyFailure(past.againFailed(title), failureOf(error))
  }
}

/** What each field was before and after the change, if that is kept. */
const Fields = ({
  version: { change, value },
  before,
}: {
  version: Version<Value>
  before: Value | undefined
}) => {
  const words = useWords()
  const past = useHistoryWords()
  if (!value) return partsOf(change)[1] === 'deleted' ? null : <p class="past-unkept">{past.unkept}</p>
  const shown = inPageOrder(change.data.changed)
    .filter((field) => field !== 'role')
    .map((field) => ({
      field,
      from: before && textOf(before, field, words, past),
      to: textOf(value, field, words, past),
    }))
  if (shown.length === 0) return null
  return (
    <dl class="past-fields">
      {shown.map(({ field, from, to }) => (
        <div key={field}>
          <dt>{labelOf(field, words, past)}</dt>
          <dd dir="auto">
            {from !== undefined && (
              <>
                <span class="unseen">{past.was}</span> <del>{from}</del>{' '}
                <span class="past-arrow" aria-hidden="true">
                  →
                </span>{' '}
                <span class="unseen">{past.is}</span>
              </>
            )}
            {to}
          </dd>
        </div>
      ))}
    </dl>
  )
}
