import { useState } from 'preact/hooks'
import type { CreatedKey } from '#client/index.ts'
import { ask, keys } from '#console/app/api/ask.ts'
import { isOutcomeUnknown } from '#console/app/api/failure.ts'
import { useSending } from '#console/app/state/sending.ts'
import { blocksLeaving, useUnsaved } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Copy, Failed } from '#console/app/ui/failed.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { groupNames, type Scope, scopeGroups, verbOf } from './scopes.ts'
import { useKeyWords } from './words.ts'

interface MakeKeyParts {
  readonly onClose: () => void
  readonly onMade: () => void
}

type Term = keyof ReturnType<typeof useKeyWords>['terms']

/** First the form, then the key, which is never shown again. */
export const MakeKey = ({ onClose, onMade }: MakeKeyParts) => {
  const [made, setMade] = useState<CreatedKey>()
  if (made) return <Made made={made} onClose={onClose} />
  return (
    <NewKeyForm
      onClose={onClose}
      onMade={(key) => {
        setMade(key)
        onMade()
      }}
    />
  )
}

interface NewKeyFormParts {
  readonly onClose: () => void
  readonly onMade: (key: CreatedKey) => void
}

const NewKeyForm = ({ onClose, onMade }: NewKeyFormParts) => {
  const { cancel } = useWords()
  const words = useKeyWords()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>([])
  const [term, setTerm] = useState<Term>('90')
  const sending = useSending(['name', 'scopes'])
  const { send, clearFault, isSending, failure, errors } = sending
  useUnsaved(name !== '' || scopes.length > 0)
  const close = () => {
    if (!isSending && !blocksLeaving(onClose)) onClose()
  }
  const toggle = (scope: Scope) => {
    clearFault('scopes')
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope])
  }
  const submit = () =>
    send(async () => {
      const expiresAt = term === 'never' ? null : new Date(Date.now() + Number(term) * dayMs).toISOString()
      onMade((await ask(() => keys.create({ name: name.trim(), scopes, expiresAt }))).value)
    })
  return (
    <Dialog title={words.make} onClose={close}>
      <Form sending={sending} onSubmit={submit}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          value={name}
          error={errors.get('name')}
          isRequired
          isLocked={isSending}
          onType={(text) => {
            clearFault('name')
            setName(text)
          }}
        />
        <fieldset class="scopes">
          <legend class="field-label">{words.scopes}</legend>
          {groupNames.map((group) => (
            <div key={group}>
              <strong>{words.groups[group]}</strong>
              {scopeGroups[group].map((scope) => (
                <label key={scope}>
                  <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
                  <span class="unseen">{words.groups[group]}</span> {verbOf(scope, words)}
                </label>
              ))}
            </div>
          ))}
          {errors.has('scopes') && (
            <p class="field-error" role="alert">
              {errors.get('scopes')}
            </p>
          )}
        </fieldset>
        <div class="field">
          <span class="field-label" aria-hidden="true">
            {words.expiry}
          </span>
          <Segments
            label={words.expiry}
            segments={terms.map((value) => ({ value, label: words.terms[value] }))}
            value={term}
            isLocked={isSending}
            onChoose={setTerm}
          />
        </div>
        {failure && (
          <Failed failure={failure} what={isOutcomeUnknown(failure) ? words.unanswered : undefined} />
        )}
        <div class="actions">
          <Button text={cancel} kind="quiet" isLocked={isSending} onClick={close} />
          <Button text={words.make} kind="primary" isSubmit isLocked={isSending} />
        </div>
      </Form>
    </Dialog>
  )
}

const dayMs = 86_400_000

const terms = ['30', '90', '365', 'never'] as const satisfies readonly Term[]

const Made = ({ made: { name, secret }, onClose }: { made: CreatedKey; onClose: () => void }) => {
  const words = useKeyWords()
  useUnsaved(true)
  return (
    // Escape does not close it: what it shows would be lost.
    <Dialog title={words.madeTitle(isolated(name))} text={words.madeText} onClose={() => {}}>
      <p class="secret">
        <code>{secret}</code> <Copy text={secret} what={words.secret} />
      </p>
      <p class="field-hint">
        {words.usage} <code>Authorization: Bearer …</code>
      </p>
      <div class="actions">
        <Button text={words.done} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  )
}
