import { callSignedIn } from '#console/app/api/call.ts'
import { recordsOf, resourceAt } from '#console/app/api/declared.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { loadNamesInTitles } from '#console/app/api/names.ts'
import { keyPages } from '#console/app/keys/kind.tsx'
import { valuesOf } from '#console/app/records/draft.ts'
import { EditPage } from '#console/app/records/edit.tsx'
import { fieldsOf, type VersionedItem } from '#console/app/records/kind.ts'
import { ListPage } from '#console/app/records/list.tsx'
import { initialValuesOf, NewPage } from '#console/app/records/new.tsx'
import { type OnDone, RecordPage } from '#console/app/records/record-page.tsx'
import { useStore } from '#console/app/state/store.ts'
import { webhookPages } from '#console/app/webhooks/kind.tsx'
import type { DescribedResource } from '#console/description.ts'
import { Actions } from './actions.tsx'
import { declaredKind, type ResourcePages } from './kind.ts'
import { kindAt } from './kinds.ts'

export const DeclaredPage = ({ path: [plural, id, action] }: { path: readonly string[] }) => {
  useStore(seesOnlyNames) // Renders the page again when it changes, because the kinds read it.
  const resource = resourceAt(plural)
  if (!resource) return null
  const { actions: Own, below: Below, ...pages } = pagesOf(resource)
  const { kind } = pages
  const actions = (shown: VersionedItem, onDone: OnDone) => {
    const props = { kind, shown, onDone }
    return Own ? <Own {...props} /> : <Actions {...props} resource={resource} />
  }
  if (id === undefined) return <ListPage kind={kind} actions={actions} />
  if (id === 'new') return <AddPage pages={pages} resource={resource} />
  if (action === 'edit') return <EditPage kind={kind} id={id} />
  const below =
    Below && ((shown: VersionedItem, onDone: OnDone) => <Below kind={kind} shown={shown} onDone={onDone} />)
  return <RecordPage kind={kind} id={id} actions={actions} below={below} />
}

const pagesOf = (resource: DescribedResource): ResourcePages => {
  if (resource.name === 'key') return keyPages(resource)
  if (resource.name === 'webhook') return webhookPages(resource)
  // The history calls the state of a todo open or finished. In a form, it is a check box.
  return { kind: { ...kindAt(resource.plural), form: declaredKind(resource).form } }
}

const AddPage = ({ pages, resource }: { pages: ResourcePages; resource: DescribedResource }) => {
  const { kind, bodyOf = (values) => values, secret: Secret } = pages
  const sections = (pages.sections ?? kind.form)()
  return (
    <NewPage
      kind={kind}
      sections={sections}
      initialValues={() => ({ ...initialValuesOf(resource), ...pages.initialValues })}
      create={async (draft, idempotencyKey) => {
        const body = bodyOf(valuesOf(fieldsOf(sections), draft))
        const { value } = await callSignedIn(() => recordsOf(resource).create(body, { key: idempotencyKey }))
        await loadNamesInTitles(resource, [value])
        return value
      }}
      secret={Secret && ((record, onClose) => <Secret kind={kind} record={record} onClose={onClose} />)}
    />
  )
}
