import { useEffect, useState } from 'preact/hooks'
import type { Member } from '#client/index.ts'
import { failureOf, isConflict, isGone } from '#console/app/api/failure.ts'
import { type KnownMember, readMember, toKnownMember, updateMember } from '#console/app/api/members.ts'
import { notify } from '#console/app/state/notes.ts'
import { hrefTo, replace } from '#console/app/state/route.ts'
import { useSending } from '#console/app/state/sending.ts'
import { forget, useIsMounted, useUnsaved } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { NotAllowed } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { Conflict } from './conflict.tsx'
import { compare, type Draft, draftOf, isSameDraft, profileOf } from './draft.ts'
import { type ProfileField, profileFields } from './fields.ts'
import { MemberForm } from './form.tsx'
import { useMember } from './member.tsx'
import { failedTitle, labelsOf, nameOf, quotedName } from './name.ts'
import { hrefToList } from './query.ts'

/**
 * Edits the version that was read. If somebody else saved other fields first, the changes of both are saved. If they saved the
 * same fields, shows both versions of these side by side; from then on the user edits the version shown there.
 */
export const EditMemberPage = ({ path: [memberId = ''] }: { path: readonly string[] }) => {
  const words = useWords()
  const { value, failure, reload } = useMember(memberId)
  const known = value && toKnownMember(value)
  return (
    <Page
      title={
        value ? words.members.editTitle(quotedName(value.value)) : failure && failedTitle(failure, words)
      }
      above={
        value
          ? { title: nameOf(value.value), href: hrefTo(`members/${memberId}`) }
          : { title: words.pages.members, href: hrefToList() }
      }
      isNarrow
    >
      {failure && (
        <Failed
          failure={failure}
          what={value && isGone(failure) ? words.members.gone : undefined}
          onRetry={reload}
        />
      )}
      {value && (known ? <EditForm read={known} /> : <NotAllowed what={words.members.mayNotEdit} />)}
    </Page>
  )
}

const EditForm = ({ read }: { read: KnownMember }) => {
  const words = useWords()
  const { memberId } = read.value
  const [base, setBase] = useState(read)
  const [draft, setDraft] = useState<Draft>(() => draftOf(read.value))
  const [stored, setStored] = useState<KnownMember>()
  const sending = useSending(profileFields)
  const { send, isSending } = sending
  const isMounted = useIsMounted()

  const isTyped = !isSameDraft(draft, draftOf(base.value))
  useUnsaved(isTyped)
  const isNewer = read.value.lastModifiedAt > base.value.lastModifiedAt
  useEffect(() => {
    if (!isNewer || isTyped) return
    setBase(read)
    setDraft(draftOf(read.value))
  }, [isNewer, isTyped])
  const { theirs, clashes } = compare(draftOf(base.value), draft, draftOf(read.value))
  const isNews = isNewer && isTyped && !isSending && theirs.length + clashes.length > 0

  const leave = () => {
    forget()
    replace(`members/${memberId}`)
  }
  /** Saves to the version that is stored by then, unless both changed the same field. */
  const save = (mine: Draft, from: KnownMember) =>
    send(async () => {
      for (let now = from; ; ) {
        const compared = compare(draftOf(from.value), mine, draftOf(now.value))
        if (compared.clashes.length > 0) return setStored(now)
        try {
          const { value } = await updateMember(now, profileOf(compared.merged, now.value))
          return finish(value, compared.theirs)
        } catch (error) {
          if (!isConflict(failureOf(error))) throw error
          now = toKnownMember(await readMember(memberId)) ?? fail(error)
        }
      }
    })
  const finish = (saved: Member, theirs: readonly ProfileField[]) => {
    const name = quotedName(saved)
    notify(
      theirs.length === 0
        ? words.members.saved(name)
        : words.members.savedWithTheirs(name, labelsOf(theirs, words)),
    )
    if (isMounted()) leave()
  }
  const keep = (merged: Draft, shown: KnownMember) => {
    setStored(undefined)
    setBase(shown)
    setDraft(merged)
    void save(merged, shown)
  }
  return (
    <>
      {isNews && (
        <p class="banner banner-kept" role="alert">
          {words.members.changedElsewhere(labelsOf([...theirs, ...clashes], words))}
        </p>
      )}
      <MemberForm
        draft={draft}
        sending={sending}
        unanswered={words.members.unansweredSave}
        onType={setDraft}
        onSubmit={() => void save(draft, base)}
      >
        <Button text={words.save} kind="primary" isSubmit isLocked={isSending} />
        <Button text={words.cancel} kind="quiet" href={hrefTo(`members/${memberId}`)} />
        {stored && (
          <Conflict
            key={stored.etag}
            base={draftOf(base.value)}
            mine={draft}
            stored={stored.value}
            onKeep={(merged) => keep(merged, stored)}
            onDiscard={leave}
            onClose={() => setStored(undefined)}
          />
        )}
      </MemberForm>
    </>
  )
}

const fail = (error: unknown) => {
  throw error
}
