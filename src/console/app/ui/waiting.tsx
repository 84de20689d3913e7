import { useStore, useTimePassing } from '#console/app/state/store.ts'
import { wait } from '#console/app/state/waiting.ts'
import { useWords } from '#console/app/words/index.ts'
import { Icon } from './icon.tsx'

/** Shows how long the service asked the console to wait. Screen readers read only the start of the countdown. */
export const Waiting = () => {
  const { banner: words } = useWords()
  const now = useStore(wait)
  return (
    <div class={now ? 'banner banner-kept' : 'banner-none'}>
      {now && <Icon name="clock" />}
      {now && <Countdown until={now.until} />}
      <p class="unseen" role="status">
        {now && words.waiting(now.seconds)}
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
