import { session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Mark } from '#console/app/ui/mark.tsx'
import { useWords } from '#console/app/words/index.ts'
import { BasicForm } from './basic.tsx'
import { OAuthForm } from './oauth.tsx'

const stay = () => undefined

/** Covers everything while the service requires a sign-in. */
export const SignIn = () => {
  const { signIn: words } = useWords()
  const { challenge, wasRefused = false } = useStore(session)
  if (!challenge) return null
  return (
    <Dialog title={words.title} kind="dialog-gate" onClose={stay}>
      <div class="gate-mark">
        <Mark />
      </div>
      {challenge.scheme === 'basic' ? (
        <BasicForm wasRefused={wasRefused} />
      ) : (
        <OAuthForm challenge={challenge} wasRefused={wasRefused} />
      )}
      <p class="gate-note">{words.memory}</p>
    </Dialog>
  )
}
