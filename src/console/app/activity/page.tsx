import { useState } from 'preact/hooks'
import type { Change } from '#client/index.ts'
import { type Changed, changesSize, type Names, readChanges } from '#console/app/api/changes.ts'
import { Line, nameText, partsOf } from '#console/app/history/line.tsx'
import { inPageOrder, labelOf } from '#console/app/history/rooms.ts'
import { useHistoryWords } from '#console/app/history/words.ts'
import { RecordSkeleton } from '#console/app/members/member.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { go, hrefTo, route } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Empty } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'

/** All changes, newest first. */
export const ActivityPage = () => {
  const words = useWords()
  const past = useHistoryWords()
  const { query } = useStore(route)
  const [chosen, id] = [query.get('type') ?? '', query.get('id') ?? undefined]
  const types = Object.keys(past.types).filter((type) => type.startsWith(chosen))
  const isWhole = chosen === '' || types.length === 0
  const place = `${chosen} ${id}`
  const [shown, setShown] = useState({ place, count: changesSize })
  const count = shown.place === place ? shown.count : changesSize
  const { value, failure, isLoading, reload } = useLoad<Changed>(
    `${place} ${count}`,
    (options) => readChanges({ types: isWhole ? [] : types, id }, count, options),
    { of: ['member', 'todo', 'key'] },
  )
  return (
    <Page title={words.pages.activity} subtitle={`${past.subtitle} ${past.live}`} isNarrow>
      <div class="past-filter">
        <select
          class="input"
          aria-label={past.show}
          value={chosen}
          onChange={({ currentTarget }) => go('activity', { type: currentTarget.value, id })}
        >
          {choices.map((kind) => (
            <option key={kind} value={kind === 'all' ? '' : `${kind}.`}>
              {past.kinds[kind]}
            </option>
          ))}
          <hr />
          {Object.entries(past.types).map(([type, text]) => (
            <option key={type} value={type}>
              {text}
            </option>
          ))}
        </select>
        {id && (
          <Button
            icon="close"
            text={past.only(isolated(nameText(value?.names.get(id), id, { words, past })))}
            href={hrefTo('activity', { type: chosen })}
          />
        )}
      </div>
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {value?.changes.length === 0 && <Nothing isAll={isWhole && !id} />}
      {value && value.changes.length > 0 && (
        <ol class="sheet" aria-label={past.list} aria-busy={isLoading}>
          {value.changes.map((change) => (
            <ChangeLine key={change.id} change={change} names={value.names} isAlone={id !== undefined} />
          ))}
        </ol>
      )}
      {value?.hasMore && (
        <div class="actions">
          <Button
            text={past.older}
            kind="small"
            isLocked={isLoading}
            onClick={() => setShown({ place, count: count + changesSize })}
          />
        </div>
      )}
    </Page>
  )
}

const choices = ['all', 'member', 'todo', 'key'] as const

const Nothing = ({ isAll }: { isAll: boolean }) => {
  const past = useHistoryWords()
  return (
    <div class="sheet">
      <Empty
        icon="clock"
        title={isAll ? past.none : past.noneSuch}
        text={isAll ? past.noneText : past.noneSuchText}
      />
    </div>
  )
}

interface ChangeLineParts {
  readonly change: Change
  readonly names: Names
  /** Whether only one record's changes are shown. */
  readonly isAlone: boolean
}

const ChangeLine = ({ change, names, isAlone }: ChangeLineParts) => {
  const words = useWords()
  const past = useHistoryWords()
  const { subject, data } = change
  const [kind, done] = partsOf(change)
  const named = names.get(subject)
  const history = kind !== 'key' && hrefTo(`${kind}s/${subject}/history`)
  const record = kind === 'member' && !named?.isGone && hrefTo(`members/${subject}`)
  const name = nameText(named, subject, { words, past })
  const fields =
    done === 'updated' ? inPageOrder(data.changed).map((field) => labelOf(field, words, past)) : []
  return (
    <Line
      change={change}
      names={names}
      about={
        <a href={record || history || hrefTo('keys')} dir="auto">
          {name}
        </a>
      }
      links={
        <>
          {record && history && (
            <a href={history}>
              {past.history}
              <span class="unseen"> {name}</span>
            </a>
          )}
          {!isAlone && (
            <a href={hrefTo('activity', { id: subject })}>
              {past.onlyThis}
              <span class="unseen"> {name}</span>
            </a>
          )}
        </>
      }
    >
      {fields.length > 0 && <p class="past-unkept">{fields.join(past.comma)}</p>}
    </Line>
  )
}
