import { useStore } from '#console/app/state/store.ts'
import { formatNumber } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { download, downloads, type Listed, type Walk } from './downloading.ts'
import { Icon } from './icon.tsx'

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
    <button
      type="button"
      class="button download"
      onClick={running?.stop ?? (() => void download(what, walk))}
    >
      <Icon name={running ? 'close' : 'import'} />
      {running ? words.stop(formatNumber(running.done)) : words.begin}
    </button>
  )
}
