import type { Delivery, Webhook } from '#client/index.ts'
import { allTypes, typeText } from '#console/app/history/labels.ts'
import { useHistoryWords } from '#console/app/history/words.ts'
import { formatMoment, formatNumber } from '#console/app/words/format.ts'
import { useWebhookWords, type WebhookWords } from './words.ts'

/** What the receiver answered, or why it did not. What has no words here is said as the service does. */
const answerText = (status: number | null, error: string | null, words: WebhookWords) => {
  const known = Object.entries(words.errors).find(([part]) => error?.includes(part))
  const [code] = /^[A-Z_]+(?=:)/.exec(error ?? '') ?? []
  const said = known && code ? `${known[1]} (${code})` : (known?.[1] ?? error)
  return [status !== null && words.answered(status), said].filter(Boolean).join(': ')
}

/** What became of a request. */
export const outcomeText = ({ status, error, milliseconds }: Delivery, words: WebhookWords) =>
  words.after(answerText(status, error, words), formatNumber(milliseconds))

/** The service counts no further. */
const maxPending = 1_000

/** What a webhook gets, and how that goes. Only what is wrong is marked. */
export const DeliveryState = ({ webhook }: { webhook: Webhook }) => {
  const words = useWebhookWords()
  const past = useHistoryWords()
  const { active, types, pending, lastStatus } = webhook
  const since = formatMoment(webhook.since)
  const answer = answerText(lastStatus, webhook.lastError, words)
  const states = {
    delivering: [words.delivering, undefined],
    retrying: [words.retrying(since, answer), 'soon'],
    disabled: [words.disabled(since, answer), 'wrong'],
    lapsed: [words.lapsed(since), 'wrong'],
  } as const
  const [text, mark] = active ? states[webhook.state] : [words.off]
  const count = pending === null ? '?' : formatNumber(pending) + (pending < maxPending ? '' : '+')
  return (
    <>
      <p>{types?.map((type) => typeText(type, past)).join(' · ') ?? past.all}</p>
      <p class="past-meta">
        <span class={mark}>{text}</span>
        <span>{words.waiting(count)}</span>
        {lastStatus !== null && !text.includes(answer) && <span>{answer}</span>}
      </p>
    </>
  )
}

const isTaken = ({ status }: Delivery) => status !== null && status >= 200 && status < 300

/** Those that are kept, newest first. */
export const Deliveries = ({ list }: { list: readonly Delivery[] }) => {
  const words = useWebhookWords()
  const texts = allTypes(useHistoryWords())
  return (
    <section class="stack">
      <h2>{words.deliveries}</h2>
      <ol class="sheet" aria-label={words.deliveries}>
        {list.map((delivery) => (
          <li key={delivery.deliveryId} class="past past-meta soft">
            <time dateTime={delivery.sentAt}>{formatMoment(delivery.sentAt)}</time>
            <strong>{texts[delivery.type] ?? words.test}</strong>
            <span class={isTaken(delivery) ? undefined : 'wrong'}>{outcomeText(delivery, words)}</span>
            {delivery.attempt > 1 && <span>{words.attempt(delivery.attempt)}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}
