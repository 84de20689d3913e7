import { useState } from 'preact/hooks'
import { rollcall, unwrap } from '#client/index.ts'
import { basic } from '#client/sending.ts'
import { wireAs } from '#console/app/api/wire.ts'
import { useFocusOnRefused } from '#console/app/state/focus-on-refused.ts'
import { useSending } from '#console/app/state/sending.ts'
import { signIn } from '#console/app/state/session.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'

/** Checks the credential with the service before signing in. The administrator is not a member, and so has no id. */
const ownId = async (authorization: string): Promise<string | undefined> => {
  const { members } = rollcall('', { fetch: wireAs(authorization), retries: 0 })
  const own = await members.get('me')
  return !own.ok && own.code === 'e.xx.yy.5001' ? undefined : unwrap(own).value.memberId
}

export const BasicForm = ({ wasRefused }: { wasRefused: boolean }) => {
  const { signIn: words } = useWords()
  const [signId, setSignId] = useState('')
  const [password, setPassword] = useState('')
  const { send, isSending, failure } = useSending([])
  const form = useFocusOnRefused(failure)
  const submit = async (event: Event) => {
    event.preventDefault()
    const authorization = basic(signId, password)
    await send(async () => signIn({ name: signId, authorization, memberId: await ownId(authorization) }))
  }
  return (
    <form ref={form} class="form" onSubmit={submit} noValidate>
      <p>{words.basic}</p>
      {wasRefused && !failure && (
        <p class="field-error" role="alert">
          {words.tokenRefused}
        </p>
      )}
      <TextField label={words.signId} autocomplete="username" value={signId} onType={setSignId} isRequired />
      <TextField
        label={words.password}
        type="password"
        autocomplete="current-password"
        value={password}
        onType={setPassword}
        isSpoken
        isRequired
        error={failure?.status === 401 ? words.refused : undefined}
      />
      {failure && failure.status !== 401 && <Failed failure={failure} />}
      <Button text={words.submit} kind="primary" isSubmit isLocked={isSending} />
    </form>
  )
}
