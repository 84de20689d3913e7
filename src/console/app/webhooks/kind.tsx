import type { Done, Webhook } from '#client/index.ts'
import { ask, webhooks } from '#console/app/api/ask.ts'
import { labelOf, labelsNow } from '#console/app/api/declared.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { runOn } from '#console/app/declared/actions.tsx'
import { declaredKind, type Pages, type PartParts } from '#console/app/declared/kind.ts'
import { RecordSecret, RenewSecret } from '#console/app/declared/secret.tsx'
import { allTypes } from '#console/app/history/labels.ts'
import { historyWords } from '#console/app/history/words.ts'
import { describedFields } from '#console/app/records/described.ts'
import type { Field } from '#console/app/records/field.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { Button } from '#console/app/ui/button.tsx'
import { wordsNow } from '#console/app/words/index.ts'
import type { DescribedResource } from '#console/description.ts'
import { Deliveries, DeliveryState, live, outcomeText } from './delivery.tsx'
import { webhookWords } from './words.ts'

/** The pages of webhooks, which show how the delivery goes. */
export const webhookPages = (resource: DescribedResource): Pages => {
  const { restore: _, ...kind } = declaredKind(resource)
  const fields = () => describedFields(resource).map((field) => ({ ...field, ...shownAs(field) }))
  const shown = (name: string, kind: Field['kind']): Field => ({ name, kind, label: labelOf(resource, name) })
  const state = (): Field => ({
    ...shown('state', 'code'),
    show: (webhook) => <DeliveryState webhook={webhook as Webhook} />,
  })
  const form = () => [{ title: labelsNow(resource).one, fields: fields() }]
  return {
    kind: {
      ...kind,
      icon: 'send',
      longest: 0,
      sort: 'createdAt,desc',
      live,
      words: () => {
        const { emptyText, removeText } = webhookWords()
        return { ...kind.words(), emptyText, removeText }
      },
      form,
      record: () => [
        { title: labelsNow(resource).one, fields: [...fields(), state()] },
        {
          title: wordsNow().members.sections.record,
          fields: [shown('webhookId', 'id'), shown('createdAt', 'time')],
        },
      ],
      columns: () =>
        titleFirst([...fields(), state(), shown('createdAt', 'time'), shown('webhookId', 'id')]).map(
          (field) => ({ ...field, isUnsorted: field.name !== 'url' && field.name !== 'createdAt' }),
        ),
      filters: () => [],
    },
    sections: () =>
      form().map(({ title, fields }) => ({ title, fields: fields.filter(({ name }) => name !== 'active') })),
    secret: RecordSecret,
    actions: Actions,
    below: Deliveries,
  }
}

/** The columns that are shown by default come first. */
const titleFirst = (fields: readonly Field[]) =>
  ['description', 'url', 'state', 'types', 'createdAt', 'active', 'values', 'webhookId'].flatMap(
    (name) => fields.find((field) => field.name === name) ?? [],
  )

const shownAs = ({ name }: Field): Partial<Field> => {
  const { hints } = webhookWords()
  const past = historyWords()
  return {
    hint: hints[name as 'url'],
    ...(name === 'types' && { texts: allTypes(past), all: past.all }),
  }
}

const Actions = ({ kind, known, onDone }: PartParts) => {
  const words = webhookWords()
  const { webhookId, active } = known.value as Webhook
  const turning = words.turns[active ? 'off' : 'on']
  const test = () =>
    ask(() => webhooks.test(webhookId)).then(
      ({ value }) => {
        notify(`${words.test}: ${outcomeText(value)}`)
        onDone()
      },
      (error) => notifyFailure(words.test, failureOf(error)),
    )
  const turn = () => ask(() => webhooks.patch(known as Done<Webhook>, { active: !active }))
  return (
    <>
      <Button text={words.test} onClick={test} />
      <Button text={turning} onClick={() => runOn({ kind, known, onDone, text: turning }, turn)} />
      <RenewSecret {...{ kind, known, onDone }} />
    </>
  )
}
