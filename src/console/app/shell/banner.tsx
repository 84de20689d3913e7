import { connection } from '#console/app/state/connection.ts'
import { useStore } from '#console/app/state/store.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { Track } from '#console/app/ui/track.tsx'
import { formatTime } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'

/** Says on every page that the service is away or failing, for as long as it is. */
export const Banner = () => {
  const words = useWords()
  const { state, since, status = 0, track = '' } = useStore(connection)
  return (
    <div role="status">
      {state !== 'up' && (
        <div class="banner">
          <Icon name="warning" />
          <p class="banner-text">
            {state === 'unreachable' ? words.banner.unreachable : words.banner.failing(status)}{' '}
            {words.banner.since(formatTime(since))}
          </p>
          <Track id={track} />
        </div>
      )}
    </div>
  )
}
