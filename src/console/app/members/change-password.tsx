import { useState } from 'preact/hooks'
import type { MemberView } from '#client/index.ts'
import { changeCredential } from '#console/app/api/members.ts'
import { followCredential, isOwn } from '#console/app/sign-in/credential.ts'
import { useFocusOnRefused } from '#console/app/state/focus-on-refused.ts'
import { notify } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { blocksLeaving, useUnsaved } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'
import { meaningOf } from './meaning.ts'
import { quotedName } from './name.ts'

interface ChangePasswordParts {
  readonly member: MemberView
  readonly onClose: () => void
  readonly onChange: () => void
}

/** How the refusal of a sign id in use names the field, whichever form sent it. */
const signIdInUse = 'credential.signId'

/**
 * The sign id may be changed with it, as the service lets either be set only together with a password. It comes first, where
 * password managers look for it. Stays open until the service has answered.
 */
export const ChangePassword = ({ member, onClose, onChange }: ChangePasswordParts) => {
  const { members: words, save, cancel } = useWords()
  const signId = 'credential' in member ? member.credential.signId : ''
  const [newSignId, setNewSignId] = useState(signId)
  const [password, setPassword] = useState('')
  const [current, setCurrent] = useState('')
  const { send, clearFault, isSending, refusal, failure, errors } = useSending([
    'signId',
    signIdInUse,
    'password',
    'currentPassword',
  ])
  // Without a sign-in, no user has a password of their own to prove.
  const isKnown = useStore(session).name !== undefined
  const isMine = isOwn(signId)
  const form = useFocusOnRefused(refusal)
  useUnsaved(password !== '' || current !== '' || newSignId !== signId)
  const close = () => {
    if (!isSending && !blocksLeaving(onClose)) onClose()
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const typed = newSignId.trim()
    const sent = {
      signId: typed === signId ? null : typed || null,
      password: password || null,
      currentPassword: current || null,
    }
    const change = async () => followCredential(await changeCredential(member.memberId, sent), password)
    if (!(await send(change))) return
    notify(words.passwordChanged(quotedName(member)))
    onChange()
    onClose()
  }
  return (
    <Dialog title={words.passwordFor(quotedName(member))} onClose={close}>
      <form ref={form} class="form" onSubmit={submit} noValidate aria-busy={isSending}>
        <TextField
          label={words.fields['credential.signId']}
          note={words.optional}
          hint={words.hints.keptSignId}
          autocomplete="username"
          value={newSignId}
          onType={(text) => {
            clearFault('signId')
            clearFault(signIdInUse)
            setNewSignId(text)
          }}
          isLocked={isSending}
          isSpoken
          error={errors.get('signId') ?? errors.get(signIdInUse)}
        />
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
          isLocked={isSending}
          isSpoken
          isRequired
          isFirst
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
            isLocked={isSending}
            isSpoken
            isRequired={isMine}
            error={errors.get('currentPassword')}
          />
        )}
        {failure && <Failed failure={failure} what={meaningOf(failure, words.unansweredSave, words)} />}
        <div class="dialog-actions">
          <Button text={cancel} kind="quiet" isLocked={isSending} onClick={close} />
          <Button text={save} kind="primary" isSubmit isLocked={isSending} />
        </div>
      </form>
    </Dialog>
  )
}
