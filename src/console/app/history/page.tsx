import { useState } from 'preact/hooks'
import type { Version } from '#client/index.ts'
import { recordPathOf } from '#console/app/api/batch.ts'
import { callSignedIn, members } from '#console/app/api/call.ts'
import { changesPerPage } from '#console/app/api/changes.ts'
import { readDeclared } from '#console/app/api/declared.ts'
import { failureOf, isConflict } from '#console/app/api/failure.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { loadReferredNames, type Names, readHistory, readNames } from '#console/app/api/names.ts'
import { kindAt } from '#console/app/declared/kinds.ts'
import { differences, fieldsOf, type Kind } from '#console/app/records/kind.ts'
import { nameText } from '#console/app/records/names.ts'
import { RecordSkeleton } from '#console/app/records/record-sheet.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { notifyFailure, notifyWithoutUndo } from '#console/app/state/notes.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { restoreMany } from '#console/app/ui/bulk.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { valueAt } from '#core/csv.ts'
import { ChangedFields, valueText } from './changed-fields.tsx'
import { Line, Lines } from './line.tsx'
import { useVersionWords } from './version-words.ts'

/** The versions of a record, even after the record was deleted. */
export const HistoryPage = ({ path: [plural = '', id = ''] }: { path: readonly string[] }) => {
  const kind = kindAt(plural)
  const allWords = useWords()
  const words = useVersionWords()
  const [count, setCount] = useState(changesPerPage)
  const { ask, question } = useQuestion()
  const { value, failure, isLoading, reload } = useLoad(
    `${id} ${count}`,
    async (options) => {
      const [versions] = await Promise.all([readHistory(kind.name, id, count + 1, options), readDeclared()])
      const changes = versions.map(({ change }) => change)
      const [names] = await Promise.all([readNames(changes, options), loadReferredNames(kind.name, versions)])
      return { versions, names }
    },
    { reloadOn: [id] },
  )
  const recordName = value?.names.get(id)
  const name = isolate(nameText(id, recordName, allWords))
  const mayErase = !useStore(seesOnlyNames) && plural === 'members'
  const report = (error: unknown) => {
    const failure = failureOf(error)
    notifyFailure(words.notDone, failure, isConflict(failure) ? words.changedMeanwhile : undefined)
  }
  const attempt = async (work: () => Promise<unknown>, doneText: string) => {
    try {
      await work()
      notifyWithoutUndo(doneText)
      reload()
    } catch (error) {
      report(error)
    }
  }
  const restore = async () => {
    // `restoreMany` undoes deletions, so it takes the deletion of the record.
    const operation = { method: 'DELETE', path: recordPathOf(plural, id) } as const
    await restoreMany([{ id, name, operation }], { notRestoredText: kind.words().notRestoredText })
    reload()
  }
  const askErase = () =>
    ask({
      title: words.eraseTitle(name),
      text: words.eraseText,
      yes: words.erase,
      onYes: () => attempt(() => callSignedIn(() => members.erase(id)), words.eraseDone),
    })
  /** Shows what would change. If the user agrees, the record is changed only if it still has the version that was compared. */
  const askPutBack = async (earlier: object) => {
    const current = await kind.read(id)
    const fields = fieldsOf(kind.form())
    const textOf = (item: object, field: string) => valueText(kind, item, field)
    const changes = differences(fields, current.value, earlier).map(
      ({ name, label }) => `${label}: ${textOf(current.value, name)} → ${textOf(earlier, name)}`,
    )
    const values = Object.fromEntries(fields.map(({ name }) => [name, valueAt(earlier, name)]))
    ask({
      title: words.putBackTitle,
      text: changes.join('\n'),
      yes: words.putBack,
      kind: 'primary',
      onYes: () => attempt(() => kind.update(current, values), words.putBackDone),
    })
  }
  return (
    <Page
      title={value ? words.historyOf(name) : failure && allWords.history}
      parent={
        recordName?.isGone
          ? { title: allWords.pages.activity, href: hrefTo('activity') }
          : { title: name, href: hrefTo(plural === 'todos' ? plural : `${plural}/${id}`) }
      }
      actions={mayErase && value && <Button icon="bin" text={words.erase} onClick={askErase} />}
      isNarrow
    >
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {value && (
        <Lines
          label={words.historyOf(name)}
          lines={value.versions
            .slice(0, count)
            .map((version, index) => (
              <VersionLine
                key={version.change.id}
                kind={kind}
                versions={value.versions}
                names={value.names}
                index={index}
                onRestore={restore}
                onPutBack={(earlier) => askPutBack(earlier).catch(report)}
              />
            ))}
          isLoading={isLoading}
          onOlder={value.versions.length > count ? () => setCount(count + changesPerPage) : undefined}
        />
      )}
      {question}
    </Page>
  )
}

interface VersionProps {
  readonly kind: Kind
  readonly versions: readonly Version<object>[]
  readonly names: Names
  readonly index: number
  readonly onRestore: () => Promise<void>
  readonly onPutBack: (earlier: object) => Promise<void>
}

/** One version: the old and new values of its changed fields, if they are stored, and a button that restores the record or puts this version back. */
const VersionLine = ({ kind, versions, names, index, onRestore, onPutBack }: VersionProps) => {
  const words = useVersionWords()
  const [version, before] = [versions[index] as Version<object>, versions[index + 1]?.value]
  const { change, value } = version
  const newestStored = versions.find(({ value }) => value)
  const isGone = versions[0]?.change.type.endsWith('.deleted')
  const isDeletion = isGone && index === 0
  const isDifferent =
    newestStored?.value && value && differences(fieldsOf(kind.form()), newestStored.value, value).length > 0
  const mayRestore = isDeletion && newestStored !== undefined
  return (
    <Line
      change={change}
      names={names}
      afterTitle={index === 0 && !isGone && words.present}
      action={
        (mayRestore || (value && isDifferent && !isGone)) && (
          <Button
            text={mayRestore ? words.restore : words.putBack}
            kind="small"
            onClick={() => (mayRestore ? onRestore() : value && onPutBack(value))}
          />
        )
      }
    >
      {!value && !change.type.endsWith('.deleted') && <p>{words.unkept}</p>}
      <ChangedFields kind={kind} change={change} version={version} before={before} />
    </Line>
  )
}
