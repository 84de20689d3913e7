import type { Done } from '#client/index.ts'
import { callSignedIn } from '#console/app/api/call.ts'
import { callAction, labelOf } from '#console/app/api/declared.ts'
import { notifyWithoutUndo } from '#console/app/state/notes.ts'
import { reportNotDone } from '#console/app/ui/bulk.ts'
import { Button } from '#console/app/ui/button.tsx'
import { wordsNow } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import type { DescribedResource } from '#console/description.ts'
import type { RecordViewProps } from './kind.ts'

interface ActionProps extends RecordViewProps {
  readonly text: string
}

/** Runs an action on a record, and shows a note about the outcome. */
export const runAction = async (
  { kind, shown, text, onDone }: ActionProps,
  work: () => Promise<Done<object>>,
) => {
  const { form } = wordsNow()
  const title = isolate(kind.titleOf(shown.value))
  try {
    onDone(await work())
    notifyWithoutUndo(form.acted(text, title))
  } catch (error) {
    reportNotDone(form.notActed(text, title))(error)
    onDone()
  }
}

/** A button for each declared action. The action runs on the shown version. */
export const Actions = ({ resource, ...props }: RecordViewProps & { resource: DescribedResource }) =>
  resource.actions.map((action) => {
    const text = labelOf(resource, action)
    const run = () =>
      runAction({ ...props, text }, () => callSignedIn(() => callAction(resource, action, props.shown)))
    return <Button key={action} text={text} onClick={run} />
  })
