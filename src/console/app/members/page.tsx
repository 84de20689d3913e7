import { useState } from 'preact/hooks'
import type { Invitation, MemberRole, MemberView, SeenMember } from '#client/index.ts'
import { callSignedIn, members, readSignedIn } from '#console/app/api/call.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { ListPage } from '#console/app/records/list.tsx'
import { RecordPage, type RecordProps } from '#console/app/records/record-page.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { notify } from '#console/app/state/notes.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { reportNotDone } from '#console/app/ui/bulk.ts'
import { Button } from '#console/app/ui/button.tsx'
import { SecretDialog, useQuestion } from '#console/app/ui/dialog.tsx'
import { Choices } from '#console/app/ui/fields.tsx'
import { useLazy } from '#console/app/ui/lazy.tsx'
import { optionsOf } from '#console/app/ui/segments.tsx'
import { formatDateTime, useWords } from '#console/app/words/index.ts'
import { memberKind } from './kind.ts'
import { quotedName } from './name.ts'

export const MembersPage = () => {
  const { pages } = useWords()
  useStore(seesOnlyNames)
  const importButton = { text: pages.import, href: hrefTo('import') }
  return <ListPage kind={memberKind} emptyButton={importButton} rows={useRoleRow()} />
}

/** The row with the role, for those who may give roles. */
const useRoleRow = (): RecordProps['rows'] => {
  const { members: words } = useWords()
  const canGiveRoles = !useStore(seesOnlyNames)
  return (member, { title }) =>
    canGiveRoles && title === words.sections.access && <Role member={member as SeenMember} />
}

/** The page of a member. A user who sees only the name gets no actions. */
export const MemberPage = ({ memberId }: { memberId: string }) => (
  <RecordPage
    kind={memberKind}
    id={memberId}
    actions={({ value }, onDone) => (
      <>
        <PasswordButton member={value as SeenMember} onChange={() => onDone()} />
        <InviteButton member={value as SeenMember} />
      </>
    )}
    rows={useRoleRow()}
  />
)

const PasswordButton = ({ member, onChange }: { member: SeenMember; onChange: () => void }) => {
  const { members: words } = useWords()
  const { Component: ChangePassword, open, close } = useLazy('ChangePassword', words.changePassword)
  return (
    <>
      <Button icon="key" text={words.changePassword} onClick={open} />
      {ChangePassword && <ChangePassword member={member} onClose={close} onChange={onChange} />}
    </>
  )
}

/** Makes a link by which the member chooses a password, and shows it once. */
const InviteButton = ({ member }: { member: SeenMember }) => {
  const { members: words } = useWords()
  const canInvite = !useStore(seesOnlyNames)
  const { ask, question } = useQuestion()
  const [invitation, setInvitation] = useState<Invitation>()
  const name = quotedName(member)
  const { title, text, submit, made: linkText, link, failed } = words.inviting
  const invite = () => callSignedIn(() => members.invite(member.memberId))
  const onYes = () => invite().then(({ value }) => setInvitation(value), reportNotDone(failed(name)))
  if (!canInvite) return null
  return (
    <>
      <Button
        icon="send"
        text={words.invite}
        onClick={() => ask({ title: title(name), text, yes: submit, kind: 'primary', onYes })}
      />
      {question}
      {invitation && (
        <SecretDialog
          title={title(name)}
          text={linkText(formatDateTime(invitation.expiresAt))}
          secret={invitation.url}
          label={link}
          onClose={() => setInvitation(undefined)}
        />
      )}
    </>
  )
}

type RoleName = MemberRole['role']

/** The row with the role of a member and a control to change it. Hidden if the user may not see roles. */
const Role = ({ member }: { member: MemberView }) => {
  const { members: words } = useWords()
  const { ask, question } = useQuestion()
  const { memberId, lastModifiedAt } = member
  const { value, reload } = useLoad(`${memberId} ${lastModifiedAt}`, (options) =>
    readSignedIn((init) => members.getRole(memberId, init), options),
  )
  if (!value) return null
  const { role } = value.value
  const names = words.roles
  const change = (from: RoleName, to: RoleName) =>
    callSignedIn(() => members.changeRole(memberId, { role: to })).then(
      () => {
        const undo = () => void change(to, from)
        notify(words.roleChanged(quotedName(member), names[from], names[to]), { undo, focusId: memberId })
        reload()
      },
      reportNotDone(words.failedRole(quotedName(member))),
    )
  const choose = (to: RoleName) =>
    ask({
      title: words.roleOf(quotedName(member), names[to]),
      text: words.roleMeanings[to],
      yes: names[to],
      kind: to === 'suspended' ? 'danger' : 'primary',
      onYes: () => change(role, to),
    })
  return (
    <div>
      <dt>{words.role}</dt>
      <dd>
        <Choices
          attached={{ 'aria-label': words.role }}
          value={role}
          choices={optionsOf(names)}
          onChoose={(to) => choose(to as RoleName)}
        />
        {question}
      </dd>
    </div>
  )
}
