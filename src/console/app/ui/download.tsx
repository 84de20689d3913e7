import { useStore } from '#console/app/state/store.ts'
import { formatNumber } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { Button } from './button.tsx'
import { download, downloads, type Listed, type Walk } from './downloading.ts'

interface DownloadParts {
  readonly what: Listed
  readonly walk: Walk
  /** An empty list has nothing to save. */
  readonly isEmpty: boolean
}

/** Saves a list; pressing it again stops the download. */
export const Download = ({ what, walk, isEmpty }: DownloadParts) => {
  const { download: words } = useWords()
  const running = useStore(downloads)[what]
  if (isEmpty && !running) return null
  return (
    <Button
      icon={running ? 'close' : 'import'}
      text={running ? words.stop(formatNumber(running.done)) : words.begin}
      onClick={running?.stop ?? (() => download(what, walk))}
    />
  )
}
