import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { randomId } from '#client/random-id.ts'
import { readDeclared } from '#console/app/api/declared.ts'
import { type Failure, failureOf, isOutcomeUnknown, refusesContent } from '#console/app/api/failure.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notifyWithoutUndo } from '#console/app/state/notes.ts'
import { replace } from '#console/app/state/route.ts'
import { useSending } from '#console/app/state/sending.ts'
import { discardUnsaved, useIsMounted, useUnsaved } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Failed, NotAllowed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import type { DescribedResource } from '#console/description.ts'
import { type Draft, draftOf, isSameDraft } from './draft.ts'
import { RecordForm } from './form.tsx'
import { fieldsOf, type Kind, type Section } from './kind.ts'
import { hrefToList } from './query.ts'

interface NewProps {
  readonly kind: Kind
  readonly sections: readonly Section[]
  readonly create: (draft: Draft, key: string) => Promise<object>
  /** The text to add to a refusal if the answer to an earlier attempt was lost. */
  readonly hint?: (refusal: Failure) => string | undefined
  readonly initialValues?: () => object
  /** Shows the secret from the answer to the creation. When the user closes it, the page of the record opens. */
  readonly secret?: ((made: object, onClose: () => void) => ComponentChildren) | undefined
}

/** The drafts with which the forms for new records will open, by the plural of the resource. */
const drafts = new Map<string, Draft>()

/** Opens the form for a new record, filled with this draft. */
export const openNewWith = (kind: Kind, draft: Draft) => {
  discardUnsaved()
  drafts.set(kind.plural, draft)
  replace(`${kind.plural}/new`)
}

export const NewPage = (props: NewProps) => {
  const { kind, initialValues } = props
  const words = kind.words()
  const { value, failure, reload } = useLoad('resources', async () => {
    await readDeclared()
    return initialValues?.() ?? {}
  })
  const canAdd = kind.may('create')
  return (
    <Page title={words.newTitle} parent={{ title: words.title, href: hrefToList(kind) }} isNarrow>
      {!canAdd && <NotAllowed text={words.mayNotAdd} />}
      {canAdd && failure && <Failed failure={failure} onRetry={reload} />}
      {canAdd && value && <NewForm {...props} blank={draftOf(fieldsOf(props.sections), value)} />}
    </Page>
  )
}

/** The form for a new record, with the values of `blank` or with the draft of `openNewWith`. */
const NewForm = ({ kind, sections, blank, create, hint, secret }: NewProps & { readonly blank: Draft }) => {
  const { cancel } = useWords()
  const words = kind.words()
  const [draft, setDraft] = useState({ ...blank, ...drafts.get(kind.plural) })
  const [created, setCreated] = useState<object>()
  useEffect(() => void drafts.delete(kind.plural), [])
  useUnsaved(!isSameDraft(draft, blank))
  const sending = useSending(fieldsOf(sections).map(({ name }) => name))
  const { send, isSending, refusal } = sending
  const isMounted = useIsMounted()
  const isUnanswered = useRef(false)
  /** The last attempt. Until the service refuses the draft, its key stays the same, so a lost answer cannot lead to two records. */
  const attempt = useRef<{ readonly draft: Draft; readonly key: string }>(undefined)
  const createOnce = async () => {
    const { current: last } = attempt
    const current = last && isSameDraft(last.draft, draft) ? last : { draft, key: randomId() }
    attempt.current = current
    try {
      return await create(draft, current.key)
    } catch (error) {
      const failure = failureOf(error)
      if (refusesContent(failure)) attempt.current = undefined
      if (isOutcomeUnknown(failure)) isUnanswered.current = true
      throw error
    }
  }
  const submit = () =>
    send(async () => {
      const item = await createOnce()
      notifyWithoutUndo(words.created(isolate(kind.titleOf(item))))
      if (!isMounted()) return
      if (secret) setCreated(item)
      else openPage(item)
    })
  const openPage = (item: object) => {
    discardUnsaved()
    replace(`${kind.plural}/${kind.idOf(item)}`)
  }
  return (
    <RecordForm
      kind={kind}
      sections={sections}
      draft={draft}
      sending={sending}
      unansweredText={words.unansweredAdd}
      hint={isUnanswered.current && refusal ? hint?.(refusal) : undefined}
      onType={setDraft}
      onSubmit={() => void submit()}
    >
      <Button text={words.create} kind="primary" isSubmit isLocked={isSending} />
      <Button text={cancel} kind="quiet" href={hrefToList(kind)} />
      {created && secret?.(created, () => openPage(created))}
    </RecordForm>
  )
}

export const initialValuesOf = ({ fields }: Pick<DescribedResource, 'fields'>): object =>
  Object.fromEntries(
    fields.map(({ name, kind, isNullable, starting }) => [
      name,
      starting ?? (kind === 'flag' && !isNullable ? false : null),
    ]),
  )
