import type { Done, Webhook } from '#client/index.ts'
import { callSignedIn, webhooks } from '#console/app/api/call.ts'
import { runAction } from '#console/app/declared/actions.tsx'
import {
  declaredKind,
  labelledField,
  type RecordViewProps,
  type ResourcePages,
} from '#console/app/declared/kind.ts'
import { RecordSecret, RenewSecret } from '#console/app/declared/secret.tsx'
import { changeTypeLabels } from '#console/app/history/labels.ts'
import { historyWords } from '#console/app/history/words.ts'
import { type Field, fieldsOf } from '#console/app/records/kind.ts'
import { notify, reportAs } from '#console/app/state/notes.ts'
import { Button } from '#console/app/ui/button.tsx'
import type { DescribedResource } from '#console/description.ts'
import { Deliveries, DeliveryState, deliveryPolling, outcomeText } from './delivery.tsx'
import { webhookWords } from './words.ts'

/** The pages of webhooks, with the state of their deliveries. */
export const webhookPages = (resource: DescribedResource): ResourcePages => {
  const state = (): Field => ({
    ...labelledField(resource, 'state', 'code'),
    show: (webhook) => <DeliveryState webhook={webhook as Webhook} />,
  })
  const { restore: _, ...kind } = declaredKind(resource, {
    shownAs: displayOf,
    furtherFields: () => [state()],
    serviceFields: () => [labelledField(resource, 'createdAt', 'time')],
    texts: webhookWords,
  })
  return {
    kind: {
      ...kind,
      icon: 'send',
      maxSearchLength: 0,
      defaultSort: 'createdAt,desc',
      live: deliveryPolling,
      columns: () =>
        inColumnOrder(fieldsOf(kind.record())).map((field) => ({
          ...field,
          isUnsortable: field.name !== 'url' && field.name !== 'createdAt',
        })),
      filters: () => [],
    },
    sections: () =>
      kind
        .form()
        .map(({ title, fields }) => ({ title, fields: fields.filter(({ name }) => name !== 'active') })),
    secret: RecordSecret,
    actions: Actions,
    below: Deliveries,
  }
}

const inColumnOrder = (fields: readonly Field[]) =>
  ['description', 'url', 'state', 'types', 'createdAt', 'active', 'values', 'webhookId'].flatMap(
    (name) => fields.find((field) => field.name === name) ?? [],
  )

const displayOf = ({ name }: Field): Partial<Field> => {
  const { hints } = webhookWords()
  const labels = historyWords()
  return {
    hint: hints[name as 'url'],
    ...(name === 'types' && { texts: changeTypeLabels(labels), all: labels.all }),
  }
}

const Actions = ({ kind, shown, onDone }: RecordViewProps) => {
  const words = webhookWords()
  const { webhookId, active } = shown.value as Webhook
  const label = words.switches[active ? 'off' : 'on']
  const test = () =>
    callSignedIn(() => webhooks.test(webhookId)).then(({ value }) => {
      notify(`${words.test}: ${outcomeText(value)}`)
      onDone()
    }, reportAs(words.test))
  const toggle = () => callSignedIn(() => webhooks.patch(shown as Done<Webhook>, { active: !active }))
  return (
    <>
      <Button text={words.test} onClick={test} />
      <Button text={label} onClick={() => runAction({ kind, shown, onDone, text: label }, toggle)} />
      <RenewSecret kind={kind} shown={shown} onDone={onDone} />
    </>
  )
}
