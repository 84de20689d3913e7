import { useEffect, useState } from 'preact/hooks'
import { failureOf, isGone, kindOf } from '#console/app/api/failure.ts'
import { notifyWithoutUndo } from '#console/app/state/notes.ts'
import { hrefTo, replace } from '#console/app/state/route.ts'
import { useSending } from '#console/app/state/sending.ts'
import { discardUnsaved, useIsMounted, useUnsaved } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Failed, NotAllowed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { valueAt } from '#core/csv.ts'
import { Conflict } from './conflict.tsx'
import { compare, type Draft, draftOf, isSameDraft, valuesOf } from './draft.ts'
import { RecordForm } from './form.tsx'
import { fieldsOf, type Kind, labelsOf, type VersionedItem } from './kind.ts'
import { openNewWith } from './new.tsx'
import { hrefToList } from './query.ts'
import { failedTitle, useRecord } from './record-page.tsx'
import { notifySaved, saveMerged } from './saving.ts'

export const EditPage = ({ kind, id }: { kind: Kind; id: string }) => {
  const words = kind.words()
  const { value, failure, reload } = useRecord(kind, id)
  const canEdit = value && kind.may('update', value.value)
  const isDeleted = value !== undefined && failure !== undefined && isGone(failure)
  return (
    <Page
      title={
        value ? words.editTitle(isolate(kind.titleOf(value.value))) : failure && failedTitle(kind, failure)
      }
      parent={
        value
          ? { title: kind.titleOf(value.value), href: hrefTo(`${kind.plural}/${id}`) }
          : { title: words.title, href: hrefToList(kind) }
      }
      isNarrow
    >
      {failure && !isDeleted && <Failed failure={failure} onRetry={reload} />}
      {failure && isDeleted && <Failed failure={failure} text={words.gone} />}
      {value &&
        (canEdit ? (
          <EditForm
            kind={kind}
            record={value}
            isDeleted={isDeleted}
            href={hrefTo(`${kind.plural}/${id}`)}
            onLeave={() => replace(`${kind.plural}/${id}`)}
          />
        ) : (
          <NotAllowed text={words.mayNotEdit} />
        ))}
    </Page>
  )
}

const changedAt = ({ value }: VersionedItem) => String(valueAt(value, 'lastModifiedAt'))

interface EditFormProps {
  readonly kind: Kind
  readonly record: VersionedItem
  readonly isDeleted: boolean
  /** The address that the Cancel button opens. */
  readonly href: string
  /** Called once the record is saved, or all changes are discarded. */
  readonly onLeave: () => void
}

/**
 * The form for a record as it was read. If somebody else saves the same fields meanwhile, both values of these fields are shown
 * side by side, and from then on the user edits the newer version.
 */
export const EditForm = ({ kind, record, isDeleted, href, onLeave }: EditFormProps) => {
  const { form, save: saveText, cancel } = useWords()
  const words = kind.words()
  const id = kind.idOf(record.value)
  const sections = kind.form()
  const fields = fieldsOf(sections)
  const draftFrom = ({ value }: VersionedItem) => draftOf(fields, value)
  const [base, setBase] = useState(record)
  const [draft, setDraft] = useState<Draft>(() => draftFrom(record))
  const [stored, setStored] = useState<VersionedItem>()
  const sending = useSending(fields.map(({ name }) => name))
  const { send, isSending, failure } = sending
  const isMounted = useIsMounted()

  const isChanged = !isSameDraft(draft, draftFrom(base))
  useUnsaved(isChanged)
  const isNewer = changedAt(record) > changedAt(base)
  useEffect(() => {
    if (!isNewer || isChanged) return
    setBase(record)
    setDraft(draftFrom(record))
  }, [isNewer, isChanged])
  const { theirs, clashes } = compare(draftFrom(base), draft, draftFrom(record))
  const hasNewsToShow = isNewer && isChanged && !isSending && theirs.length + clashes.length > 0

  const leave = () => {
    discardUnsaved()
    onLeave()
  }
  const save = (mine: Draft, from: VersionedItem) =>
    send(async () => {
      const outcome = await saveMerged(kind, { base: from.value, mine }, from)
      if ('value' in outcome) return setStored(outcome)
      notifySaved(kind, outcome)
      if (isMounted()) leave()
    })
  const keep = (merged: Draft, shown: VersionedItem) => {
    setStored(undefined)
    setBase(shown)
    setDraft(merged)
    void save(merged, shown)
  }
  /** Restores a deleted record and saves the draft. If nobody can restore it, opens the form for a new record with the draft. */
  const addAgain = () =>
    send(async () => {
      const restored = await restoreOrRead(kind, id)
      if (!restored) return isMounted() && openNewWith(kind, draft)
      setBase(restored)
      const { merged } = compare(draftFrom(base), draft, draftFrom(restored))
      const saved = await kind.update(restored, valuesOf(fields, merged, restored.value))
      notifyWithoutUndo(words.addedAgain(isolate(kind.titleOf(saved.value))))
      if (isMounted()) leave()
    })
  const isGoneNow = isDeleted || (failure !== undefined && isGone(failure))
  return (
    <>
      {hasNewsToShow && (
        <p class="banner banner-kept" role="alert">
          {words.changedElsewhere(labelsOf(fields, [...theirs, ...clashes]))}
        </p>
      )}
      <RecordForm
        kind={kind}
        sections={sections}
        draft={draft}
        sending={sending}
        unansweredText={form.unansweredSave}
        onType={setDraft}
        onSubmit={() => void (isGoneNow ? addAgain() : save(draft, base))}
      >
        <Button text={isGoneNow ? words.addAgain : saveText} kind="primary" isSubmit isLocked={isSending} />
        <Button text={cancel} kind="quiet" href={isGoneNow ? hrefToList(kind) : href} />
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

/** Restores a record, or reads it if somebody else has restored it. Undefined if the user may not restore it, or nobody can. */
const restoreOrRead = (kind: Kind, id: string) =>
  kind.restore?.(id).catch((error) => {
    if (kindOf(failureOf(error)) !== 'refused') throw error
    return kind.read(id).catch(() => undefined)
  })
