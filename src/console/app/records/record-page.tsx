import type { ComponentChildren } from 'preact'
import type { Done } from '#client/index.ts'
import { readDeclared } from '#console/app/api/declared.ts'
import { type Failure, failureOf, isConflict, isGone, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notifyFailure, notifyIrreversible } from '#console/app/state/notes.ts'
import { remove, removedIds } from '#console/app/state/removing.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { type Question, useQuestion } from '#console/app/ui/dialog.tsx'
import { Icon } from '#console/app/ui/icon.tsx'
import { restoreMany } from '#console/app/ui/many.ts'
import { Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import type { Kind, KnownItem, Section } from './kind.ts'
import { taskOf } from './many.tsx'
import { hrefToList, neighboursOf, replaceWithList } from './query.ts'
import { RecordSheet, RecordSkeleton } from './record-sheet.tsx'

/** Also waits for the added fields, because an update without them would clear them. */
export const useRecord = (kind: Kind, id: string) =>
  useLoad(
    id,
    async (options, before: Done<object> | undefined) => {
      const [item] = await Promise.all([kind.read(id, options, before), readDeclared()])
      return item
    },
    { reloadOn: [id], ...kind.live },
  )

export interface RecordParts {
  readonly kind: Kind
  readonly id: string
  /** Buttons that only this kind has, after the button for editing. */
  readonly actions?: ((known: KnownItem, reload: () => void) => ComponentChildren) | undefined
  /** Rows that only this kind has, at the end of a section. */
  readonly rows?: ((item: object, section: Section) => ComponentChildren) | undefined
  /** Shown below the record. */
  readonly below?: ((known: KnownItem, reload: () => void) => ComponentChildren) | undefined
}

/** One record. A user who may not change it gets no actions. */
export const RecordPage = ({ kind, id, actions, rows, below }: RecordParts) => {
  const words = useWords()
  const { ask, question } = useQuestion()
  const kindWords = kind.words()
  const { value, failure, isLoading, reload } = useRecord(kind, id)
  const isDeleted =
    useStore(removedIds).has(id) || (value !== undefined && failure !== undefined && isGone(failure))
  const path = `${kind.plural}/${id}`
  const history = kind.restore ? hrefTo(`${path}/history`) : hrefTo('activity', { id })
  const may = (right: 'update' | 'delete') => value && !isDeleted && kind.may(right, value.value)
  return (
    <Page
      title={value ? kind.titleOf(value.value) : failure && failedTitle(kind, failure)}
      above={{ title: kindWords.title, href: hrefToList(kind) }}
      actions={
        <>
          {may('update') && (
            <Button
              icon="pencil"
              text={words.edit}
              kind="primary"
              shortcut="e"
              href={hrefTo(`${path}/edit`)}
            />
          )}
          {may('update') && value && actions?.(value, reload)}
          {may('update') && <Button icon="clock" text={words.history} href={history} />}
          {may('delete') && value && (
            <Button
              icon="bin"
              text={words.delete}
              onClick={() => (kind.restore ? removeShown(kind, value) : ask(finalRemovalOf(kind, value)))}
            />
          )}
          <Neighbours kind={kind} id={id} hrefOf={(to) => hrefTo(`${kind.plural}/${to}`)} />
        </>
      }
    >
      {isDeleted ? (
        <p class="banner" role="alert">
          {kindWords.gone} <a href={history}>{words.history}</a>
        </p>
      ) : (
        failure && <Failed failure={failure} onRetry={reload} />
      )}
      {value && (
        <RecordSheet {...{ kind, isLoading }} item={value.value} rows={may('update') ? rows : undefined} />
      )}
      {!value && !failure && <RecordSkeleton />}
      {value && !isDeleted && below?.(value, reload)}
      {question}
    </Page>
  )
}

/** The title of a record's page if the record could not be read. */
export const failedTitle = (kind: Kind, { status }: Failure) =>
  status === 404 ? kind.words().notFound : kind.words().title

interface NeighboursParts extends Pick<RecordParts, 'kind' | 'id'> {
  readonly hrefOf: (id: string) => string
}

/** Links to the records before and after this one in the list. */
export const Neighbours = ({ kind, id, hrefOf }: NeighboursParts) => {
  const [previous, next] = neighboursOf(kind, id)
  const links = [
    { icon: 'left', label: kind.words().previousOne, to: previous, shortcut: 'k' },
    { icon: 'right', label: kind.words().nextOne, to: next, shortcut: 'j' },
  ] as const
  return links.map(({ icon, label, to, shortcut }) => {
    const address = to && hrefOf(to)
    return (
      address && (
        <a key={icon} class="icon-button" href={address} title={label} aria-keyshortcuts={shortcut}>
          <Icon name={icon} />
          <span class="unseen">{label}</span>
        </a>
      )
    )
  })
}

/** Asks before deleting a record that cannot be restored. */
const finalRemovalOf = (kind: Kind, known: Done<object>): Question => {
  const words = kind.words()
  const name = isolate(kind.titleOf(known.value))
  return {
    title: words.askOne(name),
    text: words.removeText ?? '',
    yes: wordsNow().delete,
    onYes: () =>
      kind.remove(known).then(
        () => {
          notifyIrreversible(words.removed(name))
          replaceWithList(kind)
        },
        (error) => {
          const failure = failureOf(error)
          notifyFailure(words.failedRemove(name), failure, reasonNotRemoved(kind, failure))
        },
      ),
  }
}

const reasonNotRemoved = (kind: Kind, failure: Failure) => {
  if (isConflict(failure)) return kind.words().changedBeforeRemove
  return isOutcomeUnknown(failure) ? kind.words().unansweredRemove : undefined
}

const removeShown = (kind: Kind, known: Done<object>) => {
  const name = () => isolate(kind.titleOf(known.value))
  remove({
    id: kind.idOf(known.value),
    send: () => kind.remove(known),
    bringBack: () => restoreMany([taskOf(kind, known.value)], { notRestored: kind.words().notRestored }),
    done: () => kind.words().removed(name()),
    undone: () => kind.words().restored(name()),
    failed: () => kind.words().failedRemove(name()),
    reason: (failure) => reasonNotRemoved(kind, failure),
  })
  replaceWithList(kind)
}
