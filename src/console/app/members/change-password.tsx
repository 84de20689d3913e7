import { useState } from 'preact/hooks'
import type { Member, MemberView } from '#client/index.ts'
import { callSignedIn, members } from '#console/app/api/call.ts'
import { failureText } from '#console/app/records/kind.ts'
import { signInWithPassword } from '#console/app/sign-in/password.ts'
import { notifyWithoutUndo } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { isSignInLasting, session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { blocksLeaving, useUnsaved } from '#console/app/state/unsaved.ts'
import { FormDialog } from '#console/app/ui/dialog.tsx'
import { TextField } from '#console/app/ui/fields.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { fold } from '#core/fold.ts'
import { memberKind } from './kind.ts'
import { quotedName } from './name.ts'

interface ChangePasswordProps {
  readonly member: MemberView
  readonly onClose: () => void
  readonly onChange: () => void
}

/**
 * Changes the password, the sign id, or both. The request has only the changed values. The field of the sign id comes first,
 * because password managers expect it there. The dialog stays open until the service has answered.
 */
export const ChangePassword = ({ member, onClose, onChange }: ChangePasswordProps) => {
  const { members: words, form, save } = useWords()
  const signId = 'credential' in member ? member.credential.signId : ''
  // Holds the sign id from when the dialog opened, because somebody else may change the sign id meanwhile.
  const [before] = useState({ 'credential.signId': signId, password: '', currentPassword: '' })
  const [typed, setTyped] = useState(before)
  const names = Object.keys(before) as (keyof typeof before)[]
  const sending = useSending([...names, 'signId'])
  const { send, clearFault, isSending, failure, errors } = sending
  // A user who is not signed in has no current password to type.
  const isSignedIn = useStore(session).name !== undefined
  const isOwnPassword = isSignedInAs(signId)
  useUnsaved(names.some((name) => typed[name] !== before[name]))
  const close = () => {
    if (!blocksLeaving(onClose)) onClose()
  }
  const newSignId = typed['credential.signId'].trim()
  const keepsSignId = newSignId === '' || newSignId === before['credential.signId']
  const change = async () => {
    const { password, currentPassword } = typed
    const change = {
      ...(!keepsSignId && { signId: newSignId }),
      ...((password || keepsSignId) && { password }),
      ...(currentPassword && { currentPassword }),
    }
    const { value } = await callSignedIn(() => members.patchCredential(member.memberId, change))
    await signInAgain(value, password || currentPassword)
  }
  const submit = async () => {
    if (!(await send(change))) return
    const name = quotedName(member)
    notifyWithoutUndo(
      typed.password ? words.passwordChanged(name) : words.signIdChanged(name, isolate(newSignId)),
    )
    onChange()
    onClose()
  }
  const propsOf = (name: keyof typeof before) => ({
    label: words.fields[name],
    value: typed[name],
    error: errors.get(name),
    isLocked: isSending,
    isAnnounced: true,
    onType(text: string) {
      clearFault(name)
      clearFault('signId')
      setTyped((now) => ({ ...now, [name]: text }))
    },
  })
  const signIdProps = propsOf('credential.signId')
  return (
    <FormDialog
      title={words.passwordFor(quotedName(member))}
      submit={save}
      sending={sending}
      unansweredText={failure && failureText(memberKind, failure, form.unansweredSave)}
      onSubmit={submit}
      onClose={close}
    >
      <TextField
        {...signIdProps}
        note={form.optional}
        hint={words.hints.keptSignId}
        autocomplete="username"
        error={signIdProps.error ?? errors.get('signId')}
      />
      <TextField
        {...propsOf('password')}
        hint={words.hints.password}
        type="password"
        autocomplete="new-password"
        isRequired={keepsSignId}
        hasInitialFocus
      />
      {isSignedIn && (
        <TextField
          {...propsOf('currentPassword')}
          {...(!isOwnPassword && { note: form.optional, hint: words.hints.currentPassword })}
          type="password"
          autocomplete="current-password"
          isRequired={isOwnPassword}
        />
      )}
    </FormDialog>
  )
}

const isSignedInAs = (signId: string) => {
  const { name } = session.get()
  return name !== undefined && fold(name) === fold(signId)
}

/** If users have changed their own credential, signs them in again. If that fails, the console asks for the new password. */
const signInAgain = async ({ memberId, credential: { signId } }: Member, password: string) => {
  if (session.get().memberId !== memberId) return
  await signInWithPassword(signId, password, isSignInLasting()).catch(() => undefined)
}
