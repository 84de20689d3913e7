import { useState } from 'preact/hooks'
import type { MemberView } from '#client/index.ts'
import { changeCredential } from '#console/app/api/members.ts'
import { followPassword, isOwn } from '#console/app/sign-in/credential.ts'
import { useFocusOnRefused } from '#console/app/state/focus-on-refused.ts'
import { notify } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'
import { nameOf } from './name.ts'

interface ChangePasswordParts {
  readonly member: MemberView
  readonly onClose: () => void
  readonly onChange: () => void
}

export const ChangePassword = ({ member, onClose, onChange }: ChangePasswordParts) => {
  const { members: words, save, cancel } = useWords()
  const [password, setPassword] = useState('')
  const [current, setCurrent] = useState('')
  const { send, clearFault, isSending, refusal, failure, errors } = useSending([
    'password',
    'currentPassword',
  ])
  // Without a sign-in, no user has a password of their own to prove.
  const isKnown = useStore(session).name !== undefined
  const isMine = 'credential' in member && isOwn(member.credential.signId)
  const form = useFocusOnRefused(refusal)
  const submit = async (event: Event) => {
    event.preventDefault()
    const sent = { password: password || null, currentPassword: current || null }
    const change = async () => {
      const { credential } = await changeCredential(member.memberId, sent)
      followPassword(credential.signId, password)
    }
    if (!(await send(change))) return
    notify(words.passwordChanged(nameOf(member)))
    onChange()
    onClose()
  }
  return (
    <Dialog title={words.passwordFor(nameOf(member))} onClose={onClose}>
      <form ref={form} class="form" onSubmit={submit} noValidate>
        {'credential' in member && (
          <input hidden readOnly autocomplete="username" value={member.credential.signId} />
        )}
        <TextField
          label={words.fields.password}
          hint={words.hints.password}
          type="password"
          autocomplete="new-password"
          value={password}
          onType={(text) => {
            clearFault('password')
            setPassword(text)
          }}
          isSpoken
          error={errors.get('password')}
        />
        {isKnown && (
          <TextField
            label={words.fields.currentPassword}
            {...(!isMine && { note: words.optional, hint: words.hints.currentPassword })}
            type="password"
            autocomplete="current-password"
            value={current}
            onType={(text) => {
              clearFault('currentPassword')
              setCurrent(text)
            }}
            isSpoken
            error={errors.get('currentPassword')}
          />
        )}
        {failure && <Failed failure={failure} />}
        <div class="dialog-actions">
          <button type="button" class="button button-quiet" onClick={onClose}>
            {cancel}
          </button>
          <button type="submit" class="button button-primary" aria-disabled={isSending}>
            {save}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
