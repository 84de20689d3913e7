import { useEffect, useState } from 'preact/hooks'
import type { Challenge } from '#console/app/api/challenge.ts'
import { Button } from '#console/app/ui/button.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { useWords, type Words } from '#console/app/words/index.ts'
import { messageOf } from '#core/cause.ts'
import { discover, type Provider } from './discovery.ts'
import { beginSignIn, defaultClientId, insecure, lastFailure, unanswered } from './flow.ts'

interface OAuthParts {
  readonly challenge: Challenge
  readonly wasRefused: boolean
}

/** Sends the user to the provider that the service names, from which the user returns signed in. */
export const OAuthForm = ({ challenge, wasRefused }: OAuthParts) => {
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
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        setFailure(undefined)
        beginSignIn(provider, clientId).catch((error) => setFailure(messageOf(error)))
      }}
    >
      <p>{words.oauth}</p>
      {wasRefused && <p class="field-error">{words.tokenRefused}</p>}
      {failure && (
        <p class="field-error" role="alert">
          {failureText(failure, words)}
        </p>
      )}
      <Button text={words.goTo(new URL(provider.issuer).host)} kind="primary" isSubmit />
      <details class="gate-details">
        <summary>{words.advanced}</summary>
        <TextField label={words.clientId} value={clientId} onType={setClientId} isRequired />
      </details>
    </form>
  )
}

const failureText = (failure: string, words: Words['signIn']) => {
  if (failure === insecure) return words.insecure
  if (failure === unanswered) return words.unanswered
  return words.oauthFailed(failure === 'state' ? words.stateMismatch : failure)
}
