import { go } from './route.ts'
import { store } from './store.ts'

/** True while files are dragged over the page. */
export const isDraggedOver = store(false)

/** The files that were dropped, until the page of imports takes them. */
export const droppedFiles = store<readonly File[]>([])

export const takeDroppedFiles = () => {
  const files = droppedFiles.get()
  droppedFiles.set([])
  return files
}

/** Accepts files dropped anywhere on the page; otherwise the browser would open them in place of the console. */
export const watchDrops = () => {
  addEventListener('dragover', (event) => {
    if (!fileTransferOf(event)) return
    event.preventDefault()
    isDraggedOver.set(true)
  })
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (!relatedTarget) isDraggedOver.set(false)
  })
  addEventListener('drop', (event) => {
    const transfer = fileTransferOf(event)
    if (!transfer) return
    event.preventDefault()
    isDraggedOver.set(false)
    droppedFiles.set([...transfer.files])
    go('import')
  })
}

const fileTransferOf = ({ dataTransfer }: DragEvent) =>
  dataTransfer?.types.includes('Files') ? dataTransfer : undefined
