import { useState } from 'preact/hooks'
import type { CreatedKey } from '#client/index.ts'
import { ask, keys } from '#console/app/api/ask.ts'
import { isOutcomeUnknown } from '#console/app/api/failure.ts'
import { useSending } from '#console/app/state/sending.ts'
import { useUnsaved } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Copy, Failed } from '#console/app/ui/failed.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { useKeyWords } from './words.ts'

type Scope = CreatedKey['scopes'][number]

/** What a key may be permitted, by what it concerns. One that is left out does not compile. */
const scopes: Readonly<Record<Scope, 'todos' | 'members' | 'changes' | 'webhooks'>> = {
  'todos:read': 'todos',
  'todos:create': 'todos',
  'todos:update': 'todos',
  'todos:delete': 'todos',
  'members:read': 'members',
  'members:create': 'members',
  'members:update': 'members',
  'members:delete': 'members',
  'members:erase': 'members',
  'changes:read': 'changes',
  'webhooks:read': 'webhooks',
  'webhooks:create': 'webhooks',
  'webhooks:update': 'webhooks',
  'webhooks:delete': 'webhooks',
}

export const groups = ['todos', 'members', 'changes', 'webhooks'] as const

export const scopesIn = (group: (typeof groups)[number]) =>
  (Object.keys(scopes) as Scope[]).filter((scope) => scopes[scope] === group)

export const verbOf = (scope: Scope, { verbs }: ReturnType<typeof useKeyWords>) =>
  verbs[scope.split(':')[1] as 'read']

const dayMs = 86_400_000

interface MakeKeyParts {
  readonly onClose: () => void
  readonly onMade: () => void
}

/** First the form, then the key, which is never shown again. */
export const MakeKey = ({ onClose, onMade }: MakeKeyParts) => {
  const { cancel } = useWords()
  const words = useKeyWords()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>([])
  const [days, setDays] = useState<keyof typeof words.terms>('90')
  const [made, setMade] = useState<CreatedKey>()
  const sending = useSending(['name', 'scopes'])
  const { send, isSending, failure, errors } = sending
  if (made) return <Made made={made} onClose={onClose} />
  const toggle = (scope: Scope) =>
    setChosen(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope])
  const submit = () =>
    send(async () => {
      const expiresAt = days === '0' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString()
      const key = { name: name.trim(), scopes: chosen, expiresAt }
      setMade((await ask(() => keys.create(key))).value)
      onMade()
    })
  return (
    <Dialog title={words.make} onClose={() => isSending || onClose()}>
      <Form sending={sending} onSubmit={submit}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          value={name}
          error={errors.get('name')}
          isRequired
          isLocked={isSending}
          onType={setName}
        />
        <fieldset class="scopes">
          <legend class="field-label">{words.scopes}</legend>
          {groups.map((group) => (
            <p key={group}>
              <span>{words.groups[group]}</span>
              {scopesIn(group).map((scope) => (
                <label key={scope}>
                  <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
                  <span class="unseen">{words.groups[group]}</span> {verbOf(scope, words)}
                </label>
              ))}
            </p>
          ))}
          <p class="field-error form-check">{errors.get('scopes')}</p>
        </fieldset>
        <div class="field">
          <span class="field-label">{words.expiry}</span>
          <Segments
            label={words.expiry}
            segments={(['30', '90', '365', '0'] as const).map((value) => ({
              value,
              label: words.terms[value],
            }))}
            value={days}
            onChoose={setDays}
          />
        </div>
        {failure && (
          <Failed failure={failure} what={isOutcomeUnknown(failure) ? words.unanswered : undefined} />
        )}
        <div class="actions">
          <Button text={cancel} kind="quiet" isLocked={isSending} onClick={onClose} />
          <Button text={words.make} kind="primary" isSubmit isLocked={isSending} />
        </div>
      </Form>
    </Dialog>
  )
}

/** Escape does not close it: what it shows would be lost. */
const Made = ({ made: { name, secret }, onClose }: { made: CreatedKey; onClose: () => void }) => {
  const words = useKeyWords()
  useUnsaved(true)
  return (
    <Dialog title={words.madeTitle(isolated(name))} text={words.madeText} onClose={() => {}}>
      <p class="failure-track">
        <code>{secret}</code> <Copy text={secret} what={words.secret} />
      </p>
      <div class="actions">
        <Button text={words.done} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  )
}
