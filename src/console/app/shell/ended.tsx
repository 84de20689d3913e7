import { askNow, session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'

/** Says that one must sign in again, where the page found out by itself: what one does next asks anyway. */
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
        <button type="button" class="button button-small" onClick={askNow}>
          {words.submit}
        </button>
      )}
    </div>
  )
}
