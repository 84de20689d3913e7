import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Challenge } from '#console/app/api/fetch.ts'
import { LanguageChoice, ThemeChoice } from '#console/app/shell/choices.tsx'
import { useSending } from '#console/app/state/sending.ts'
import { session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { TextField } from '#console/app/ui/fields.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { Seal } from '#console/app/ui/icon.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { useWords, type Words } from '#console/app/words/index.ts'
import { messageOf } from '#core/cause.ts'
import { discover, type Provider } from './discovery.ts'
import { beginSignIn, defaultClientId, insecure, lastFailure, noAnswer } from './flow.ts'
import { signInWithPassword } from './password.ts'

/** The sign-in dialog, which covers everything while the service requires a sign-in. */
export const SignIn = () => {
  const { signIn: words } = useWords()
  const { challenge, wasRefused = false, formerName } = useStore(session)
  if (!challenge) return null
  return (
    <Gate title={words.title}>
      {challenge.scheme === 'basic' ? (
        <BasicForm wasRefused={wasRefused} formerSignId={formerName} />
      ) : (
        <OAuthForm challenge={challenge} wasRefused={wasRefused} />
      )}
      <p class="soft">{challenge.scheme === 'basic' ? words.basicNote : words.oauthNote}</p>
    </Gate>
  )
}

interface GateProps {
  readonly title: string
  readonly text?: string | undefined
  readonly children: ComponentChildren
}

/** Covers everything, and is not closed by Escape. */
export const Gate = ({ title, text, children }: GateProps) => (
  <Dialog key={title} title={title} text={text} kind="dialog-gate" onClose={() => undefined}>
    <div class="gate-mark">
      <Seal />
    </div>
    {children}
    <div class="row row-wide">
      <LanguageChoice />
      <ThemeChoice />
    </div>
  </Dialog>
)

interface BasicFormProps {
  readonly wasRefused: boolean
  readonly formerSignId: string | undefined
}

const BasicForm = ({ wasRefused, formerSignId = '' }: BasicFormProps) => {
  const { signIn: words, members } = useWords()
  const [signId, setSignId] = useState(formerSignId)
  const [password, setPassword] = useState('')
  const [isLasting, setLasting] = useState(false)
  const sending = useSending([])
  const { send, isSending, failure } = sending
  const submit = () => send(() => signInWithPassword(signId, password, isLasting))
  return (
    <Form sending={sending} onSubmit={submit}>
      <p>{words.basic}</p>
      {wasRefused && !failure && (
        <p class="field-error" role="alert">
          {words.tokenRefused}
        </p>
      )}
      <TextField
        label={members.fields['credential.signId']}
        autocomplete="username"
        value={signId}
        onType={setSignId}
        isRequired
      />
      <TextField
        label={members.fields['credential.password']}
        type="password"
        autocomplete="current-password"
        value={password}
        onType={setPassword}
        isAnnounced
        isRequired
        hasInitialFocus={formerSignId !== ''}
        error={failure?.status === 401 ? words.refused : undefined}
      />
      <label class="gate-stay row">
        <input
          type="checkbox"
          checked={isLasting}
          onChange={(event) => setLasting(event.currentTarget.checked)}
        />
        {words.stay}
      </label>
      {failure && failure.status !== 401 && <Failed failure={failure} />}
      <Button text={words.submit} kind="primary" isSubmit isLocked={isSending} />
    </Form>
  )
}

/** A button that leads to the provider that the service names. The user returns from there signed in. */
const OAuthForm = ({ challenge, wasRefused }: { challenge: Challenge; wasRefused: boolean }) => {
  const { signIn: words, loading } = useWords()
  const [provider, setProvider] = useState<Provider | 'none'>()
  const [clientId, setClientId] = useState(defaultClientId)
  const { metadata } = challenge
  useEffect(() => {
    discover(metadata).then(setProvider, () => setProvider('none'))
  }, [metadata])
  const [failure, setFailure] = useState(lastFailure)
  if (provider === undefined) return <p>{loading}</p>
  if (provider === 'none') return <p class="field-error">{words.undiscovered}</p>
  const submit = () => {
    setFailure(undefined)
    return beginSignIn(provider, clientId).catch((error) => setFailure(messageOf(error)))
  }
  return (
    <Form onSubmit={submit}>
      <p>{words.oauth}</p>
      {wasRefused && <p class="field-error">{words.tokenRefused}</p>}
      {failure && (
        <p class="field-error" role="alert">
          {failureText(failure, words)}
        </p>
      )}
      <Button text={words.goTo(new URL(provider.issuer).host)} kind="primary" isSubmit />
      <details class="gate-details">
        <summary class="soft">{words.registration}</summary>
        <TextField label={words.clientId} value={clientId} onType={setClientId} isRequired />
      </details>
    </Form>
  )
}

const failureText = (failure: string, words: Words['signIn']) => {
  if (failure === insecure) return words.insecure
  if (failure === noAnswer) return words.unanswered
  return words.oauthFailed(failure === 'state' ? words.stateMismatch : failure)
}
