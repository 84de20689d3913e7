import { useState } from 'preact/hooks'
import type { CreatedWebhook, Done, Webhook } from '#client/index.ts'
import { ask, askForRead, type ReadOptions, webhooks } from '#console/app/api/ask.ts'
import { isGone } from '#console/app/api/failure.ts'
import { RecordSkeleton } from '#console/app/records/record.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { notify, notifyFinal } from '#console/app/state/notes.ts'
import { hrefTo, replace } from '#console/app/state/route.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Empty } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { displayText, quotedText } from '#console/app/words/visible.ts'
import { Deliveries, DeliveryState, outcomeText } from './delivery.tsx'
import { nameOf, WebhookForm, WebhookSecret } from './form.tsx'
import { type Deed, useWebhookWords } from './words.ts'

export const WebhooksPage = ({ path: [webhookId] }: { path: readonly string[] }) =>
  webhookId === undefined ? <WebhookList /> : <WebhookPage key={webhookId} webhookId={webhookId} />

/** The feed tells of a webhook, but not how its delivery goes. */
const live = { isAlsoAsked: true, everyMs: 4_000 }

/** All webhooks, newest first. */
const WebhookList = () => {
  const allWords = useWords()
  const words = useWebhookWords()
  const [isMaking, setMaking] = useState(false)
  const { value, failure, reload } = useLoad<readonly Webhook[]>(
    'webhooks',
    async (options) =>
      (await askForRead(() => webhooks.list({}, { signal: options.signal }), options)).value.toReversed(),
    { of: ['webhook'], ...live },
  )
  const { webhooks: title } = allWords.pages
  const make = <Button icon="plus" text={words.make} kind="primary" onClick={() => setMaking(true)} />
  return (
    <Page title={title} subtitle={words.subtitle} actions={value && make} isNarrow>
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {value?.length === 0 && <Empty icon="send" title={words.none} text={words.noneText} />}
      {value && value.length > 0 && (
        <ul class="sheet" aria-label={title}>
          {value.map((webhook) => (
            <li key={webhook.webhookId} class="past">
              <div>
                <p>
                  <a href={hrefTo(`webhooks/${webhook.webhookId}`)} dir="auto" data-row>
                    <strong>{displayText(nameOf(webhook), allWords)}</strong>
                  </a>
                </p>
                {webhook.description && <p>{webhook.url}</p>}
                <DeliveryState webhook={webhook} />
              </div>
            </li>
          ))}
        </ul>
      )}
      {isMaking && <WebhookForm onClose={() => setMaking(false)} onSaved={reload} />}
    </Page>
  )
}

const readWebhook = async (webhookId: string, options: ReadOptions) => {
  const { signal } = options
  const [known, deliveries] = await Promise.all([
    askForRead(() => webhooks.get(webhookId, { signal }), options),
    askForRead(() => webhooks.getDeliveries(webhookId, { signal }), options),
  ])
  return { known, deliveries: deliveries.value.content }
}

const WebhookPage = ({ webhookId }: { webhookId: string }) => {
  const words = useWords()
  const { value, failure, reload } = useLoad(webhookId, (options) => readWebhook(webhookId, options), {
    of: [webhookId],
    ...live,
  })
  const shown = failure && isGone(failure) ? undefined : value
  const { webhooks: title } = words.pages
  return (
    <Page
      title={shown ? displayText(nameOf(shown.known.value), words) : failure && title}
      subtitle={shown?.known.value.description && shown.known.value.url}
      above={{ title, href: hrefTo('webhooks') }}
      isNarrow
    >
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {shown && <Controls known={shown.known} onChange={reload} />}
      {shown && shown.deliveries.length > 0 && <Deliveries list={shown.deliveries} />}
    </Page>
  )
}

/** How the delivery goes, and what can be done about it. */
const Controls = ({ known, onChange }: { known: Done<Webhook>; onChange: () => void }) => {
  const allWords = useWords()
  const words = useWebhookWords()
  const { send, isSending, failure } = useSending([])
  const { ask: askFirst, question } = useQuestion()
  const [isEditing, setEditing] = useState(false)
  const [made, setMade] = useState<CreatedWebhook>()
  const { webhookId, active } = known.value
  const act = async (work: () => Promise<unknown>) => {
    if (!(await send(work))) return
    if (work !== test) notifyFinal()
    onChange()
  }
  const test = async () => {
    const { value } = await ask(() => webhooks.test(webhookId))
    notify(`${words.test}: ${outcomeText(value, words)}`)
  }
  const turn = () => ask(() => webhooks.patch(webhookId, { active: !active }))
  const deeds: Readonly<Record<Deed, () => Promise<unknown>>> = {
    here: () => ask(() => webhooks.move(webhookId)),
    latest: () => ask(() => webhooks.move(webhookId, { after: 'latest' })),
    oldest: () => ask(() => webhooks.move(webhookId, { after: 'oldest' })),
    renew: async () => setMade((await ask(() => webhooks.renewSecret(webhookId))).value),
    remove: () => ask(() => webhooks.remove(webhookId)).then(() => replace('webhooks')),
  }
  const askDeed = (deed: Deed) => {
    const [yes, text] = words.deeds[deed]
    askFirst({
      title: `${yes}: ${quotedText(nameOf(known.value), allWords)}`,
      text,
      yes,
      kind: deed === 'remove' ? 'danger' : 'primary',
      onYes: () => act(deeds[deed]),
    })
  }
  const buttonOf = (text: string, onClick: () => unknown, kind = '') => (
    <Button key={text} text={text} kind={`small ${kind}`} isLocked={isSending} onClick={onClick} />
  )
  const deedOf = (deed: Deed) => buttonOf(words.deeds[deed][0], () => askDeed(deed))
  return (
    <div class="sheet past">
      <div class="stack">
        <div>
          <DeliveryState webhook={known.value} />
        </div>
        <div class="actions">
          {buttonOf(allWords.edit, () => setEditing(true), 'primary')}
          {buttonOf(words.test, () => act(test))}
          {buttonOf(words.turns[active ? 'off' : 'on'], () => act(turn))}
          {deedOf('renew')}
          <span class="actions-apart">{deedOf('remove')}</span>
        </div>
        <fieldset class="actions scopes" aria-label={words.goOn}>
          <span class="soft">{words.goOn}</span>
          {(['here', 'latest', 'oldest'] as const).map(deedOf)}
        </fieldset>
        {failure && <Failed failure={failure} />}
      </div>
      {isEditing && <WebhookForm known={known} onClose={() => setEditing(false)} onSaved={onChange} />}
      {question}
      {made && <WebhookSecret made={made} onClose={() => setMade(undefined)} />}
    </div>
  )
}
