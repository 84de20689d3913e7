import { useState } from 'preact/hooks'
import { baseOf, retryingCall } from '#client/call.ts'
import { type Invited, unwrap } from '#client/index.ts'
import { fetchAs } from '#console/app/api/fetch.ts'
import { quotedName } from '#console/app/members/name.ts'
import { signInWithPassword } from '#console/app/sign-in/password.ts'
import { Gate } from '#console/app/sign-in/sign-in.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { replace } from '#console/app/state/route.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Button } from '#console/app/ui/button.tsx'
import { TextField } from '#console/app/ui/fields.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { useWords } from '#console/app/words/index.ts'
import { textsIn } from '#console/app/words/texts.ts'

const enterConsole = () => replace('overview')

/** The page where an invited person chooses a password. It needs no sign-in, and its link works once. */
export const InvitationPage = ({ path: [secret = ''] }: { path: readonly string[] }) => {
  const words = invitationWords()
  const [isDone, setDone] = useState(false)
  const { value: invitation, failure, reload } = useLoad(secret, async () => readInvited(secret))
  const ending = isDone ? words.done : failure?.status === 401 ? words.ended : undefined
  if (invitation && !isDone)
    return <PasswordForm secret={secret} invitation={invitation} onDone={() => setDone(true)} />
  if (ending)
    return (
      <Gate {...ending}>
        <Button text={words.toSignIn} kind="primary" onClick={enterConsole} />
      </Gate>
    )
  return <Gate title={words.title}>{failure && <Failed failure={failure} onRetry={reload} />}</Gate>
}

interface PasswordFormProps {
  readonly secret: string
  readonly invitation: Invited
  readonly onDone: () => void
}

/** The form for the password, which also signs in. The sign id comes first, because password managers expect it there. */
const PasswordForm = ({ secret, invitation, onDone }: PasswordFormProps) => {
  const words = invitationWords()
  const { members } = useWords()
  const [password, setPassword] = useState('')
  const sending = useSending(['password'])
  const { send, clearFault, isSending, failure, errors } = sending
  const submit = async () => {
    if (!(await send(() => choosePassword(secret, password)))) return
    await signInWithPassword(invitation.signId, password, false).then(enterConsole, onDone)
  }
  return (
    <Gate title={words.title}>
      <Form sending={sending} onSubmit={submit}>
        <p>{words.for(quotedName(invitation))}</p>
        <TextField
          label={members.fields['credential.signId']}
          value={invitation.signId}
          onType={() => undefined}
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
          isAnnounced
          isRequired
          hasInitialFocus
        />
        {failure && <Failed failure={failure} />}
        <Button text={words.submit} kind="primary" isSubmit isLocked={isSending} />
      </Form>
    </Gate>
  )
}

/** Calls the service as the person that a link is for. */
const callAs = (secret: string) =>
  retryingCall(baseOf(''), { fetch: fetchAs(`Bearer ${secret}`), retries: 0 })

const apiPath = '/members/me/invitation'

const readInvited = async (secret: string) =>
  unwrap(await callAs(secret)<Invited>({ method: 'GET', path: apiPath })).value

const choosePassword = async (secret: string, password: string) =>
  unwrap(
    await callAs(secret)<Invited>({ method: 'PUT', path: apiPath, body: { password }, isRepeatUnsafe: true }),
  )

const invitationWords = textsIn({
  title: ['Choose a password', 'パスワードを選ぶ'],
  for: (name: string) => [`For ${name}.`, `${name} さん用です。`],
  submit: ['Set the password', 'パスワードを設定'],
  ended: {
    title: ['This link no longer works', 'このリンクは使えません'],
    text: `
      It was used, was replaced by a newer one, or is older than seven days. Ask the sender for a new one.
      すでに使われたか、新しいリンクに置き換えられたか、発行から7日が過ぎています。送った人に新しいリンクを依頼してください。`,
  },
  toSignIn: ['Sign in', 'サインイン'],
  done: {
    title: ['The password is set', 'パスワードを設定しました'],
    text: ['From now on, use it to sign in.', '今後はこのパスワードでサインインしてください。'],
  },
})
