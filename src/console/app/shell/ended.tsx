import { promptSignIn, session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'

/** Says that a new sign-in is needed, if a background read found that out. Any action of the user asks for it anyway. */
export const Ended = () => {
  const { signIn: words } = useWords()
  const { ended } = useStore(session)
  return (
    <div class={ended && 'banner'}>
      {ended && <Icon name="key" />}
      <p class="banner-text" role="status">
        {ended && words.ended}
      </p>
      {ended && (
        <button type="button" class="button button-small" onClick={promptSignIn}>
          {words.submit}
        </button>
      )}
    </div>
  )
}
