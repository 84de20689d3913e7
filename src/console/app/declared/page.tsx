import { ask } from '#console/app/api/ask.ts'
import { act, declared, labelOf, recordsOf } from '#console/app/api/declared.ts'
import { failureOf, isConflict } from '#console/app/api/failure.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { valuesOf } from '#console/app/records/draft.ts'
import { EditPage } from '#console/app/records/edit.tsx'
import { fieldsOf } from '#console/app/records/field.ts'
import type { Kind, KnownItem } from '#console/app/records/kind.ts'
import { ListPage } from '#console/app/records/list.tsx'
import { NewPage, startingOf } from '#console/app/records/new.tsx'
import { RecordPage } from '#console/app/records/one.tsx'
import { notifyFailure, notifyFinal } from '#console/app/state/notes.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import type { DescribedResource } from '#console/description.ts'
import { declaredKind } from './kind.ts'

/** The pages of a declared resource. */
export const DeclaredPage = ({ path: [plural, id, action] }: { path: readonly string[] }) => {
  useWords()
  useStore(seesOnlyNames)
  const resource = useStore(declared)?.find((one) => one.plural === plural)
  if (!resource) return null
  const kind = declaredKind(resource)
  if (id === undefined) return <ListPage kind={kind} />
  if (action === 'edit') return <EditPage kind={kind} id={id} />
  if (id !== 'new')
    return (
      <RecordPage
        kind={kind}
        id={id}
        actions={(known, reload) => <Actions {...{ kind, resource, known }} onDone={reload} />}
      />
    )
  const sections = kind.form()
  return (
    <NewPage
      kind={kind}
      sections={sections}
      starting={() => startingOf(resource)}
      create={async (draft, key) =>
        (await ask(() => recordsOf(resource).create(valuesOf(fieldsOf(sections), draft), { key }))).value
      }
    />
  )
}

interface ActionsParts {
  readonly kind: Kind
  readonly resource: DescribedResource
  readonly known: KnownItem
  readonly onDone: () => void
}

/** A button for each declared action, which runs on the version that is shown. */
const Actions = ({ kind, resource, known, onDone }: ActionsParts) => {
  const words = useWords()
  const run = async (action: string, text: string) => {
    const title = isolated(kind.titleOf(known.value))
    try {
      await ask(() => act(resource, action, known))
      notifyFinal(words.form.acted(text, title))
    } catch (error) {
      const failure = failureOf(error)
      const reason = isConflict(failure) ? kind.words().changedBeforeRemove : undefined
      notifyFailure(words.form.notActed(text, title), failure, reason)
    }
    onDone()
  }
  return resource.actions.map((action) => {
    const text = labelOf(resource, action)
    return <Button key={action} text={text} onClick={() => run(action, text)} />
  })
}
