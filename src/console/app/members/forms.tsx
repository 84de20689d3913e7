import type { NewMember } from '#client/index.ts'
import { callSignedIn, members } from '#console/app/api/call.ts'
import { memberExtension } from '#console/app/api/declared.ts'
import { isSignIdInUse } from '#console/app/api/failure.ts'
import { countMembers, seesOnlyNames } from '#console/app/api/members.ts'
import { type Draft, valuesOf } from '#console/app/records/draft.ts'
import { EditPage } from '#console/app/records/edit.tsx'
import { fieldsOf, type Section } from '#console/app/records/kind.ts'
import { initialValuesOf, NewPage } from '#console/app/records/new.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { useStore } from '#console/app/state/store.ts'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { memberKind } from './kind.ts'
import { profileSections } from './sections.ts'

export const EditMemberPage = ({ path: [memberId = ''] }: { path: readonly string[] }) => (
  <EditPage kind={memberKind} id={memberId} />
)

/** The form for a new member. Counts the members only because the answer shows whether the user may add members. */
export const NewMemberPage = () => {
  const { members: words } = useWords()
  useLoad('new', countMembers)
  useStore(seesOnlyNames)
  return (
    <NewPage
      kind={memberKind}
      sections={[...profileSections(), credentialSection()]}
      create={async (draft, key) =>
        (await callSignedIn(() => members.create(newMemberOf(draft), { key }))).value
      }
      initialValues={() => initialValuesOf(memberExtension() ?? { fields: [] })}
      hint={(refusal) => (isSignIdInUse(refusal) ? words.addedPerhaps : undefined)}
    />
  )
}

const newMemberOf = (draft: Draft) => {
  const credential = {
    signId: draft['credential.signId']?.trim() || null,
    password: draft['credential.password'] || null,
  }
  // The draft may be incomplete. Then the service refuses it, and its messages appear next to the fields.
  return { ...valuesOf(fieldsOf(profileSections()), draft), credential } as unknown as NewMember
}

/** The credential of a new member. */
const credentialSection = (): Section => {
  const { fields, sections, hints } = wordsNow().members
  const [signId, password] = ['credential.signId', 'credential.password'] as const
  return {
    title: sections.access,
    fields: [
      { name: signId, label: fields[signId], kind: 'text', isOptional: true, hint: hints.signId },
      {
        name: password,
        label: fields[password],
        kind: 'password',
        autocomplete: 'new-password',
        hint: hints.password,
      },
    ],
  }
}
