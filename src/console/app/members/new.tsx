import { useState } from 'preact/hooks'
import { createMember } from '#console/app/api/members.ts'
import { useIsDrawn } from '#console/app/state/drawn.ts'
import { say } from '#console/app/state/notes.ts'
import { go, hrefTo } from '#console/app/state/route.ts'
import { useSending } from '#console/app/state/sending.ts'
import { forget, useUnsaved } from '#console/app/state/unsaved.ts'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { credentialFields, emptyDraft, isSameDraft, newMemberOf, profileFields } from './draft.ts'
import { MemberForm } from './form.tsx'
import { nameOf } from './name.ts'

export const NewMemberPage = () => {
  const words = useWords()
  const [draft, setDraft] = useState(emptyDraft)
  useUnsaved(!isSameDraft(draft, emptyDraft))
  const sending = useSending([...profileFields, ...credentialFields])
  const { send, isSending } = sending
  const isDrawn = useIsDrawn()
  const create = () =>
    send(async () => {
      const member = await createMember(newMemberOf(draft))
      say(words.members.created(nameOf(member)))
      if (!isDrawn()) return
      forget()
      go(`members/${member.memberId}`)
    })
  return (
    <Page title={words.members.newTitle} above={{ title: words.pages.members, path: 'members' }} isNarrow>
      <MemberForm
        draft={draft}
        sending={sending}
        hasCredential
        onType={setDraft}
        onSubmit={() => void create()}
      >
        <button type="submit" class="button button-primary" aria-disabled={isSending}>
          {words.members.create}
        </button>
        <a class="button button-quiet" href={hrefTo('members')}>
          {words.cancel}
        </a>
      </MemberForm>
    </Page>
  )
}
