import type { ComponentChildren } from 'preact'
import type { Done } from '#client/index.ts'
import { readDeclared } from '#console/app/api/declared.ts'
import { type Failure, failureOf, isConflict, isGone, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notifyFailure, notifyWithoutUndo } from '#console/app/state/notes.ts'
import { remove, removedIds } from '#console/app/state/removal.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { restoreMany } from '#console/app/ui/bulk.ts'
import { Button } from '#console/app/ui/button.tsx'
import { type Question, useQuestion } from '#console/app/ui/dialog.tsx'
import { Icon } from '#console/app/ui/icon.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { taskOf } from './bulk-actions.tsx'
import type { Kind, Section, VersionedItem } from './kind.ts'
import { hrefToList, neighboursOf, replaceWithList } from './query.ts'
import { RecordSheet, RecordSkeleton } from './record-sheet.tsx'

/** Reads a record. Also waits for the fields that extensions added, because an update without these fields would clear them. */
export const useRecord = (kind: Kind, id: string) => {
  const loaded = useLoad(
    id,
    async (options, previous: Done<object> | undefined) => {
      const [item] = await Promise.all([kind.read(id, options, previous), readDeclared()])
      return item
    },
    { reloadOn: [id], ...kind.live },
  )
  const onDone: OnDone = (changed) => {
    if (changed) loaded.show(() => changed)
    loaded.reload()
  }
  return { ...loaded, onDone }
}

/** Called after an action, with the changed record if the answer contains it. The next action then has its newest version. */
export type OnDone = (changed?: Done<object>) => void

export interface RecordProps {
  readonly kind: Kind
  readonly id: string
  /** Buttons that only this kind has, after the button for editing. */
  readonly actions?: ((shown: VersionedItem, onDone: OnDone) => ComponentChildren) | undefined
  /** Rows that only this kind has, at the end of a section. */
  readonly rows?: ((item: object, section: Section) => ComponentChildren) | undefined
  /** Shown below the record. */
  readonly below?: ((shown: VersionedItem, onDone: OnDone) => ComponentChildren) | undefined
}

/** One record. A user who may not change it gets no actions. */
export const RecordPage = ({ kind, id, actions, rows, below }: RecordProps) => {
  const words = useWords()
  const { ask, question } = useQuestion()
  const kindWords = kind.words()
  const { value, failure, isLoading, reload, onDone } = useRecord(kind, id)
  const isDeleted =
    useStore(removedIds).has(id) || (value !== undefined && failure !== undefined && isGone(failure))
  const path = `${kind.plural}/${id}`
  const history = kind.restore ? hrefTo(`${path}/history`) : hrefTo('activity', { id })
  const can = (right: 'update' | 'delete') => value && !isDeleted && kind.may(right, value.value)
  return (
    <Page
      title={value ? kind.titleOf(value.value) : failure && failedTitle(kind, failure)}
      parent={{ title: kindWords.title, href: hrefToList(kind) }}
      actions={
        <>
          {can('update') && (
            <Button
              icon="pencil"
              text={words.edit}
              kind="primary"
              shortcut="e"
              href={hrefTo(`${path}/edit`)}
            />
          )}
          {can('update') && value && actions?.(value, onDone)}
          {can('update') && <Button icon="clock" text={words.history} href={history} />}
          {can('delete') && value && (
            <Button
              icon="bin"
              text={words.delete}
              onClick={() => (kind.restore ? removeShown(kind, value) : ask(removalQuestionOf(kind, value)))}
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
        <RecordSheet
          kind={kind}
          isLoading={isLoading}
          item={value.value}
          rows={can('update') ? rows : undefined}
        />
      )}
      {!value && !failure && <RecordSkeleton />}
      {value && !isDeleted && below?.(value, onDone)}
      {question}
    </Page>
  )
}

/** The title of a record's page if the record could not be read. */
export const failedTitle = (kind: Kind, { status }: Failure) =>
  status === 404 ? kind.words().notFound : kind.words().title

interface NeighboursProps extends Pick<RecordProps, 'kind' | 'id'> {
  readonly hrefOf: (id: string) => string
}

/** Links to the records before and after this one in the list. */
export const Neighbours = ({ kind, id, hrefOf }: NeighboursProps) => {
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

/** Asks before a record is deleted for good. */
const removalQuestionOf = (kind: Kind, known: Done<object>): Question => {
  const words = kind.words()
  const name = isolate(kind.titleOf(known.value))
  return {
    title: words.askOne(name),
    text: words.removeText ?? '',
    yes: wordsNow().delete,
    onYes: () =>
      kind.remove(known).then(
        () => {
          notifyWithoutUndo(words.removed(name))
          replaceWithList(kind)
        },
        (error) => {
          const failure = failureOf(error)
          notifyFailure(words.failedRemove(name), failure, removalFailureText(kind, failure))
        },
      ),
  }
}

const removalFailureText = (kind: Kind, failure: Failure) => {
  if (isConflict(failure)) return kind.words().changedBeforeRemove
  return isOutcomeUnknown(failure) ? kind.words().unansweredRemove : undefined
}

const removeShown = (kind: Kind, known: Done<object>) => {
  const name = () => isolate(kind.titleOf(known.value))
  remove({
    id: kind.idOf(known.value),
    send: () => kind.remove(known),
    restore: () =>
      restoreMany([taskOf(kind, known.value)], { notRestoredText: kind.words().notRestoredText }),
    doneText: () => kind.words().removed(name()),
    undoneText: () => kind.words().restored(name()),
    failedText: () => kind.words().failedRemove(name()),
    reasonText: (failure) => removalFailureText(kind, failure),
  })
  replaceWithList(kind)
}
