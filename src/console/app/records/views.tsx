import { useState } from 'preact/hooks'
import type { NewSavedView, SavedView } from '#client/index.ts'
import { viewsOf } from '#client/views.ts'
import { callApi, callSignedIn, type ReadOptions, readSignedIn } from '#console/app/api/call.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { useLoad } from '#console/app/state/load.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useSending } from '#console/app/state/sending.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { FormDialog } from '#console/app/ui/dialog.tsx'
import { Select, TextField } from '#console/app/ui/fields.tsx'
import { useWords } from '#console/app/words/index.ts'

/** The saved views of a list, the present query of the list, and the view with that query. */
export const useViews = (link: string) => {
  const [path = '', query = ''] = link.split('?')
  const page = path.replace('#/', '')
  const { value = [], reload } = useLoad('views', readViews)
  const views = value.filter((view) => view.page === page)
  return { page, views, query, current: views.find((view) => view.query === query), reload }
}

type Views = ReturnType<typeof useViews>

/** Opens a saved view. Hidden if there are no saved views. */
export const ViewChoice = ({ page, views, current }: Views) => {
  const { views: words } = useWords().list
  if (views.length === 0) return null
  const open = (id: string) => {
    const query = views.find(({ viewId }) => viewId === id)?.query
    location.hash = query === undefined ? hrefTo(page) : `#/${page}?${query}`
  }
  const choices = views.map(({ viewId, name, mine }) => ({
    value: viewId,
    label: mine ? name : words.ofOthers(name),
  }))
  return (
    <Select
      label={words.label}
      choices={[{ value: '', label: '—' }, ...choices]}
      value={current?.viewId ?? ''}
      onChoose={open}
    />
  )
}

/** Saves the list as it is under a name, or changes or deletes the current view. */
export const SaveView = (props: Views) => {
  const { views: words } = useWords().list
  const [isOpen, setOpen] = useState(false)
  const text = props.current ? words.change : words.save
  return (
    <>
      <Button kind="small" text={text} onClick={() => setOpen(true)} />
      {isOpen && <ViewDialog {...props} title={text.replace('…', '')} onClose={() => setOpen(false)} />}
    </>
  )
}

interface DialogProps extends Views {
  readonly title: string
  readonly onClose: () => void
}

/** Only administrators can change a view of somebody else. When other users save such a view, they get their own copy. */
const ViewDialog = ({ page, views, query, current, reload, title, onClose }: DialogProps) => {
  const words = useWords()
  const viewWords = words.list.views
  const isAdministrator = !useStore(seesOnlyNames)
  const editable: SavedView | undefined = current && (current.mine || isAdministrator) ? current : undefined
  const [name, setName] = useState(current?.name ?? '')
  const [shared, setShared] = useState(editable?.shared ?? false)
  const sending = useSending(['name'])
  const existing = editable ?? views.find((view) => view.mine && view.name === name.trim())
  const finish = async (work: () => Promise<unknown>) => {
    if (!(await sending.send(work))) return
    reload()
    onClose()
  }
  const save = () => finish(() => saveView({ name: name.trim(), page, query, shared }, existing?.viewId))
  return (
    <FormDialog
      title={title}
      submit={words.save}
      sending={sending}
      unansweredText={viewWords.unanswered}
      onClose={onClose}
      isReady={name.trim() !== ''}
      onSubmit={save}
    >
      <TextField
        label={viewWords.name}
        value={name}
        onType={setName}
        isRequired
        error={sending.errors.get('name')}
      />
      <label class="row">
        <input
          type="checkbox"
          checked={shared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
        {viewWords.shared}
      </label>
      {editable && (
        <p>
          <Button
            icon="bin"
            kind="small"
            text={words.delete}
            isLocked={sending.isSending}
            onClick={() => finish(() => removeView(editable.viewId))}
          />
        </p>
      )}
    </FormDialog>
  )
}

const views = viewsOf(callApi)

/** The views that the user has saved, and those that others share. */
const readViews = async (options: ReadOptions) =>
  (await readSignedIn((init) => views.list(init), options)).value.content

/** Replaces a view, or saves a new one. */
const saveView = (body: NewSavedView, viewId?: string) =>
  callSignedIn(() => (viewId === undefined ? views.create(body) : views.replace(viewId, body)))

const removeView = (viewId: string) => callSignedIn(() => views.remove(viewId))
