import { connection } from '#console/app/state/connection.ts'
import { useStore } from '#console/app/state/store.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { Track } from '#console/app/ui/track.tsx'
import { formatTime } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'

/** Shown on every page while the service is away or failing. */
export const Banner = () => {
  const words = useWords()
  const { state, since, status = 0, track = '' } = useStore(connection)
  return (
    <div class={state === 'up' ? undefined : 'banner'}>
      {state !== 'up' && <Icon name="warning" />}
      <p class="banner-text" role="status">
        {state !== 'up' && (
          <>
            {state === 'unreachable' ? words.banner.unreachable : words.banner.failing(status)}{' '}
            {words.banner.since(formatTime(since))}
          </>
        )}
      </p>
      {state !== 'up' && <Track id={track} />}
    </div>
  )
}
