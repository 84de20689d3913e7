import { useState } from 'preact/hooks'
import type { Version } from '#client/index.ts'
import { changesSize, type Names, readHistory, readNames } from '#console/app/api/changes.ts'
import { failureOf, isConflict } from '#console/app/api/failure.ts'
import { eraseMember, seesOnlyNames } from '#console/app/api/members.ts'
import { type Field, valueAt } from '#console/app/records/field.ts'
import { nameText } from '#console/app/records/names.ts'
import { RecordSkeleton } from '#console/app/records/record.tsx'
import { textOf } from '#console/app/records/value.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords, type Words } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { inPageOrder, labelOf } from './labels.ts'
import { Line, Lines } from './line.tsx'
import { differences, type Past, pastOf } from './past.ts'
import { useVersionWords } from './version-words.ts'
import { useHistoryWords } from './words.ts'

/** What a record was, version by version, also after it was deleted. */
export const HistoryPage = ({ path: [room = '', id = ''] }: { path: readonly string[] }) => {
  const kind = pastOf(room)
  const words = useWords()
  const past = useVersionWords()
  const [count, setCount] = useState(changesSize)
  const { ask, question } = useQuestion()
  const { value, failure, isLoading, reload } = useLoad(
    `${id} ${count}`,
    async (options) => {
      const versions = await readHistory(kind.name, id, count + 1, options)
      const names = await readNames(
        versions.map(({ change }) => change),
        options,
      )
      return { versions, names }
    },
    { of: [id] },
  )
  const named = value?.names.get(id)
  const name = isolated(nameText(id, named, words))
  const mayErase = !useStore(seesOnlyNames) && room === 'members'
  const attempt = async (work: () => Promise<unknown>, done = '') => {
    try {
      await work()
      if (done) notify(done)
      reload()
    } catch (error) {
      const failure = failureOf(error)
      notifyFailure(past.notDone, failure, isConflict(failure) ? past.changedMeanwhile : undefined)
    }
  }
  const askErase = () =>
    ask({
      title: past.eraseTitle(name),
      text: past.eraseText,
      yes: past.erase,
      onYes: () => attempt(() => eraseMember(id), past.eraseDone),
    })
  /** Shows what would change, and changes only the version that it was compared with. */
  const askPutBack = async (wanted: object) => {
    const now = await kind.read(id)
    const changes = differences(kind.fields(), now.value, wanted)
    const shown = (value: object, { name }: Field) => valueText(kind, value, name, words)
    ask({
      title: past.putBackTitle,
      text: changes
        .map((field) => `${field.label}: ${shown(now.value, field)} → ${shown(wanted, field)}`)
        .join('\n'),
      yes: past.putBack,
      kind: 'primary',
      onYes: () =>
        attempt(
          () =>
            kind.putBack(
              now,
              Object.fromEntries(kind.fields().map(({ name }) => [name, valueAt(wanted, name)])),
            ),
          past.putBackDone,
        ),
    })
  }
  const again = ({ change, value }: Version<object>) => value && kind.createAgain(value, change.data.version)
  return (
    <Page
      title={value ? past.historyOf(name) : failure && words.history}
      above={
        named?.isGone
          ? { title: words.pages.activity, href: hrefTo('activity') }
          : { title: name, href: hrefTo(kind.page(id)) }
      }
      actions={mayErase && value && <Button icon="bin" text={past.erase} onClick={askErase} />}
      isNarrow
    >
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {value && (
        <Lines
          label={past.historyOf(name)}
          lines={value.versions
            .slice(0, count)
            .map((version, index) => (
              <VersionLine
                key={version.change.id}
                kind={kind}
                versions={value.versions}
                names={value.names}
                index={index}
                onAgain={(version) => attempt(async () => again(version))}
                onPutBack={(wanted) => attempt(() => askPutBack(wanted))}
              />
            ))}
          isLoading={isLoading}
          onOlder={value.versions.length > count ? () => setCount(count + changesSize) : undefined}
        />
      )}
      {question}
    </Page>
  )
}

interface VersionParts {
  readonly kind: Past
  readonly versions: readonly Version<object>[]
  readonly names: Names
  readonly index: number
  readonly onAgain: (version: Version<object>) => void
  readonly onPutBack: (wanted: object) => void
}

/** What each field was before and after the change, if that is kept, and what can be done with it. */
const VersionLine = ({ kind, versions, names, index, onAgain, onPutBack }: VersionParts) => {
  const words = useWords()
  const changes = useHistoryWords()
  const past = useVersionWords()
  const [version, before] = [versions[index] as Version<object>, versions[index + 1]?.value]
  const { change, value } = version
  const latest = versions.find(({ value }) => value)
  const isGone = versions[0]?.change.type.endsWith('.deleted')
  const isDeletion = isGone && index === 0
  const isOther = latest?.value && value && differences(kind.fields(), latest.value, value).length > 0
  const shown = (of: object | null | undefined, field: string) =>
    of ? valueText(kind, of, field, words) : ''
  const fields = inPageOrder(change.data.changed)
    .map((field) => ({ field, from: shown(before, field), to: shown(value, field) }))
    .filter(({ to }) => to !== '')
  const wanted = isDeletion ? latest : isOther ? version : undefined
  return (
    <Line
      change={change}
      names={names}
      about={index === 0 && !isGone && past.present}
      action={
        wanted?.value && (
          <Button
            text={isGone ? past.again : past.putBack}
            kind="small"
            onClick={() => (isGone ? onAgain(wanted) : value && onPutBack(value))}
          />
        )
      }
    >
      {!value && !isDeletion && <p>{past.unkept}</p>}
      <dl class="past-fields">
        {fields.map(({ field, from, to }) => (
          <div key={field}>
            <dt>{labelOf(kind.name, field, words, changes)}</dt>
            <dd dir="auto">
              {from && (
                <>
                  <span class="unseen">{past.arrow[0]}</span> <del>{from}</del> →{' '}
                  <span class="unseen">{past.arrow[1]}</span>
                </>
              )}{' '}
              {to}
            </dd>
          </div>
        ))}
      </dl>
    </Line>
  )
}

/** What is shown of a field; empty if nothing is. */
const valueText = ({ fields, shown }: Past, item: object, name: string, words: Words) => {
  const field = [...fields(), ...shown()].find((one) => one.name === name)
  const value = valueAt(item, name)
  return field && value !== undefined ? textOf(field, value, words) : ''
}
