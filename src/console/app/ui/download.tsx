import { store, useStore } from '#console/app/state/store.ts'
import { useWords } from '#console/app/words/index.ts'
import type { DisplayField } from '#core/display.ts'
import { Button } from './button.tsx'
import { useLazy } from './lazy.tsx'

export type Walk = (signal: AbortSignal) => AsyncGenerator<readonly object[]>

/** A list that can be saved as a file. */
export interface ListSource {
  /** The plural name of the resource, which names the file. */
  readonly plural: string
  /** The title of the list. */
  readonly title: string
  readonly total: number
  /** The columns that the list shows. If undefined, the export chooses its columns. */
  readonly columns?: readonly DownloadColumn[]
  readonly walk: Walk
  readonly nameOf?: (item: never) => string
}

type DownloadColumn = DisplayField & { readonly of?: string | undefined }

interface DownloadParts {
  readonly list: ListSource
  readonly kind?: string
  readonly text?: string
}

/** A button that saves a list, or stops a running save. Not shown if the list is empty. */
export const Download = ({ list, ...button }: DownloadParts) => {
  const { download: words } = useWords()
  const running = useStore(downloads)[list.plural]
  const { Component: Export, open, close } = useLazy('Export', words.begin)
  if (list.total === 0 && !running) return null
  return (
    <>
      <Button
        icon={running ? 'close' : 'import'}
        text={running ? words.stop(running.progress) : (button.text ?? words.begin)}
        onClick={running?.stop ?? open}
        kind={button.kind ?? ''}
      />
      {Export && <Export list={list} onClose={close} />}
    </>
  )
}

interface RunningDownload {
  /** How much of the list has been read. */
  readonly progress: string
  readonly stop: () => void
}

/** The running downloads, by plural. A download continues on other pages, and even if the list becomes empty meanwhile. */
export const downloads = store<Readonly<Record<string, RunningDownload>>>({})
