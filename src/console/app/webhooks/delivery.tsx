import type { Delivery, Webhook } from '#client/index.ts'
import { ask, askForRead, webhooks } from '#console/app/api/ask.ts'
import { runOn } from '#console/app/declared/actions.tsx'
import { allTypes } from '#console/app/history/labels.ts'
import { historyWords } from '#console/app/history/words.ts'
import type { Kind, KnownItem } from '#console/app/records/kind.ts'
import { useLoad } from '#console/app/state/load.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { formatMoment, formatNumber } from '#console/app/words/format.ts'
import { isolated } from '#console/app/words/visible.ts'
import { type WebhookWords, webhookWords } from './words.ts'

/** The answer of the receiver, or why there was none. Errors without a text here are shown in the words of the service. */
const answerText = (status: number | null, error: string | null, words: WebhookWords) => {
  const known = Object.entries(words.errors).find(([part]) => error?.includes(part))
  const [code] = /^[A-Z_]+(?=:)/.exec(error ?? '') ?? []
  const said = known && code ? `${known[1]} (${code})` : (known?.[1] ?? error)
  return [status !== null && words.answered(status), said].filter(Boolean).join(': ')
}

/** The result of a request. */
export const outcomeText = ({ status, error, milliseconds }: Delivery) => {
  const words = webhookWords()
  return words.after(answerText(status, error, words), formatNumber(milliseconds))
}

/** The service does not count beyond this. */
const maxPending = 1_000

/** The state of the delivery. Only failures are marked. */
export const DeliveryState = ({ webhook }: { webhook: Webhook }) => {
  const words = webhookWords()
  const { active, pending, lastStatus } = webhook
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
      <span class={mark}>{text}</span> · <span>{words.waiting(count)}</span>
      {lastStatus !== null && !text.includes(answer) && (
        <>
          {' '}
          · <span>{answer}</span>
        </>
      )}
    </>
  )
}

/** The feed tells of a webhook, but not of its deliveries. */
export const live = { isAlsoAsked: true, everyMs: 4_000 }

interface DeliveriesParts {
  readonly kind: Kind
  readonly known: KnownItem
  readonly onDone: () => void
}

/** Buttons to continue from another place, and the latest deliveries, newest first. */
export const Deliveries = ({ kind, known, onDone }: DeliveriesParts) => {
  const words = webhookWords()
  const { ask: askFirst, question } = useQuestion()
  const id = kind.idOf(known.value)
  const { value, failure, reload } = useLoad(
    `deliveries ${id}`,
    async (options) =>
      (await askForRead(() => webhooks.getDeliveries(id, { signal: options.signal }), options)).value.content,
    { of: [id], ...live },
  )
  const moves = {
    here: () => webhooks.move(id),
    latest: () => webhooks.move(id, { after: 'latest' }),
    oldest: () => webhooks.move(id, { after: 'oldest' }),
  } as const
  const askMove = (place: keyof typeof moves) => {
    const [yes, text] = words.moves[place]
    const title = `${yes}: ${isolated(kind.titleOf(known.value))}`
    const onYes = () => runOn({ kind, known, onDone, text: yes }, () => ask(moves[place]))
    askFirst({ title, text, yes, kind: 'primary', onYes })
  }
  return (
    <section class="stack">
      <h2>{words.deliveries}</h2>
      <fieldset class="actions scopes" aria-label={words.goOn}>
        <span class="soft">{words.goOn}</span>
        {(['here', 'latest', 'oldest'] as const).map((place) => (
          <Button key={place} kind="small" text={words.moves[place][0]} onClick={() => askMove(place)} />
        ))}
      </fieldset>
      {failure && <Failed failure={failure} onRetry={reload} />}
      {value && value.length > 0 && <DeliveryList list={value} />}
      {question}
    </section>
  )
}

const isTaken = ({ status }: Delivery) => status !== null && status >= 200 && status < 300

const DeliveryList = ({ list }: { list: readonly Delivery[] }) => {
  const words = webhookWords()
  const texts = allTypes(historyWords())
  return (
    <ol class="sheet" aria-label={words.deliveries}>
      {list.map((delivery) => (
        <li key={delivery.deliveryId} class="past past-meta soft">
          <time dateTime={delivery.sentAt}>{formatMoment(delivery.sentAt)}</time>
          <strong>{texts[delivery.type] ?? words.test}</strong>
          <span class={isTaken(delivery) ? undefined : 'wrong'}>{outcomeText(delivery)}</span>
          {delivery.attempt > 1 && <span>{words.attempt(delivery.attempt)}</span>}
        </li>
      ))}
    </ol>
  )
}
