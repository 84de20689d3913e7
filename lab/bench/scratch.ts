import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onExit } from '../../test/processes.ts'

const tmpfs = 0x01021994
const inProject = join(import.meta.dirname, '../../data')

/** A folder on a real disk: a sync to a file system in memory costs nothing and would measure nothing. */
export const openScratch = () => {
  const base = statfsSync(tmpdir()).type === tmpfs ? inProject : tmpdir()
  mkdirSync(base, { recursive: true })
  const folder = mkdtempSync(join(base, 'rollcall-bench-'))
  const forget = onExit(() => remove(folder))
  return {
    folder,
    close() {
      remove(folder)
      forget()
    },
  }
}

const maxTries = 20
const retryPauseMs = 50

/** A database that was told to stop goes on writing for a moment. */
const remove = (folder: string) => {
  for (let tries = 0; existsSync(folder) && tries < maxTries; tries++) {
    if (tries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryPauseMs)
    rmSync(folder, { recursive: true, force: true, maxRetries: 1 })
  }
}
