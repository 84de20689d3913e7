import { store, useStore } from '#console/app/state/store.ts'
import { useWords } from '#console/app/words/index.ts'
import type { DisplayField, TitleField } from '#core/display.ts'
import { Button } from './button.tsx'
import { useLazy } from './lazy.tsx'

export type ReadAll = (signal: AbortSignal) => AsyncGenerator<readonly object[]>

/** A list that can be saved as a file. */
export interface ListSource {
  /** The plural name of the resource, which names the file. */
  readonly plural: string
  readonly title: string
  readonly total: number
  /** The columns that the list shows. Undefined: the export chooses the columns. */
  readonly columns?: readonly DownloadColumn[]
  readonly readAll: ReadAll
  /** The name of a record, for a column `name`. */
  readonly nameOf?: (item: never) => string
}

type DownloadColumn = DisplayField & Pick<TitleField, 'of'>

interface DownloadProps {
  readonly list: ListSource
  readonly kind?: string
  readonly text?: string
}

/** A button that saves a list as a file, or stops a download that is running. Not shown if the list is empty. */
export const Download = ({ list, ...button }: DownloadProps) => {
  const { download: words } = useWords()
  const running = useStore(downloads)[list.plural]
  const { Component: Export, open, close } = useLazy('Export', words.begin)
  if (list.total === 0 && !running) return null
  return (
    <>
      <Button
        icon={running ? 'close' : 'down'}
        text={running ? words.stop(running.progress) : (button.text ?? words.begin)}
        onClick={running?.stop ?? open}
        kind={button.kind ?? ''}
      />
      {Export && <Export list={list} onClose={close} />}
    </>
  )
}

interface RunningDownload {
  readonly progress: string
  readonly stop: () => void
}

/** The running downloads, by the plural of the resource. A download continues while the user is on other pages. */
export const downloads = store<Readonly<Record<string, RunningDownload>>>({})
