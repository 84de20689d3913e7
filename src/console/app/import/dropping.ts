import { go } from '#console/app/state/route.ts'
import { store } from '#console/app/state/store.ts'
import { choose, course } from './course.ts'

/** Whether files that would be accepted are being dragged over the page. */
export const isDraggedOver = store(false)

/** Files may be dropped anywhere: otherwise the browser would open them in place of the console. */
export const watchDrops = () => {
  addEventListener('dragover', (event) => {
    const transfer = filesOf(event)
    if (!transfer) return
    event.preventDefault()
    isDraggedOver.set(takesFiles())
    if (!takesFiles()) transfer.dropEffect = 'none'
  })
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (!relatedTarget) isDraggedOver.set(false)
  })
  addEventListener('drop', (event) => {
    const transfer = filesOf(event)
    if (!transfer) return
    event.preventDefault()
    isDraggedOver.set(false)
    if (!takesFiles()) return
    void choose([...transfer.files])
    go('import')
  })
}

const filesOf = ({ dataTransfer }: DragEvent) =>
  dataTransfer?.types.includes('Files') ? dataTransfer : undefined

/** Not once a file has been read: it, or the report of its import, would be lost. */
const takesFiles = () => ['choosing', 'unreadable'].includes(course.get().phase)
