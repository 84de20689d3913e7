import { rememberedRecords } from './remembered-records.ts'
import { rememberedRows } from './remembered-rows.ts'

/** Which records a transaction changed. */
export interface Touched {
  readonly keys: readonly string[]
  /** The transaction changed records without naming their keys. */
  readonly all: boolean
}

/** Caches the results of committed reads until a commit changes them. */
export const remembered = () => {
  const records = rememberedRecords()
  const rows = rememberedRows()
  return {
    records,
    rows,
    forget({ keys, all }: Touched) {
      rows.clear()
      if (all) records.clear()
      else for (const key of keys) records.forget(key)
    },
  }
}
