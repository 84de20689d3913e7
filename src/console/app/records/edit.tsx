import { useEffect, useState } from 'preact/hooks'
import { failureOf, isConflict, isGone, kindOf } from '#console/app/api/failure.ts'
import { notify, notifyFailure, notifyFinal } from '#console/app/state/notes.ts'
import { hrefTo, replace } from '#console/app/state/route.ts'
import { useSending } from '#console/app/state/sending.ts'
import { forget, useIsMounted, useUnsaved } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { NotAllowed } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { Conflict } from './conflict.tsx'
import { compare, type Draft, draftOf, isSameDraft, valuesOf } from './draft.ts'
import { fieldsOf, labelsOf, valueAt } from './field.ts'
import { RecordForm } from './form.tsx'
import type { Kind, KnownItem } from './kind.ts'
import { beginWith } from './new.tsx'
import { failedTitle, useRecord } from './one.tsx'
import { hrefToList } from './query.ts'

interface EditParts {
  readonly kind: Kind
  readonly id: string
}

/**
 * Edits the version that was read. If somebody else saved other fields first, the changes of both are saved. If they saved the
 * same fields, shows both versions of these side by side; from then on the user edits the version shown there.
 */
export const EditPage = ({ kind, id }: EditParts) => {
  useWords()
  const words = kind.words()
  const { value, failure, reload } = useRecord(kind, id)
  const mayEdit = value && kind.may('update', value.value)
  const isDeleted = value !== undefined && failure !== undefined && isGone(failure)
  return (
    <Page
      title={
        value ? words.editTitle(isolated(kind.titleOf(value.value))) : failure && failedTitle(kind, failure)
      }
      above={
        value
          ? { title: kind.titleOf(value.value), href: hrefTo(`${kind.plural}/${id}`) }
          : { title: words.title, href: hrefToList(kind) }
      }
      isNarrow
    >
      {failure && !isDeleted && <Failed failure={failure} onRetry={reload} />}
      {failure && isDeleted && <Failed failure={failure} what={words.gone} />}
      {value &&
        (mayEdit ? (
          <EditForm kind={kind} read={value} isDeleted={isDeleted} />
        ) : (
          <NotAllowed what={words.mayNotEdit} />
        ))}
    </Page>
  )
}

const changedAt = ({ value }: KnownItem) => String(valueAt(value, 'lastModifiedAt'))

interface EditFormParts {
  readonly kind: Kind
  readonly read: KnownItem
  readonly isDeleted: boolean
}

const EditForm = ({ kind, read, isDeleted }: EditFormParts) => {
  const { form, save: saveText, cancel } = useWords()
  const words = kind.words()
  const id = kind.idOf(read.value)
  const sections = kind.form()
  const fields = fieldsOf(sections)
  const draftFrom = ({ value }: KnownItem) => draftOf(fields, value)
  const [base, setBase] = useState(read)
  const [draft, setDraft] = useState<Draft>(() => draftFrom(read))
  const [stored, setStored] = useState<KnownItem>()
  const sending = useSending(fields.map(({ name }) => name))
  const { send, isSending, failure } = sending
  const isMounted = useIsMounted()

  const isTyped = !isSameDraft(draft, draftFrom(base))
  useUnsaved(isTyped)
  const isNewer = changedAt(read) > changedAt(base)
  useEffect(() => {
    if (!isNewer || isTyped) return
    setBase(read)
    setDraft(draftFrom(read))
  }, [isNewer, isTyped])
  const { theirs, clashes } = compare(draftFrom(base), draft, draftFrom(read))
  const isNews = isNewer && isTyped && !isSending && theirs.length + clashes.length > 0

  const leave = () => {
    forget()
    replace(`${kind.plural}/${id}`)
  }
  /** Saves to the version that is stored by then, unless both changed the same field. */
  const save = (mine: Draft, from: KnownItem) =>
    send(async () => {
      for (let now = from; ; ) {
        const compared = compare(draftFrom(from), mine, draftFrom(now))
        if (compared.clashes.length > 0) return setStored(now)
        try {
          const saved = await kind.update(now, valuesOf(fields, compared.merged, now.value))
          return finish(saved, now, compared.theirs)
        } catch (error) {
          if (!isConflict(failureOf(error))) throw error
          now = await kind.read(id)
          if (!kind.may('update', now.value)) throw error
        }
      }
    })
  const finish = (saved: KnownItem, before: KnownItem, theirs: readonly string[]) => {
    const name = isolated(kind.titleOf(saved.value))
    const text =
      theirs.length === 0 ? words.saved(name) : words.savedWithTheirs(name, labelsOf(fields, theirs))
    notify(text, { undo: () => void putBack(saved, before, name), about: id })
    if (isMounted()) leave()
  }
  /** Undoes the saved change, unless somebody else has changed the record since. */
  const putBack = (saved: KnownItem, before: KnownItem, name: string) =>
    kind.update(saved, valuesOf(fields, draftFrom(before), before.value)).then(
      () => notify(kind.words().putBack(name)),
      (error) => notifyFailure(kind.words().notPutBack(name), failureOf(error)),
    )
  const keep = (merged: Draft, shown: KnownItem) => {
    setStored(undefined)
    setBase(shown)
    setDraft(merged)
    void save(merged, shown)
  }
  /** Restores the record and saves what was typed. A record that cannot be restored is added as a new one. */
  const addAgain = () =>
    send(async () => {
      const restored = await bringBack(kind, id)
      if (!restored) return isMounted() && beginWith(kind, draft)
      setBase(restored)
      const { merged } = compare(draftFrom(base), draft, draftFrom(restored))
      const saved = await kind.update(restored, valuesOf(fields, merged, restored.value))
      notifyFinal(words.addedAgain(isolated(kind.titleOf(saved.value))))
      if (isMounted()) leave()
    })
  const isLost = isDeleted || (failure !== undefined && isGone(failure))
  return (
    <>
      {isNews && (
        <p class="banner banner-kept" role="alert">
          {words.changedElsewhere(labelsOf(fields, [...theirs, ...clashes]))}
        </p>
      )}
      <RecordForm
        kind={kind}
        sections={sections}
        draft={draft}
        sending={sending}
        unanswered={form.unansweredSave}
        onType={setDraft}
        onSubmit={() => void (isLost ? addAgain() : save(draft, base))}
      >
        <Button text={isLost ? words.addAgain : saveText} kind="primary" isSubmit isLocked={isSending} />
        <Button
          text={cancel}
          kind="quiet"
          href={isLost ? hrefToList(kind) : hrefTo(`${kind.plural}/${id}`)}
        />
        {stored && (
          <Conflict
            key={stored.etag}
            fields={fields}
            base={draftFrom(base)}
            mine={draft}
            stored={stored.value}
            onKeep={(merged) => keep(merged, stored)}
            onDiscard={leave}
            onClose={() => setStored(undefined)}
          />
        )}
      </RecordForm>
    </>
  )
}

/** Restores a record, or reads it if somebody else has. Undefined if the user may not, or nothing is kept of it. */
const bringBack = (kind: Kind, id: string) =>
  kind.restore(id).catch((error) => {
    if (kindOf(failureOf(error)) !== 'refused') throw error
    return kind.read(id).catch(() => undefined)
  })
