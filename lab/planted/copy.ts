import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../test/program.ts'
import type { Change } from './plants.ts'

/** A copy of the service with deliberate mistakes. The service itself stays untouched. */
export const copyWith = (changes: readonly Change[]) => {
  const root = mkdtempSync(join(tmpdir(), 'rollcall-planted-'))
  for (const part of [
    'src',
    'lab/package.json',
    'lab/faults',
    'lab/histories',
    'lab/planted',
    'lab/arguments.ts',
    'test',
    'package.json',
  ])
    cpSync(join(projectRoot, part), join(root, part), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'))
  for (const change of changes) plant(root, change)
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}

const plant = (root: string, { file, find, replace }: Change) => {
  const path = join(root, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(find).length !== 2) throw new Error(`${file} does not contain this exactly once: ${find}`)
  writeFileSync(
    path,
    text.replace(find, () => replace),
  )
}
