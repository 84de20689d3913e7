import { useState } from 'preact/hooks'
import type { Delivery, Webhook } from '#client/index.ts'
import { callSignedIn, readSignedIn, webhooks } from '#console/app/api/call.ts'
import { runAction } from '#console/app/declared/actions.tsx'
import type { RecordViewProps } from '#console/app/declared/kind.ts'
import { Code } from '#console/app/documents/prose.tsx'
import { changeTypeLabels } from '#console/app/history/labels.ts'
import { historyWords } from '#console/app/history/words.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notify, reportAs } from '#console/app/state/notes.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Copy, Failed } from '#console/app/ui/message.tsx'
import { formatMoment, formatNumber } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { type WebhookWords, webhookWords } from './words.ts'

/** The answer of the receiver, or the reason why there was none. An error that the console does not translate is shown as the service wrote it. */
const answerText = (status: number | null, error: string | null, words: WebhookWords) => {
  const translated = Object.entries(words.errors).find(([part]) => error?.includes(part))
  const [code] = /^[A-Z_]+(?=:)/.exec(error ?? '') ?? []
  const errorText = translated && code ? `${translated[1]} (${code})` : (translated?.[1] ?? error)
  return [status !== null && words.answered(status), errorText].filter(Boolean).join(': ')
}

export const outcomeText = ({ status, error, milliseconds }: Delivery) => {
  const words = webhookWords()
  return words.after(answerText(status, error, words), formatNumber(milliseconds))
}

/** The number up to which the service counts pending changes. */
const maxPending = 1_000

export const DeliveryState = ({ webhook }: { webhook: Webhook }) => {
  const words = webhookWords()
  const { active, pending, lastStatus } = webhook
  const since = formatMoment(webhook.since)
  const answer = answerText(lastStatus, webhook.lastError, words)
  const states = {
    delivering: [words.delivering, undefined],
    retrying: [words.retrying(since, answer), 'warning'],
    disabled: [words.disabled(since, answer), 'wrong'],
    lapsed: [words.lapsed(since), 'wrong'],
  } as const
  const [text, cssClass] = active ? states[webhook.state] : [words.off]
  const count = pending === null ? '?' : formatNumber(pending) + (pending < maxPending ? '' : '+')
  return (
    <>
      <span class={cssClass}>{text}</span> · <span>{words.waiting(count)}</span>
      {lastStatus !== null && !text.includes(answer) && (
        <>
          {' '}
          · <span>{answer}</span>
        </>
      )}
    </>
  )
}

/** The feed has no deliveries, so deliveries are polled. */
export const deliveryPolling = { isAlsoPolled: true, pollMs: 4_000 }

/** Buttons to continue sending from another position, and the latest deliveries, newest first. */
export const Deliveries = ({ kind, shown, onDone }: RecordViewProps) => {
  const words = webhookWords()
  const { ask, question } = useQuestion()
  const id = kind.idOf(shown.value)
  const { value, failure, reload } = useLoad(
    `deliveries ${id}`,
    async (options) =>
      (await readSignedIn((init) => webhooks.getDeliveries(id, init), options)).value.content,
    { reloadOn: [id], ...deliveryPolling },
  )
  const moves = {
    here: () => webhooks.move(id),
    latest: () => webhooks.move(id, { after: 'latest' }),
    oldest: () => webhooks.move(id, { after: 'oldest' }),
  } as const
  const askMove = (place: keyof typeof moves) => {
    const { title: yes, meaning: text } = words.moves[place]
    const title = `${yes}: ${isolate(kind.titleOf(shown.value))}`
    const onYes = () => runAction({ kind, shown, onDone, text: yes }, () => callSignedIn(moves[place]))
    ask({ title, text, yes, kind: 'primary', onYes })
  }
  return (
    <section class="stack">
      <h2>{words.deliveries}</h2>
      <fieldset class="actions scopes" aria-label={words.continueFrom}>
        <span class="soft">{words.continueFrom}</span>
        {(['here', 'latest', 'oldest'] as const).map((place) => (
          <Button key={place} kind="small" text={words.moves[place].title} onClick={() => askMove(place)} />
        ))}
      </fieldset>
      {failure && <Failed failure={failure} onRetry={reload} />}
      {value && value.length > 0 && (
        <DeliveryList id={id} list={value} maySeeBody={kind.may('update')} onSent={reload} />
      )}
      {question}
    </section>
  )
}

const isAccepted = ({ status }: Delivery) => status !== null && status >= 200 && status < 300

interface ListProps {
  readonly id: string
  readonly list: readonly Delivery[]
  readonly maySeeBody: boolean
  readonly onSent: () => void
}

const DeliveryList = ({ id, list, maySeeBody, onSent }: ListProps) => {
  const words = webhookWords()
  const texts = changeTypeLabels(historyWords())
  return (
    <ol class="sheet" aria-label={words.deliveries}>
      {list.map((delivery) => (
        <li key={delivery.deliveryId} class="past past-meta soft">
          <time dateTime={delivery.sentAt}>{formatMoment(delivery.sentAt)}</time>
          <strong>{texts[delivery.type] ?? words.test}</strong>
          <span class={isAccepted(delivery) ? undefined : 'wrong'}>{outcomeText(delivery)}</span>
          {delivery.attempt > 1 && <span>{words.attempt(delivery.attempt)}</span>}
          {maySeeBody && <SentBody id={id} delivery={delivery} onSent={onSent} />}
        </li>
      ))}
    </ol>
  )
}

interface SentProps extends Pick<ListProps, 'id' | 'onSent'> {
  readonly delivery: Delivery
}

/** The sent body, which is read when the user opens it, and a button to send it again. */
const SentBody = ({ id, delivery: { deliveryId }, onSent }: SentProps) => {
  const words = webhookWords()
  const [body, setBody] = useState<string | null>()
  const attempt = <T,>(label: string, work: () => Promise<T>, then: (done: T) => void) =>
    work().then(then, reportAs(label))
  const read = () =>
    attempt(
      words.body,
      () => callSignedIn(() => webhooks.getDelivery(id, deliveryId)),
      ({ value }) => setBody(value.body),
    )
  const resend = () =>
    attempt(
      words.resend,
      () => callSignedIn(() => webhooks.resend(id, deliveryId)),
      ({ value }) => {
        notify(`${words.resend}: ${outcomeText(value)}`)
        onSent()
      },
    )
  return (
    <details class="sent" onToggle={({ currentTarget }) => currentTarget.open && read()}>
      <summary>{words.body}</summary>
      {body === null && <p>{words.bodyGone}</p>}
      {body && (
        <>
          <Code label={words.body} text={JSON.stringify(JSON.parse(body), null, 2)} />
          <div class="actions">
            <Button kind="small" text={words.resend} onClick={resend} />
            <Copy text={body} label={words.body} />
          </div>
        </>
      )}
    </details>
  )
}
