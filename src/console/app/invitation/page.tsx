import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { choosePassword, readInvited } from '#console/app/api/invitations.ts'
import { quotedName } from '#console/app/members/name.ts'
import { LanguageChoice, ThemeChoice } from '#console/app/shell/choices.tsx'
import { signInBy } from '#console/app/sign-in/password.ts'
import { useLoad } from '#console/app/state/load.ts'
import { replace } from '#console/app/state/route.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { Seal } from '#console/app/ui/icon.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'
import { useInvitationWords } from './words.ts'

const stay = () => undefined

const enterConsole = () => replace('overview')

/** The page where an invited person chooses a password. It needs no sign-in, and its link works once. */
export const InvitationPage = ({ path: [secret = ''] }: { path: readonly string[] }) => {
  const words = useInvitationWords()
  const [isDone, setDone] = useState(false)
  const { value: invited, failure, reload } = useLoad(secret, async () => readInvited(secret))
  if (isDone) return <Gate title={words.done} text={words.doneText} />
  if (invited) return <PasswordForm {...{ secret, invited }} onDone={() => setDone(true)} />
  if (failure?.status === 401) return <Gate title={words.ended} text={words.endedText} />
  return <Gate title={words.title}>{failure && <Failed failure={failure} onRetry={reload} />}</Gate>
}

interface PasswordFormParts {
  readonly secret: string
  readonly invited: Awaited<ReturnType<typeof readInvited>>
  readonly onDone: () => void
}

/** The form for the password. The sign id comes first, where password managers look for it. With the new password, the person is signed in. */
const PasswordForm = ({ secret, invited, onDone }: PasswordFormParts) => {
  const words = useInvitationWords()
  const { members } = useWords()
  const [password, setPassword] = useState('')
  const sending = useSending(['password'])
  const { send, clearFault, isSending, failure, errors } = sending
  const submit = async () => {
    if (!(await send(() => choosePassword(secret, password)))) return
    await signInBy(invited.signId, password, false).then(enterConsole, onDone)
  }
  return (
    <Gate title={words.title}>
      <Form sending={sending} onSubmit={submit}>
        <p>{words.for(quotedName(invited))}</p>
        <TextField
          label={members.fields['credential.signId']}
          value={invited.signId}
          onType={stay}
          autocomplete="username"
          isLocked
        />
        <TextField
          label={members.fields.password}
          hint={members.hints.password}
          type="password"
          autocomplete="new-password"
          value={password}
          onType={(text) => {
            clearFault('password')
            setPassword(text)
          }}
          error={errors.get('password')}
          isLocked={isSending}
          isSpoken
          isRequired
          isFirst
        />
        {failure && <Failed failure={failure} />}
        <Button text={words.submit} kind="primary" isSubmit isLocked={isSending} />
      </Form>
    </Gate>
  )
}

interface GateParts {
  readonly title: string
  /** Shown when the person only has to sign in. */
  readonly text?: string
  readonly children?: ComponentChildren
}

const Gate = ({ title, text, children }: GateParts) => {
  const words = useInvitationWords()
  return (
    <Dialog key={title} title={title} {...(text && { text })} kind="dialog-gate" onClose={stay}>
      <div class="gate-mark">
        <Seal />
      </div>
      {text ? <Button text={words.toSignIn} kind="primary" onClick={enterConsole} /> : children}
      <div class="row row-wide">
        <LanguageChoice />
        <ThemeChoice />
      </div>
    </Dialog>
  )
}
