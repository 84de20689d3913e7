import { useState } from 'preact/hooks'
import type { MemberRole, MemberView } from '#client/index.ts'
import { changeRole, readRole } from '#console/app/api/members.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notify } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { session } from '#console/app/state/session.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { useWords } from '#console/app/words/index.ts'
import { quotedName } from './name.ts'

type RoleName = MemberRole['role']

/** The row of a record that shows its role. Nothing for a user who may not see it. */
export const Role = ({ member }: { member: MemberView }) => {
  const { members: words } = useWords()
  const [isOpen, setOpen] = useState(false)
  const { memberId, lastModifiedAt } = member
  const { value: role, reload } = useLoad(`${memberId} ${lastModifiedAt}`, (options) =>
    readRole(memberId, options),
  )
  if (!role) return null
  return (
    <div>
      <dt>{words.role}</dt>
      <dd>
        <span class={role === 'suspended' ? 'role-suspended' : undefined}>{words.roles[role].name}</span>{' '}
        <button type="button" class="text-button" onClick={() => setOpen(true)}>
          {words.changeRole}
          <span class="unseen"> {words.role}</span>
        </button>
        {isOpen && (
          <ChangeRole member={member} role={role} onClose={() => setOpen(false)} onChange={reload} />
        )}
      </dd>
    </div>
  )
}

interface ChangeRoleParts {
  readonly member: MemberView
  readonly role: RoleName
  readonly onClose: () => void
  readonly onChange: () => void
}

const ChangeRole = ({ member, role, onClose, onChange }: ChangeRoleParts) => {
  const { members: words, save, cancel } = useWords()
  const [chosen, setChosen] = useState(role)
  const sending = useSending([])
  const { send, isSending, failure } = sending
  const name = quotedName(member)
  const submit = async () => {
    if (chosen !== role) {
      if (!(await send(() => changeRole(member.memberId, chosen)))) return
      notify(words.roleChanged(name, words.roles[chosen].name))
      onChange()
    }
    onClose()
  }
  return (
    <Dialog title={words.roleOf(name)} onClose={onClose}>
      <Form sending={sending} onSubmit={submit}>
        <div role="radiogroup" aria-label={words.role}>
          {(Object.keys(words.roles) as RoleName[]).map((one) => (
            <label key={one} class="version">
              <input type="radio" name="role" checked={one === chosen} onChange={() => setChosen(one)} />
              <span>
                <strong>{words.roles[one].name}</strong>
                <span class="field-hint role-hint">{words.roles[one].means}</span>
              </span>
            </label>
          ))}
        </div>
        {session.get().memberId === member.memberId && chosen !== role && (
          <p class="field-error">{words.ownRole}</p>
        )}
        {failure && <Failed failure={failure} />}
        <div class="actions">
          <Button text={cancel} kind="quiet" isLocked={isSending} onClick={onClose} />
          <Button text={save} kind="primary" isSubmit isLocked={isSending} />
        </div>
      </Form>
    </Dialog>
  )
}
