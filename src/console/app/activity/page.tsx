import { useState } from 'preact/hooks'
import { changesSize, readChanges } from '#console/app/api/changes.ts'
import { declared, labelsNow } from '#console/app/api/declared.ts'
import { typeText } from '#console/app/history/labels.ts'
import { ChangeLine, Lines } from '#console/app/history/line.tsx'
import { useHistoryWords } from '#console/app/history/words.ts'
import { nameText } from '#console/app/records/names.ts'
import { RecordSkeleton } from '#console/app/records/record.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { go, hrefTo, route } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
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
  const [shown, setShown] = useState({ chosen, id, count: changesSize })
  const count = shown.chosen === chosen && shown.id === id ? shown.count : changesSize
  const own = useStore(declared) ?? []
  const ownTypes = own.flatMap(({ name }) => Object.keys(past.deeds).map((deed) => `${name}.${deed}`))
  const allTypes = [...Object.keys(past.types), ...ownTypes]
  const types = chosen ? allTypes.filter((type) => type.startsWith(chosen)) : undefined
  const { value, failure, isLoading, reload } = useLoad(
    JSON.stringify([chosen, id, count]),
    (options) => readChanges({ types, id, count }, options),
    { of: ['*'] },
  )
  const { members, todos, keys, webhooks } = words.pages
  const kinds = { 'member.': members, 'todo.': todos, 'key.': keys, 'webhook.': webhooks }
  const ownKinds = Object.fromEntries(own.map((one) => [`${one.name}.`, labelsNow(one).many]))
  const texts = Object.fromEntries(allTypes.map((type) => [type, typeText(type, past)]))
  const choices = { '': past.all, ...kinds, ...ownKinds, ...texts }
  return (
    <Page title={words.pages.activity} subtitle={past.subtitle} isNarrow>
      <div class="actions">
        <select
          class="input past-filter"
          aria-label={past.show}
          value={chosen}
          onChange={({ currentTarget }) => go('activity', { type: currentTarget.value, id })}
        >
          {Object.entries(choices).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        {id && (
          <Button
            icon="close"
            text={past.only(isolated(nameText(id, value?.names.get(id), words)))}
            href={hrefTo('activity', { type: chosen })}
          />
        )}
      </div>
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {value && (
        <Lines
          label={words.pages.activity}
          lines={value.changes.map((change) => (
            <ChangeLine key={change.id} change={change} names={value.names} />
          ))}
          isLoading={isLoading}
          onOlder={value.hasMore ? () => setShown({ chosen, id, count: count + changesSize }) : undefined}
        />
      )}
    </Page>
  )
}
