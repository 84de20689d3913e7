import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder, removed when the process exits, so tests may close what they opened in it in any order. */
export const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-'))
  folders.push(folder)
  return folder
}

const folders: string[] = []

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
