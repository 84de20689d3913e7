import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own, gone with the process: what a test opens in it is closed before that, in whatever order. */
export const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-'))
  folders.push(folder)
  return folder
}

const folders: string[] = []

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
