import { useState } from 'preact/hooks'
import { failureOf } from '#console/app/api/failure.ts'
import { notifyFailure } from '#console/app/state/notes.ts'

type Dialogs = Pick<
  typeof import('#console/app/later.ts'),
  'Palette' | 'Picker' | 'ChangeMany' | 'ChangePassword'
>

/** A dialog or an input whose code is loaded when it is opened; undefined while it is closed. If loading fails, a note names `what`. */
export const useLater = <Name extends keyof Dialogs>(name: Name, what: string) => {
  const [Opened, setOpened] = useState<Dialogs[Name]>()
  const open = () =>
    import('#console/app/later.ts').then(
      (later) => setOpened(() => later[name]),
      (error) => notifyFailure(what, failureOf(error)),
    )
  return { Opened, open, close: () => setOpened(undefined) }
}
