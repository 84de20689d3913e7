import { currentPause } from '#console/app/state/pauses.ts'
import { useStore, useTimePassing } from '#console/app/state/store.ts'
import { useWords } from '#console/app/words/index.ts'
import { Icon } from './icon.tsx'

/** Shows how long the console still waits because the service asked for a pause. Screen readers read only the first number. */
export const PauseNotice = () => {
  const { banner: words } = useWords()
  const pause = useStore(currentPause)
  return (
    <div class={pause ? 'banner banner-kept' : 'banner-none'}>
      {pause && <Icon name="clock" />}
      {pause && <Countdown until={pause.untilMs} />}
      <p class="unseen" role="status">
        {pause && words.waiting(pause.seconds)}
      </p>
    </div>
  )
}

const Countdown = ({ until }: { until: number }) => {
  const { banner: words } = useWords()
  useTimePassing(1_000)
  return (
    <p class="banner-text" aria-hidden="true">
      {words.waiting(Math.max(1, Math.round((until - Date.now()) / 1_000)))}
    </p>
  )
}
