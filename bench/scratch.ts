import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const tmpfs = 0x01021994
const inProject = join(import.meta.dirname, '../data')

/** A folder on a real disk: syncing to one that lives in memory costs nothing, and would measure nothing. */
export const openScratch = () => {
  const base = statfsSync(tmpdir()).type === tmpfs ? inProject : tmpdir()
  mkdirSync(base, { recursive: true })
  const folder = mkdtempSync(join(base, 'rollcall-bench-'))
  return { folder, close: () => rmSync(folder, { recursive: true, force: true }) }
}
