import { go } from './route.ts'
import { store } from './store.ts'

/** Whether files are being dragged over the page. */
export const isDraggedOver = store(false)

/** Files that were dropped, until the page of imports takes them. */
export const waitingFiles = store<readonly File[]>([])

export const takeDropped = () => {
  const files = waitingFiles.get()
  waitingFiles.set([])
  return files
}

/** Accepts files dropped anywhere on the page; otherwise the browser would open them in place of the console. */
export const watchDrops = () => {
  addEventListener('dragover', (event) => {
    if (!filesOf(event)) return
    event.preventDefault()
    isDraggedOver.set(true)
  })
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (!relatedTarget) isDraggedOver.set(false)
  })
  addEventListener('drop', (event) => {
    const transfer = filesOf(event)
    if (!transfer) return
    event.preventDefault()
    isDraggedOver.set(false)
    waitingFiles.set([...transfer.files])
    go('import')
  })
}

const filesOf = ({ dataTransfer }: DragEvent) =>
  dataTransfer?.types.includes('Files') ? dataTransfer : undefined
