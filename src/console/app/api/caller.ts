import { store } from '#console/app/state/store.ts'
import { askForRead, me, type ReadOptions } from './ask.ts'

/** Whether the user may import anything. True until the rights are read. */
export const mayImport = store(true)

export const readRights = async (options: ReadOptions) => {
  const { may } = (await askForRead(() => me(options), options)).value
  mayImport.set(may.some((operation) => operation.endsWith(':import')))
}
