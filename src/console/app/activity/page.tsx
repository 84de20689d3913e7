import { useState } from 'preact/hooks'
import type { Change, Version } from '#client/index.ts'
import { recordPathOf } from '#console/app/api/batch.ts'
import { changesPerPage, readChanges, readVersions } from '#console/app/api/changes.ts'
import { allDeclared, keepsHistory, pluralOf } from '#console/app/api/declared.ts'
import { isMemberId, type Names } from '#console/app/api/names.ts'
import { kindAt } from '#console/app/declared/kinds.ts'
import { Picker } from '#console/app/declared/picker.tsx'
import { ChangedFields } from '#console/app/history/changed-fields.tsx'
import { changeTypeLabels, pluralLabelOf } from '#console/app/history/labels.ts'
import { authorText, ChangeLine, Lines } from '#console/app/history/line.tsx'
import { historyWords } from '#console/app/history/words.ts'
import { memberKind } from '#console/app/members/kind.ts'
import { nameText } from '#console/app/records/names.ts'
import { RecordSkeleton } from '#console/app/records/record-sheet.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { go, route } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { restoreMany } from '#console/app/ui/bulk.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Select, TextField } from '#console/app/ui/fields.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { optionsOf } from '#console/app/ui/segments.tsx'
import { useWords, type Words } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'

export const ActivityPage = () => {
  const words = useWords()
  const labels = historyWords()
  const { query } = useStore(route)
  const [chosenType = '', id, by, day] = ['type', 'id', 'by', 'day'].map(
    (name) => query.get(name) || undefined,
  )
  const filterKey = JSON.stringify([chosenType, id, by, day])
  const [expanded, setExpanded] = useState({ filterKey, count: changesPerPage })
  const count = expanded.filterKey === filterKey ? expanded.count : changesPerPage
  const typeLabels = changeTypeLabels(labels)
  const types = chosenType
    ? Object.keys(typeLabels).filter((type) =>
        chosenType === deletions ? isRestorable(type) : type.startsWith(chosenType),
      )
    : undefined
  const { value, failure, isLoading, reload } = useLoad(
    `${filterKey} ${count}`,
    async (options) => {
      const page = await readChanges({ types, id, by, ...timeRangeOf(day), count }, options)
      return { ...page, versions: await readVersions(page.changes, options) }
    },
    { reloadOn: ['*'] },
  )
  const filterBy = (change: Readonly<Record<string, string | undefined>>) =>
    go('activity', { type: chosenType, id, by, day, ...change })
  const isMember = by === undefined || isMemberId(by)
  const restorable = value ? restorableDeletions(value.changes, value.names) : []
  const kindChoices = ['member', ...allDeclared().map(({ name }) => name)].map((name) => [
    `${name}.`,
    pluralLabelOf(name),
  ])
  const choices: Readonly<Record<string, string>> = {
    '': labels.all,
    [deletions]: labels.deletions,
    ...Object.fromEntries(kindChoices),
    ...typeLabels,
  }
  return (
    <Page title={words.pages.activity} subtitle={labels.subtitle} isNarrow>
      <div class="filters row">
        <Select
          label={labels.show}
          value={chosenType}
          choices={optionsOf(choices)}
          onChoose={(type) => filterBy({ type })}
        />
        <Picker
          label={labels.who}
          resource="member"
          value={isMember ? (by ?? '') : ''}
          isLocked={false}
          onPick={(by) => filterBy({ by })}
        />
        <TextField
          label={labels.day}
          type="date"
          value={day ?? ''}
          onType={(typed) => (typed === '' || typed >= '1000') && filterBy({ day: typed })}
        />
        {id && (
          <Button
            icon="close"
            kind="small"
            text={labels.only(isolate(nameText(id, value?.names.get(id), words)))}
            onClick={() => filterBy({ id: undefined })}
          />
        )}
        {by && !isMember && (
          <Button
            icon="close"
            kind="small"
            text={labels.only(authorText(by, value?.names ?? new Map(), labels))}
            onClick={() => filterBy({ by: undefined })}
          />
        )}
      </div>
      {value && restorable.length > 1 && types?.every(isRestorable) && (
        <div class="actions">
          <Button
            text={labels.restoreAll(restorable.length)}
            onClick={() => restoreDeleted(restorable, value.names, words)}
          />
        </div>
      )}
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {value && (
        <Lines
          label={words.pages.activity}
          lines={value.changes.map((change) => (
            <ChangeLine
              key={change.id}
              change={change}
              names={value.names}
              imports={value.imports}
              action={
                restorable.includes(change) && (
                  <Button
                    kind="small"
                    text={labels.restore}
                    onClick={() => restoreDeleted([change], value.names, words)}
                  />
                )
              }
            >
              {changedFieldsOf(change, value.versions.get(change.subject))}
            </ChangeLine>
          ))}
          isLoading={isLoading}
          onOlder={
            value.hasMore ? () => setExpanded({ filterKey, count: count + changesPerPage }) : undefined
          }
        />
      )}
    </Page>
  )
}

/** The choice that shows all deletions of records that can be restored. */
const deletions = 'deleted'

const isRestorable = (type: string) => type.endsWith('.deleted') && keepsHistory(kindOf(type))

/** The kind of record that a change of this type concerns. */
const kindOf = (type: string) => type.split('.')[0] ?? ''

/** The latest deletion of each record that is still deleted. */
const restorableDeletions = (changes: readonly Change[], names: Names) =>
  changes.filter(
    ({ type, subject }, at) =>
      isRestorable(type) &&
      names.get(subject)?.isGone &&
      changes.findIndex((change) => change.subject === subject) === at,
  )

/** Restores deleted records. The page then reloads, because the feed reports the restores. */
const restoreDeleted = (changes: readonly Change[], names: Names, words: Words) => {
  const tasks = changes.map(({ type, subject }) => {
    const path = recordPathOf(pluralOf(kindOf(type)), subject)
    const name = isolate(nameText(subject, names.get(subject), words))
    return { id: subject, name, operation: { method: 'DELETE', path } as const }
  })
  const isMember = changes.some(({ type }) => type.startsWith('member.'))
  return restoreMany(tasks, { notRestoredText: isMember ? memberKind.words().notRestoredText : undefined })
}

const timeRangeOf = (day: string | undefined) => {
  if (!day) return {}
  const [from, to] = [new Date(`${day}T00:00`), new Date(`${day}T00:00`)]
  to.setDate(to.getDate() + 1)
  return { timeFrom: from.toISOString(), timeTo: to.toISOString() }
}

/** The old and new values of a change. Undefined if they are not known. */
const changedFieldsOf = (change: Change, versions: readonly Version<object>[] = []) => {
  const at = versions.findIndex((version) => version.change.id === change.id)
  const version = versions[at]
  if (!version?.value) return undefined
  const kind = kindAt(pluralOf(kindOf(change.type)))
  return <ChangedFields kind={kind} change={change} version={version} before={versions[at + 1]?.value} />
}
