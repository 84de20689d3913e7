import { useRef, useState } from 'preact/hooks'
import { newName } from '#client/name.ts'
import { members, take } from '#console/app/api/ask.ts'
import { failureOf, isOutcomeUnknown, isSignIdInUse, isVerdict } from '#console/app/api/failure.ts'
import { countMembers, createMember, seesOnlyNames } from '#console/app/api/members.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notify } from '#console/app/state/notes.ts'
import { replace, route } from '#console/app/state/route.ts'
import { useSending } from '#console/app/state/sending.ts'
import { useStore } from '#console/app/state/store.ts'
import { forget, useIsMounted, useUnsaved } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { NotAllowed } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { type Draft, draftOf, emptyDraft, isSameDraft, newMemberOf } from './draft.ts'
import { credentialFields, profileFields } from './fields.ts'
import { MemberForm } from './form.tsx'
import { quotedName } from './name.ts'
import { hrefToList } from './query.ts'

/** Asks the service before anything is typed, to learn whether the user may add members. */
export const NewMemberPage = () => {
  const words = useWords()
  useLoad('new', countMembers)
  const mayAdd = !useStore(seesOnlyNames)
  const from = useStore(route).query.get('from')
  return (
    <Page title={words.members.newTitle} above={{ title: words.pages.members, href: hrefToList() }} isNarrow>
      {!mayAdd && <NotAllowed what={words.members.mayNotAdd} />}
      {mayAdd && (from === null ? <NewForm start={emptyDraft} /> : <AgainForm memberId={from} />)}
    </Page>
  )
}

/** Begins with a version of a member that was deleted. */
const AgainForm = ({ memberId }: { memberId: string }) => {
  const version = useStore(route).query.get('version')
  const { value, failure, reload } = useLoad(`again ${memberId} ${version}`, async (options) => {
    const { signal } = options
    const versions = await take(() => members.history(memberId, { signal }), 1_000, options)
    return versions.find(
      ({ value, change }) => value && (version ?? `${change.data.version}`) === `${change.data.version}`,
    )?.value
  })
  if (failure) return <Failed failure={failure} onRetry={reload} />
  return value ? (
    <NewForm start={{ ...draftOf(value), 'credential.signId': value.credential.signId }} />
  ) : null
}

const NewForm = ({ start }: { start: Draft }) => {
  const words = useWords()
  const [draft, setDraft] = useState(start)
  useUnsaved(!isSameDraft(draft, start))
  const sending = useSending([...profileFields, ...credentialFields])
  const { send, isSending } = sending
  const isMounted = useIsMounted()
  const isUnanswered = useRef(false)
  /** The same draft is sent under the same key until the service has judged it: the answer may be lost, not the member. */
  const attempt = useRef<{ readonly draft: Draft; readonly key: string }>(undefined)
  const createOnce = async () => {
    const { current: last } = attempt
    const now = last && isSameDraft(last.draft, draft) ? last : { draft, key: newName() }
    attempt.current = now
    try {
      return await createMember(newMemberOf(draft), { key: now.key })
    } catch (error) {
      const failure = failureOf(error)
      if (isVerdict(failure)) attempt.current = undefined
      if (isOutcomeUnknown(failure)) isUnanswered.current = true
      throw error
    }
  }
  const create = () =>
    send(async () => {
      const member = await createOnce()
      notify(words.members.created(quotedName(member)))
      if (!isMounted()) return
      forget()
      replace(`members/${member.memberId}`)
    })
  return (
    <MemberForm
      draft={draft}
      sending={sending}
      hasCredential
      unanswered={words.members.unansweredAdd}
      hint={
        isUnanswered.current && sending.refusal && isSignIdInUse(sending.refusal)
          ? words.members.takenByLost
          : undefined
      }
      onType={setDraft}
      onSubmit={() => void create()}
    >
      <Button text={words.members.create} kind="primary" isSubmit isLocked={isSending} />
      <Button text={words.cancel} kind="quiet" href={hrefToList()} />
    </MemberForm>
  )
}
