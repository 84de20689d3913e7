import { useEffect, useState } from 'preact/hooks'
import type { Challenge } from '#console/app/api/challenge.ts'
import { TextField } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'
import { discover, type Provider } from './discovery.ts'
import { beginSignIn, defaultClientId, lastFailure } from './flow.ts'

interface OAuthParts {
  readonly challenge: Challenge
  readonly wasRefused: boolean
}

/** Sends one to the provider that the service names; one comes back signed in. */
export const OAuthForm = ({ challenge, wasRefused }: OAuthParts) => {
  const { signIn: words, loading } = useWords()
  const [provider, setProvider] = useState<Provider | 'none'>()
  const [clientId, setClientId] = useState(defaultClientId)
  const { metadata } = challenge
  useEffect(() => {
    discover(metadata).then(setProvider, () => setProvider('none'))
  }, [metadata])
  const failure = lastFailure()
  if (provider === undefined) return <p>{loading}</p>
  if (provider === 'none') return <p class="field-error">{words.undiscovered}</p>
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void beginSignIn(provider, clientId)
      }}
    >
      <p>{words.oauth}</p>
      {wasRefused && <p class="field-error">{words.tokenRefused}</p>}
      {failure && (
        <p class="field-error">{words.oauthFailed(failure === 'state' ? words.stateMismatch : failure)}</p>
      )}
      <button type="submit" class="button button-primary">
        {words.goTo(new URL(provider.issuer).host)}
      </button>
      <details class="gate-details">
        <summary>{words.advanced}</summary>
        <TextField label={words.clientId} value={clientId} onType={setClientId} />
      </details>
    </form>
  )
}
