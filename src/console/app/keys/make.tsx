import { useState } from 'preact/hooks'
import type { CreatedKey } from '#client/index.ts'
import { ask, keys } from '#console/app/api/ask.ts'
import { isOutcomeUnknown } from '#console/app/api/failure.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Checks } from '#console/app/ui/checks.tsx'
import { FormDialog } from '#console/app/ui/form-dialog.tsx'
import { Secret } from '#console/app/ui/secret.tsx'
import { SegmentsField, segmentsOf } from '#console/app/ui/segments.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { isolated } from '#console/app/words/visible.ts'
import { keyScopes } from '#resources/key/schema.ts'
import { useKeyWords } from './words.ts'

type Scope = CreatedKey['scopes'][number]

type PartsOf<T> = T extends `${infer Group}:${infer Verb}` ? [Group, Verb] : never

/** What a scope concerns, and what it permits. One without a word does not compile. */
const partsOf = (scope: Scope) => scope.split(':') as PartsOf<Scope>

export const groups = [...new Set(keyScopes.map((scope) => partsOf(scope)[0]))]

export const scopesIn = (group: (typeof groups)[number]) =>
  keyScopes.filter((scope) => partsOf(scope)[0] === group)

export const verbOf = (scope: Scope, { verbs }: ReturnType<typeof useKeyWords>) => verbs[partsOf(scope)[1]]

const dayMs = 86_400_000

interface MakeKeyParts {
  readonly onClose: () => void
  readonly onMade: () => void
}

/** First the form, then the key, which is never shown again. */
export const MakeKey = ({ onClose, onMade }: MakeKeyParts) => {
  const words = useKeyWords()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>([])
  const [days, setDays] = useState<keyof typeof words.terms>('90')
  const [made, setMade] = useState<CreatedKey>()
  const sending = useSending(['name', 'scopes'])
  const { send, isSending, failure, errors } = sending
  if (made) {
    const title = words.madeTitle(isolated(made.name))
    return <Secret {...{ title, onClose }} text={words.madeText} secret={made.secret} what={words.secret} />
  }
  const submit = () =>
    send(async () => {
      const expiresAt = days === '0' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString()
      const key = { name: name.trim(), scopes: chosen, expiresAt }
      setMade((await ask(() => keys.create(key))).value)
      onMade()
    })
  return (
    <FormDialog
      title={words.make}
      submit={words.make}
      sending={sending}
      what={failure && isOutcomeUnknown(failure) ? words.unanswered : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={name}
        error={errors.get('name')}
        isRequired
        isLocked={isSending}
        onType={setName}
      />
      <Checks
        label={words.scopes}
        groups={groups.map((group) => [
          words.groups[group],
          scopesIn(group).map((scope) => [scope, verbOf(scope, words)]),
        ])}
        chosen={chosen}
        isRefused={errors.has('scopes')}
        onChoose={setChosen}
      />
      <SegmentsField
        label={words.expiry}
        segments={segmentsOf(words.terms, ['30', '90', '365', '0'])}
        value={days}
        onChoose={setDays}
      />
    </FormDialog>
  )
}
