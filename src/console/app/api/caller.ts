import { store } from '#console/app/state/store.ts'
import { me, type ReadOptions, readSignedIn } from './call.ts'

/** Whether the user may import anything. True until the rights are read. */
export const mayImport = store(true)

export const readRights = async (options: ReadOptions) => {
  const { may } = (await readSignedIn(me, options)).value
  mayImport.set(may.some((operation) => operation.endsWith(':import')))
}
