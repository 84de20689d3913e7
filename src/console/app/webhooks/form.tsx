import { useState } from 'preact/hooks'
import type { CreatedWebhook, Done, Webhook } from '#client/index.ts'
import { ask, webhooks } from '#console/app/api/ask.ts'
import { isOutcomeUnknown } from '#console/app/api/failure.ts'
import { allTypes } from '#console/app/history/labels.ts'
import { useHistoryWords } from '#console/app/history/words.ts'
import { notifyFinal } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Checks } from '#console/app/ui/checks.tsx'
import { FormDialog, Secret } from '#console/app/ui/dialog.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { useWebhookWords } from './words.ts'

export const nameOf = ({ description, url }: Webhook) => description || url

export const WebhookSecret = ({ made, onClose }: { made: CreatedWebhook; onClose: () => void }) => {
  const words = useWebhookWords()
  const { ofWebhooks } = useHistoryWords()
  const title = words.secretTitle(isolated(nameOf(made)))
  return (
    <Secret {...{ title, onClose }} text={words.secretText} secret={made.secret} what={ofWebhooks.secret} />
  )
}

/** Whether these types hold one, by itself or by a name such as `member.*`. */
const isIn = (types: readonly string[]) => (type: string) =>
  types.includes(type) || types.includes(type.replace(/\.\w+$/, '.*'))

interface WebhookFormParts {
  /** The webhook to change. Without one, it is made, and its secret is shown. */
  readonly known?: Done<Webhook>
  readonly onClose: () => void
  readonly onSaved: () => void
}

export const WebhookForm = ({ known, onClose, onSaved }: WebhookFormParts) => {
  const { save, edit, form } = useWords()
  const words = useWebhookWords()
  const past = useHistoryWords()
  const { url = '', description, types, values } = known?.value ?? {}
  const [texts, setTexts] = useState({ url, description: description ?? '' })
  const [chosen, setChosen] = useState<readonly string[]>(
    types ? Object.keys(allTypes(past)).filter(isIn(types)) : [''],
  )
  const [hasValues, setHasValues] = useState(values ?? false)
  const [made, setMade] = useState<CreatedWebhook>()
  const sending = useSending(['url', 'description', 'types'])
  const { send, isSending, failure, errors } = sending
  if (made) return <WebhookSecret made={made} onClose={onClose} />
  const isAll = chosen.includes('')
  const submit = () =>
    send(async () => {
      const described = { url: texts.url.trim(), description: texts.description.trim() || null }
      const body = { ...described, types: isAll ? null : chosen, values: hasValues }
      if (known) await ask(() => webhooks.patch(known, body)).then(onClose)
      else setMade((await ask(() => webhooks.create(body))).value)
      notifyFinal()
      onSaved()
    })
  const unanswered = known ? form.unansweredSave : words.unanswered
  return (
    <FormDialog
      title={known ? edit : words.make}
      submit={known ? save : words.make}
      sending={sending}
      what={failure && isOutcomeUnknown(failure) ? unanswered : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      {(['url', 'description'] as const).map((field) => (
        <TextField
          key={field}
          label={past.ofWebhooks[field]}
          hint={words.hints[field]}
          value={texts[field]}
          error={errors.get(field)}
          isRequired={field === 'url'}
          isLocked={isSending}
          onType={(text) => setTexts({ ...texts, [field]: text })}
        />
      ))}
      <Checks
        label={past.ofWebhooks.types}
        groups={[['', [['', past.all], ...(isAll ? [] : Object.entries(allTypes(past)))]]]}
        chosen={chosen}
        isRefused={errors.has('types')}
        onChoose={setChosen}
      />
      <Checks
        label={past.ofWebhooks.values}
        groups={[['', [['values', words.values]]]]}
        chosen={hasValues ? ['values'] : []}
        isRefused={errors.has('values')}
        onChoose={(now) => setHasValues(now.length > 0)}
      />
    </FormDialog>
  )
}
