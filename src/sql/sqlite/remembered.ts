import { rememberedRecords } from './remembered-records.ts'
import { rememberedRows } from './remembered-rows.ts'

/** Which records a transaction changed. */
export interface Touched {
  readonly keys: ReadonlySet<string>
  /** It changed records without naming them. */
  readonly all: boolean
}

/** What committed reads made, as long as no commit changed it. */
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
